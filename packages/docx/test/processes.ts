import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Whether the system tells what runs. */
export const tellsProcesses = (): boolean => existsSync("/proc/self");

/** Process ids of what was started with a path inside of a folder. */
export function processesOf(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${folder}/`);
      } catch {
        return false;
      }
    })
    .map(Number);
}
