import { spawn, spawnSync } from "node:child_process";
import { statSync } from "node:fs";

/** Another user of the system, for programs that read what strangers send: they can't read this process' memory and files. */
export interface OtherUser {
  gid: number;
  /**
   * The command that runs a program as this user, who gains no right that it was not started with. It becomes the
   * program: descriptors and process id stay. Whoever starts it gives it an environment without secrets: what a user's
   * process was started with, that user can read.
   */
  as(program: readonly string[]): string[];
  /** Ends a process group of this user by force. What is gone already is no error. */
  killGroup(leader: number): void;
}

/** A launcher that does not do what it is for; the message continues a sentence. */
export class LauncherError extends Error {
  override name = "LauncherError";
}

/** A start takes milliseconds; one that takes so long comes to nothing. */
const PROBE_TIMEOUT_MS = 10_000;
const SET_IDS = 0o6000;

/**
 * The user whom a launcher belongs to: a copy of util-linux's `setpriv` with set-user-ID and set-group-ID bits, which
 * so gives whoever may run it that user's rights, and no other's. No right of root's is needed, nor any capability.
 * @param launcher its path
 * @throws {LauncherError} when it can't be run as its owner.
 */
export const openOtherUser = (launcher: string): OtherUser => {
  const { uid, gid } = ownerOf(launcher);
  const switched = ["--reuid", String(uid), "--regid", String(gid), "--keep-groups", "--no-new-privs", "--"];
  const as = (program: readonly string[]) => [launcher, ...switched, ...program];
  const [command = "", ...args] = as(["true"]);
  if (spawnSync(command, args, { stdio: "ignore", env: {}, timeout: PROBE_TIMEOUT_MS }).status !== 0) {
    throw new LauncherError(
      "it does not run as its owner: its file system must allow set-user-ID bits, and this process must be free to use them",
    );
  }
  return {
    gid,
    as,
    killGroup(leader) {
      const [killer = "", ...words] = as(["/bin/sh", "-c", 'kill -s KILL -- "-$0"', String(leader)]);
      // Told by the end of the group itself.
      spawn(killer, words, { stdio: "ignore", env: {} }).on("error", () => undefined);
    },
  };
};

const ownerOf = (launcher: string): { uid: number; gid: number } => {
  if (process.getuid?.() === 0) throw new LauncherError("this process runs as root, who is to run no other's programs");
  const entry = statSync(launcher, { throwIfNoEntry: false });
  if (!entry?.isFile()) throw new LauncherError("there is no such file");
  const { mode, uid, gid } = entry;
  if ((mode & SET_IDS) !== SET_IDS) throw new LauncherError("it lacks a set-user-ID or set-group-ID bit");
  if (uid === 0 || gid === 0 || uid === process.getuid?.()) {
    throw new LauncherError("it has to belong to another user, who is not root");
  }
  return { uid, gid };
};
