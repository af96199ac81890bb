import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Confinement, temporaryIn } from "./confinement.ts";
import { profileIn, socketOf } from "./traces.ts";

/** A start of the office program: its own profile, nothing of this process's environment but the search path. */
export interface Start {
  soffice: string;
  /** Holds its profile, and is home and scratch space. */
  folder: string;
  confinement: Confinement | undefined;
  arguments: readonly string[];
}

const QUIET = ["--headless", "--invisible", "--nologo", "--norestore", "--nodefault", "--nolockcheck"];

/**
 * A shell that becomes the program, and leaves a watcher in its process group: when descriptor 3 closes, because this
 * process closed it or is gone, however it ended, the watcher removes the program's socket ($0) and ends the group with
 * itself. The program would notice by itself only where it waits for a document. It writes no file of more than 512 MB
 * and no core, and comes after whatever serves requests.
 */
const TIED =
  'ulimit -f 1048576; ulimit -c 0; (read -r _ <&3; rm -f -- "$0"; kill -s KILL 0) & exec nice -n 10 "$@" 3<&-';

/** Starts it as the head of a process group, which ends with this process: `soffice` is a script that starts the program proper. */
export const spawnOffice = ({ soffice, folder, confinement, arguments: more }: Start): ChildProcess => {
  const profile = profileIn(folder);
  // Where it is missing, fontconfig makes it itself, open to everybody whatever the umask.
  mkdirSync(join(folder, ".cache", "fontconfig"), { recursive: true, mode: 0o700 });
  const program = [soffice, `-env:UserInstallation=${pathToFileURL(profile)}`, ...QUIET, ...more];
  const command = confinement ? confinement.wrap(folder, program) : program;
  const socket = socketOf(profile, confinement && temporaryIn(folder));
  const child = spawn("/bin/sh", ["-c", TIED, socket, ...command], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LC_ALL: "C.UTF-8" },
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    detached: true,
  });
  child.once("exit", () => child.stdio[3]?.destroy());
  // Without a listener a program that cannot be started would bring this process down; `exited` tells it.
  child.on("error", () => undefined);
  return child;
};

/** Resolves when the process is gone, or never was. */
export const exited = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  // Whoever waits for the end keeps this process alive until then, also where the program alone would not.
  child.ref();
  await once(child, "exit");
};

/** Ends the whole process group by force. */
export const killGroup = async (child: ChildProcess): Promise<void> => {
  const gone = exited(child);
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group is gone already.
    }
  }
  await gone;
};
