import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "@rubrica/config";
import { reasonOf } from "@rubrica/storage/sqlite/failure";

/** The data folder can't be used as it is; the message is one sentence for the operator. */
export class DataFolderError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DataFolderError";
  }
}

/** Who may do what, beside the owner. */
const OTHERS = 0o077;
/** What is written to find out whether there is room: more than SQLite's logs need to begin with. */
const PROBE_BYTES = 256 * 1024;
const STORES = ["events", "keys", "lease", "read-models", "simulator", "identity-simulator"];
const OURS = new RegExp(
  `^(?:secret(?:\\.[0-9a-f]+\\.tmp)?|pki|files|office(?:-[a-z-]+)?|[a-z-]+\\.lock|\\.probe-[\\w-]+|(?:${STORES.join("|")})\\.sqlite(?:-wal|-shm|-journal|\\.damaged)?)$`,
);
/** What file systems put into a folder by themselves. */
const NOBODYS = new Set(["lost+found"]);

/**
 * Makes the folder when it is not there, and sees to it that its owner alone can read what the service keeps: a folder
 * that belongs to this user and holds nothing else is closed to everybody else, what is ours in any other is.
 *
 * @returns what the operator should know, in sentences.
 * @throws {DataFolderError} when it can't be made or written.
 */
export const ensureDataFolder = (dataDir: string): string[] => {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = reasonOf(error);
    const why = reason?.failure === "disk_full" ? `: ${reason.words}` : "";
    throw new DataFolderError(`The data folder ${dataDir} can't be made${why}: set DATA_DIR to another one.`, error);
  }
  try {
    const probe = join(dataDir, `.probe-${process.pid}`);
    try {
      writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600 });
    } finally {
      rmSync(probe, { force: true });
    }
    return tighten(dataDir);
  } catch (error) {
    throw notWritable(dataDir, error);
  }
};

/**
 * For what makes no store, and only looks at one.
 * @throws {DataFolderError} when the folder should hold one and does not.
 */
export const requireStore = ({ dataDir, eventStoreUrl }: Pick<Config, "dataDir" | "eventStoreUrl">): void => {
  if (eventStoreUrl !== undefined || existsSync(join(dataDir, "events.sqlite"))) return;
  throw new DataFolderError(
    `There is no event store in the data folder ${dataDir}: set DATA_DIR to the folder of the service.`,
  );
};

/**
 * Whether the folder still takes what is written: looked at by writing.
 * @throws {DataFolderError} naming no path: what it says is for `/readyz`.
 */
export const probeDataFolder = async (dataDir: string): Promise<void> => {
  const probe = join(dataDir, `.probe-${process.pid}`);
  try {
    const file = await open(probe, "w", 0o600);
    try {
      await file.writeFile(Buffer.alloc(PROBE_BYTES));
    } finally {
      await file.close();
      await rm(probe, { force: true });
    }
  } catch (error) {
    throw new DataFolderError(`it can't be written: ${reasonOf(error)?.words ?? "its disk reported an error"}`, error);
  }
};

const notWritable = (dataDir: string, error: unknown): unknown => {
  const reason = reasonOf(error);
  if (!reason) return error;
  const remedy = reason.failure === "disk_full" ? "make room, or set DATA_DIR" : "set DATA_DIR";
  return new DataFolderError(
    `The data folder ${dataDir} can't be written: ${reason.words}: ${remedy} to another folder.`,
    error,
  );
};

/** Takes from everybody else what they may do with the folder, or with what of it is ours. */
const tighten = (dataDir: string): string[] => {
  // Windows has other rights than these.
  const user = process.getuid?.();
  if (user === undefined) return [];
  const entries = readdirSync(dataDir);
  for (const name of entries.filter((entry) => OURS.test(entry))) close(join(dataDir, name), user);
  const { mode, uid } = statSync(dataDir);
  if ((mode & OTHERS) === 0) return [];
  const shared = entries.some((name) => !OURS.test(name) && !NOBODYS.has(name));
  if (uid === user && !shared) chmodSync(dataDir, mode & 0o7777 & ~OTHERS);
  if ((statSync(dataDir).mode & OTHERS) === 0) return [];
  const why = uid === user ? "holds other things too" : "belongs to another user";
  return [
    `The data folder ${dataDir} is open to other users, and stays so since it ${why}: what Rubrica keeps there is not.`,
  ];
};

const close = (path: string, user: number): void => {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  // Where a link leads is nothing that the folder's rights say.
  if (!entry || entry.isSymbolicLink() || entry.uid !== user) return;
  if ((entry.mode & OTHERS) !== 0) chmodSync(path, entry.mode & 0o7777 & ~OTHERS);
};
