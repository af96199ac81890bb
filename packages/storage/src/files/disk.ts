import { type FileHandle, mkdir, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Clock, Random } from "@rubrica/runtime";
import { syncFolder, writeDurably } from "@rubrica/runtime/durable";
import { type BlobStore, type FileStoreOptions, fileStoreOn } from "./encrypted.ts";
import type { FileStore } from "./port.ts";

/** Where files are written until they are whole. On the same file system, so that they can be renamed. */
const UNFINISHED = "unfinished";
/** The folders that files are in, by the first two digits of their names. */
const FOLDERS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
/** Says up to where erasures were carried out. */
const NOTE = "erasures-done";
/** Older than this, an unfinished file belongs to a process that died: no write takes so long. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

/**
 * Files in a folder: `{dir}/{first 2 hex digits}/{owner's hash}-{name}`, encrypted; see `encryption.ts` and `encrypted.ts`.
 * A file is synced before it is renamed to its name, and the folder that holds the name before `put` answers, so that
 * a name never stands for half a file and an answered file survives a loss of power.
 * @throws {Error} when the folder cannot be made.
 */
export const openDiskFileStore = async (
  options: FileStoreOptions & { dir: string; clock: Clock },
): Promise<FileStore> => {
  const dir = resolve(options.dir);
  await makeFolders(dir);
  await removeAbandoned(dir, options.clock);
  return fileStoreOn(diskBlobs(dir, options.random), options);
};

const diskBlobs = (dir: string, random: Random): BlobStore => {
  const folderOf = (name: string) => join(dir, name.slice(0, 2));
  const pathOf = (name: string) => join(folderOf(name), name);
  const writeWhole = async (path: string, name: string, bytes: Buffer): Promise<void> => {
    const unfinished = join(dir, UNFINISHED, `${name}.${random.bytes(8).toString("hex")}`);
    try {
      await writeDurably(unfinished, bytes);
      await rename(unfinished, path);
    } catch (error) {
      await removeIfThere(unfinished);
      throw error;
    }
    await syncFolder(dirname(path));
  };
  return {
    write: (name, bytes) => writeWhole(pathOf(name), name, bytes),

    async read(name, maxBytes) {
      const file = await openIfThere(pathOf(name));
      if (!file) return undefined;
      try {
        return (await file.stat()).size > maxBytes ? "too large" : await file.readFile();
      } finally {
        await file.close();
      }
    },

    // Its bytes were synced before it had a name; of the name, a process that died cannot have made sure.
    sync: (name) => syncFolder(folderOf(name)),

    async *names() {
      for (const folder of FOLDERS) yield* (await readdir(join(dir, folder))).sort();
    },

    async removeAll(prefix) {
      for (const folder of [join(dir, UNFINISHED), folderOf(prefix)]) {
        const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
        for (const name of names) await removeIfThere(join(folder, name));
        if (names.length > 0) await syncFolder(folder);
      }
    },

    erasuresDone: () => readFile(join(dir, NOTE), "utf8").catch(whenMissing),
    noteErasuresDone: (text) => writeWhole(join(dir, NOTE), NOTE, Buffer.from(text)),

    async close() {},
  };
};

/** All of the folders at once: a `put` then has to sync one folder only. */
const makeFolders = async (dir: string): Promise<void> => {
  const topmostMade = await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of [UNFINISHED, ...FOLDERS]) await mkdir(join(dir, name), { recursive: true, mode: 0o700 });
  await syncFolder(dir);
  // A folder's own name is kept by the folder above it, up to the one that was there before.
  for (let folder = dir; topmostMade && folder.length >= topmostMade.length; folder = dirname(folder))
    await syncFolder(dirname(folder));
};

const removeAbandoned = async (dir: string, clock: Clock): Promise<void> => {
  const folder = join(dir, UNFINISHED);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const writtenAt = await stat(path).then(({ mtimeMs }) => mtimeMs, whenMissing);
    if (writtenAt !== undefined && writtenAt < clock.now() - ABANDONED_AFTER_MS) await removeIfThere(path);
  }
};

const openIfThere = (path: string): Promise<FileHandle | undefined> => open(path).catch(whenMissing);

const removeIfThere = (path: string): Promise<void> => unlink(path).catch(whenMissing);

const whenMissing = (error: unknown): undefined => {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
};
