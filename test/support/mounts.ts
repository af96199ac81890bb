import { spawnSync } from "node:child_process";
import { noteMissing } from "@rubrica/test-kit";

/** Whether a disk of its own can be given to a process here: that takes root. */
export const canMount = process.getuid?.() === 0 && spawnSync("unshare", ["--mount", "true"]).status === 0;
if (!canMount) noteMissing("root, who may mount");

/**
 * The program, with its arguments, that runs another one where a file system in memory lies at `folder`: it is there for
 * that process alone, and goes with it. `options` are the mount's, as `size=24m`.
 */
export const mounted = (folder: string, options: string): string[] => [
  "unshare",
  "--mount",
  "sh",
  "-c",
  `mount -t tmpfs -o ${options} tmpfs '${folder}' && exec "$@"`,
  "sh",
];
