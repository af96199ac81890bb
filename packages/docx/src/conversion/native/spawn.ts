import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";

/** A start of the office program: its own profile, nothing of this process's environment but the search path. */
export interface Start {
  soffice: string;
  /** Holds `profile`, and is home and scratch space. */
  folder: string;
  profile: string;
  arguments: readonly string[];
}

const QUIET = ["--headless", "--invisible", "--nologo", "--norestore", "--nodefault", "--nolockcheck"];

/** Starts it as the head of a process group: `soffice` is a script that starts the program proper. */
export function spawnOffice({ soffice, folder, profile, arguments: more }: Start): ChildProcess {
  const child = spawn(soffice, [`-env:UserInstallation=${pathToFileURL(profile)}`, ...QUIET, ...more], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LC_ALL: "C.UTF-8" },
    stdio: "ignore",
    detached: true,
  });
  // Without a listener a program that cannot be started would bring this process down; `exited` tells it.
  child.on("error", () => undefined);
  return child;
}

/** Resolves when the process is gone, or never was. */
export async function exited(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  // Whoever waits for the end keeps this process alive until then, also where the program alone would not.
  child.ref();
  await once(child, "exit");
}

/** Ends the whole process group by force. */
export async function killGroup(child: ChildProcess): Promise<void> {
  const gone = exited(child);
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group is gone already.
    }
  }
  await gone;
}
