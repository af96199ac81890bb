import { accessSync, closeSync, constants, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { explain, StoreFileError } from "./failure.ts";

/** The path of a database that is in no file. */
export const IN_MEMORY = ":memory:";

/**
 * Makes the file when it is not there, for its owner alone whatever the umask. SQLite gives its logs the same mode.
 *
 * One that is there is never opened: to close a file drops every lock that this process has on it (`fcntl(2)`), its other
 * connections' too. Another process that looks into the store would then take itself for the last one, and remove the log
 * that this one goes on to write.
 */
export const makeOwnersAlone = (path: string): void => {
  if (path === IN_MEMORY) return;
  try {
    closeSync(openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    // Not for writing: that a file can only be read is SQLite's to tell.
    accessSync(path, constants.R_OK);
  }
};

/**
 * Opens a store's SQLite file (or ":memory:"), made for its owner alone when it is not there.
 *
 * @param options.timeoutMs how long a statement waits for another process's lock.
 * @param options.version of the schema, kept as `user_version`; a file of a later one is refused.
 * @param options.setUp settings and schema; they may be there already.
 * @param options.whenDamaged what to do about a damaged file, to follow a colon.
 * @throws {StoreFileError} when the file can't be used.
 */
export const openSqlite = (
  path: string,
  options: { timeoutMs: number; version: number; setUp: string; whenDamaged: string },
): DatabaseSync => {
  const { timeoutMs, version, setUp, whenDamaged } = options;
  let database: DatabaseSync | undefined;
  try {
    makeOwnersAlone(path);
    database = new DatabaseSync(path, { timeout: timeoutMs });
    const found = Number(database.prepare("PRAGMA user_version").get()?.user_version);
    if (found > version)
      throw new StoreFileError("newer_version", `The file ${path} is of a newer version of Rubrica: update this one.`);
    database.exec(setUp);
    return database;
  } catch (error) {
    database?.close();
    throw explain(error, path, whenDamaged);
  }
};
