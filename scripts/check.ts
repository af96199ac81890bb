// Types, lint and format of the whole repository.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const binary = (name: string) => join(root, "node_modules", ".bin", name);

const checks: [string, string[]][] = [
  ["tsc", ["-p", "."]],
  ["tsc", ["-p", "apps/signing-web/src/page"]],
  ["biome", ["ci", "."]],
];

/** Runs every check, printing what fails; true when none does. */
export const runChecks = (): boolean =>
  checks
    .map(([name, args]) => spawnSync(binary(name), args, { cwd: root, stdio: "inherit" }).status === 0)
    .every((passed) => passed);

if (import.meta.main) process.exit(runChecks() ? 0 : 1);
