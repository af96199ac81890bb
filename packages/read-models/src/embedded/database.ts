import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { explain, IN_MEMORY, makeOwnersAlone, StoreFileError } from "@rubrica/storage/sqlite";

/** Raised with every change of the schema: a file of a lower version is brought to it, or thrown away and filled anew from the events. */
const SCHEMA_VERSION = 5;
/** How long a statement waits for another process's transaction; those take milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;
/** To what the write-ahead log is cut once nobody reads it any more: while somebody stays, all that is written is kept in it. */
const MAX_IDLE_WAL_BYTES = 16_777_216;

/** Result codes of SQLite (https://sqlite.org/rescode.html) that say that the file itself is bad. */
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/**
 * All generations share the tables, so that one statement finds the live one and reads it: a swap by another process
 * falls before it or after it. Parts are documents among the others. `lookups` has a row for each indexed string; what a
 * document has there is kept with it in `entries`, as JSON [field, value], to be found again when it changes. What analysts
 * ask is in tables of each generation's own, `tables.ts`, and has the views' names: none of these.
 */
const SCHEMA = `
  CREATE TABLE generations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    collection TEXT NOT NULL,
    version INTEGER NOT NULL,
    live INTEGER NOT NULL,
    indexes TEXT NOT NULL,
    checkpoint BLOB,
    tables TEXT NOT NULL DEFAULT '[]',
    viewed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX live_generations ON generations (collection, version) WHERE live = 1;
  CREATE TABLE dropped_generations (number INTEGER PRIMARY KEY, tables TEXT NOT NULL DEFAULT '[]') STRICT;
  CREATE TABLE records (
    row INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    id TEXT NOT NULL,
    position BLOB NOT NULL,
    document TEXT,
    entries TEXT NOT NULL,
    UNIQUE (generation, id)
  ) STRICT;
  CREATE TABLE lookups (
    generation INTEGER NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (generation, field, value, row)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${SCHEMA_VERSION};`;

/** What makes the schema of version 4, which had no tables for analysts, this one. */
const FROM_VERSION_4 = `
  ALTER TABLE documents RENAME TO records;
  ALTER TABLE generations ADD COLUMN tables TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE generations ADD COLUMN viewed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE dropped_generations ADD COLUMN tables TEXT NOT NULL DEFAULT '[]';
  PRAGMA user_version = ${SCHEMA_VERSION};`;

/**
 * Opens the file, or makes it. One that is damaged, was found damaged while it was used, or has an older schema is
 * deleted first: everything in it comes from the events. One with a newer schema is left alone: a newer service uses it.
 * @param onReplaced is told the path when the file was damaged.
 * @throws {StoreFileError} when the file can be neither opened nor replaced, or has a newer schema.
 */
export const openDatabase = (path: string, onReplaced: (path: string) => void): DatabaseSync => {
  try {
    return openOrReplace(path, onReplaced);
  } catch (error) {
    throw explain(error, path, "remove it: it is built anew");
  }
};

const openOrReplace = (path: string, onReplaced: (path: string) => void): DatabaseSync => {
  if (path === IN_MEMORY) return tryOpen(path) ?? unreachable();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(damageMark(path))) {
    removeFiles(path);
    onReplaced(path);
  }
  try {
    const database = tryOpen(path);
    if (database) return database;
  } catch (error) {
    if (!isDamage(error)) throw error;
    onReplaced(path);
  }
  removeFiles(path);
  return tryOpen(path) ?? unreachable();
};

/** Runs an operation; when it finds the file damaged, the next opening will throw the file away. */
export const noticingDamage = <T>(path: string, operation: () => T): T => {
  try {
    return operation();
  } catch (error) {
    if (isDamage(error) && path !== IN_MEMORY) writeFileSync(damageMark(path), "", { mode: 0o600 });
    throw error;
  }
};

/** Runs the operation in a transaction that is the only one that writes, here and in other processes. */
export const inTransaction = <T>(database: DatabaseSync, operation: () => T): T => {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = operation();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
};

/** The database with its schema; undefined when the file holds an older one, or somebody else's. */
const tryOpen = (path: string): DatabaseSync | undefined => {
  makeOwnersAlone(path);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // NORMAL: a loss of power may take back the last transactions whole; their events are then applied again.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
    // What people were found by is gone from the file when they are erased.
    database.exec("PRAGMA secure_delete = ON");
    database.exec(`PRAGMA journal_size_limit = ${MAX_IDLE_WAL_BYTES}`);
    const fits = inTransaction(database, () => {
      const version = database.prepare("PRAGMA user_version").get()?.user_version;
      if (version === SCHEMA_VERSION) return true;
      if (version === 4) database.exec(FROM_VERSION_4);
      if (version === 4) return true;
      if (Number(version) > SCHEMA_VERSION)
        throw new StoreFileError(
          "newer_version",
          `The file ${path} is of a newer version of Rubrica: update this one.`,
        );
      if (version !== 0 || database.prepare("SELECT 1 FROM sqlite_schema").get()) return false;
      database.exec(SCHEMA);
      return true;
    });
    if (fits) return database;
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
};

const unreachable = (): never => {
  throw new Error("a new database has another schema than its own");
};

const damageMark = (path: string): string => `${path}.damaged`;

/** The mark goes last: cut in between, the rest is removed at the next opening. */
const removeFiles = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`, damageMark(path)]) rmSync(file, { force: true });
};

const isDamage = (error: unknown): boolean => {
  if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) return false;
  // The lowest byte is the primary code, the rest says more of it.
  const code = error.errcode & 0xff;
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
};
