import { createHash } from "node:crypto";
import { glob, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Where an office program that is not confined has its sockets, whatever its TMPDIR says (`sal/osl/unx/pipe.cxx`). */
const SOCKETS = "/tmp";

/** The profile that lies in a process's folder. */
export const profileIn = (folder: string): string => join(folder, "profile");

/** Removes the folder of a process that is gone, and the socket that it leaves outside of it when it is killed. */
export const removeTraces = async (folder: string): Promise<void> => {
  await rm(socketOf(profileIn(folder)), { force: true });
  await rm(folder, { recursive: true, force: true });
};

/** Removes a converter's folder with the traces of all processes that any service left there. */
export const removeAllTraces = async (folder: string): Promise<void> => {
  for await (const left of glob("office-*/*", { cwd: folder })) await removeTraces(join(folder, left));
  await rm(folder, { recursive: true, force: true });
};

/**
 * Where the office program listens for a second one of this profile. Named after its URL: an MD5 of its UTF-16, each byte
 * as hex without padding (`desktop/source/app/officeipcthread.cxx`).
 * @param sockets the program's `/tmp`, where it is confined
 */
export const socketOf = (profile: string, sockets?: string): string => {
  const url = pathToFileURL(resolve(profile)).href;
  const digest = createHash("md5").update(url, "utf16le").digest();
  const name = Array.from(digest, (byte) => byte.toString(16)).join("");
  return pipeOf(`SingleOfficeIPC_${name}`, sockets);
};

/**
 * The socket behind what the office program calls a pipe of this name.
 * @param sockets the program's `/tmp`, where it is confined
 */
export const pipeOf = (name: string, sockets?: string): string =>
  sockets === undefined
    ? join(SOCKETS, `OSL_PIPE_${identity()}${name}`)
    : join(sockets, `OSL_PIPE_${process.getuid?.()}_${name}`);

/** Left out by the program where the system does not know its user by name, as in containers that run as any number. */
const identity = (): string => {
  try {
    return `${userInfo().uid}_`;
  } catch {
    return "";
  }
};
