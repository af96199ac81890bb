import { createHash } from "node:crypto";
import { glob, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Where the office program listens for a second one of the same profile, whatever its TMPDIR says (`sal/osl/unx/pipe.cxx`). */
const SOCKETS = "/tmp";

/** The profile that lies in a process's folder. */
export const profileIn = (folder: string): string => join(folder, "profile");

/** Removes the folder of a process that is gone, and the socket that it leaves outside of it when it is killed. */
export async function removeTraces(folder: string): Promise<void> {
  await rm(socketOf(profileIn(folder)), { force: true });
  await rm(folder, { recursive: true, force: true });
}

/** Removes a converter's folder with the traces of all processes that any service left there. */
export async function removeAllTraces(folder: string): Promise<void> {
  for await (const left of glob("office-*/*", { cwd: folder })) await removeTraces(join(folder, left));
  await rm(folder, { recursive: true, force: true });
}

/** Where the office program listens that has this profile. Named after its URL: an MD5 of its UTF-16, each byte as hex without padding (`desktop/source/app/officeipcthread.cxx`). */
export function socketOf(profile: string): string {
  const url = pathToFileURL(resolve(profile)).href;
  const digest = createHash("md5").update(url, "utf16le").digest();
  const name = Array.from(digest, (byte) => byte.toString(16)).join("");
  return join(SOCKETS, `OSL_PIPE_${process.getuid?.()}_SingleOfficeIPC_${name}`);
}
