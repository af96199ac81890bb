import { FileCorruptError, type FileStore } from "@rubrica/storage";
import { MigrationError } from "./migration-error.ts";
import { sideBySide } from "./side-by-side.ts";
import type { Tell } from "./step.ts";

/** Files on their way at once; each is held whole in memory, twice. */
const AT_ONCE = 4;

type Names = Pick<FileStore, "encryptedNames">;
type EncryptedFiles = Pick<FileStore, "encryptedNames" | "getEncrypted">;

/** How many files there are. */
export const countFiles = async (files: Names): Promise<number> => {
  let count = 0;
  for await (const _ of files.encryptedNames()) count += 1;
  return count;
};

/**
 * Puts what the target lacks, and reads each file back: what is there and not the same is put again.
 * @throws {MigrationError} when one can't be read, or is not there afterwards as it was put.
 */
export const copyFiles = (from: EncryptedFiles, to: FileStore, all: number, tell: Tell): Promise<void> =>
  eachName(
    from,
    async (name) => {
      const encrypted = await readFrom(from, name);
      if (await isThere(to, name, encrypted)) return;
      await to.putEncrypted(name, encrypted);
      if (!(await isThere(to, name, encrypted))) throw notTheSame(name);
    },
    (done) => tell("copy files", done, all),
  );

/** Checks that the target has every file, byte by byte, and no other. @throws {MigrationError} */
export const checkFiles = async (from: EncryptedFiles, to: EncryptedFiles, all: number, tell: Tell): Promise<void> => {
  await checkFileNames(from, to);
  await eachName(
    from,
    async (name) => {
      if (!(await isThere(to, name, await readFrom(from, name)))) throw notTheSame(name);
    },
    (done) => tell("check files", done, all),
  );
};

/** Checks that the target has the same files by name. Gives their number. @throws {MigrationError} */
export const checkFileNames = async (from: Names, to: Names): Promise<number> => {
  let count = 0;
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  for await (const { left, right } of sideBySide(from.encryptedNames(), to.encryptedNames(), compare)) {
    if (left === undefined)
      throw new MigrationError(
        `The database that MONGODB_URL names holds the file ${right}, which is not in the data folder: use an empty database.`,
      );
    if (right === undefined)
      throw new MigrationError(`The file ${left} is not in the database that MONGODB_URL names: migrate again.`);
    count += 1;
  }
  return count;
};

const eachName = async (
  from: Names,
  work: (name: string) => Promise<void>,
  tell: (done: number) => void,
): Promise<void> => {
  let done = 0;
  let batch: string[] = [];
  const workOff = async () => {
    await Promise.all(batch.map(work));
    done += batch.length;
    batch = [];
    tell(done);
  };
  for await (const name of from.encryptedNames()) if (batch.push(name) === AT_ONCE) await workOff();
  if (batch.length > 0) await workOff();
};

const readFrom = async (from: EncryptedFiles, name: string): Promise<Buffer> => {
  const encrypted = await from.getEncrypted(name).catch((error: unknown) => {
    if (error instanceof FileCorruptError)
      throw new MigrationError(
        `The file ${name} of the data folder is larger than a file can be: restore it from a backup.`,
        error,
      );
    throw error;
  });
  if (!encrypted) throw new MigrationError("A file of the data folder was removed meanwhile: migrate again.");
  return encrypted;
};

const isThere = async (to: EncryptedFiles, name: string, encrypted: Buffer): Promise<boolean> => {
  const found = await to.getEncrypted(name).catch((error: unknown) => {
    // Not what was put, whatever it is.
    if (error instanceof FileCorruptError) return undefined;
    throw error;
  });
  return found?.equals(encrypted) ?? false;
};

const notTheSame = (name: string) =>
  new MigrationError(
    `The file ${name} is not in the database that MONGODB_URL names as it is in the data folder: migrate again.`,
  );
