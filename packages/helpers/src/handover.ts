import { closeSync, constants, ftruncateSync, openSync, readSync, statfsSync, unlinkSync, writeSync } from "node:fs";

// Files go to helpers through memory that both processes see: a file without a name on a file system in memory. Through a
// channel megabytes go in hundreds of pieces, of which each process keeps copies until it looks for garbage.

const FOLDER = "/dev/shm";
/** TMPFS_MAGIC of Linux (`statfs(2)`). */
const IN_MEMORY = 0x01021994;
/** What is smaller is as quick as a message. */
const LEAST_BYTES = 65_536;
/** Where a helper finds it among its descriptors. */
const HANDOVER_FD = 5;
/** How many names are tried: those that a process of the same id left behind, when it was killed, are passed over. */
const NAMES = 8;

/** The service's side. */
export interface Handover {
  /** A descriptor for the helper, to read from; to be closed here once it is started. */
  readonly readable: number;
  /** Puts bytes in the place of those before; false where they are few, or where there is no room. */
  put(bytes: Uint8Array): boolean;
  /** Gives the memory back. */
  clear(): void;
  close(): void;
}

let opened = 0;

/** Undefined where the system has no file system in memory: then all goes through the channel. */
export const openHandover = (): Handover | undefined => {
  const found = openUnnamed();
  if (found === undefined) return undefined;
  const { writable, readable } = found;
  let holds = false;
  const clear = (): void => {
    if (holds) ftruncateSync(writable);
    holds = false;
  };
  return {
    readable,
    put(bytes) {
      if (bytes.length < LEAST_BYTES) return false;
      holds = true;
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(writable, bytes, at, bytes.length - at, at);
        return true;
      } catch {
        clear();
        return false;
      }
    },
    clear,
    close: () => closeSync(writable),
  };
};

/** The bytes that were put, on a helper's side. */
export const takeOver = (length: number): Uint8Array => {
  // Not from the pool, and not filled before it is read.
  const { buffer } = Buffer.allocUnsafeSlow(length);
  const bytes = new Uint8Array(buffer);
  for (let at = 0; at < length; ) {
    const read = readSync(HANDOVER_FD, bytes, at, length - at, at);
    if (read === 0) throw new Error("less was handed over than was told");
    at += read;
  }
  return bytes;
};

/** A file that no name leads to: it goes with the last process that has it open. */
const openUnnamed = (): { writable: number; readable: number } | undefined => {
  if (!isInMemory()) return undefined;
  for (let attempt = 0; attempt < NAMES; attempt += 1) {
    const path = `${FOLDER}/rubrica-${process.pid}-${opened++}`;
    try {
      const writable = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        return { writable, readable: openSync(path, constants.O_RDONLY) };
      } finally {
        unlinkSync(path);
      }
    } catch {
      // It is another process', or the folder may not be written.
    }
  }
  return undefined;
};

const isInMemory = (): boolean => {
  try {
    return statfsSync(FOLDER).type === IN_MEMORY;
  } catch {
    return false;
  }
};
