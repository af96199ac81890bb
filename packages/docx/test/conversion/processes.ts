import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findConfinement, temporaryIn } from "../../src/conversion/native/confinement.ts";
import { profileIn, socketOf } from "../../src/conversion/native/traces.ts";

/** Tells where an office program with a folder listens for a second one, as it is run on this machine. */
export const socketFinder = async (soffice: string | undefined): Promise<(folder: string) => string> => {
  const confinement = soffice && (await findConfinement(soffice, join(tmpdir(), "x")));
  return (folder) => socketOf(profileIn(folder), confinement ? temporaryIn(folder) : undefined);
};

/** Whether the system tells what runs. */
export const tellsProcesses = (): boolean => existsSync("/proc/self");

/** Process ids of what was started with a path inside of a folder. */
export const processesOf = (folder: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${folder}/`);
      } catch {
        return false;
      }
    })
    .map(Number);

/** Kills what runs there. One that ends with another, before its turn came, is no failure. */
export const killProcessesOf = (folder: string): void => {
  for (const pid of processesOf(folder)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
};
