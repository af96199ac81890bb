import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { IN_MEMORY, makeOwnersAlone } from "@rubrica/storage/sqlite";
import { EventStoreFailedError, explained, isBusy } from "./errors.ts";

export { IN_MEMORY };

/** Marks the file as ours (`PRAGMA application_id`): "RbEv". */
const APPLICATION_ID = 0x52_62_45_76;
const SCHEMA_VERSION = 1;

const OPEN_ATTEMPTS = 20;
const OPEN_ATTEMPT_MS = 50;
const MAX_IDLE_WAL_BYTES = 64 * 1024 * 1024;

/**
 * How long a statement may hold up this thread for a lock. Longer waits are made off the thread, by the caller.
 */
const BUSY_TIMEOUT_MS = 50;

const TRIGGERS: readonly string[] = [
  "CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END",
  "CREATE TRIGGER events_are_final BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END",
];

// Streams are numbered, so that those active at a time share index pages: a third of the bytes that text keys cost.
// Rows are never deleted, so a plain rowid never repeats and grows with each commit.
const SCHEMA = `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    category TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (stream_id, revision)
  ) STRICT;
  CREATE INDEX events_by_category ON events (category, seq);
  ${TRIGGERS.map((trigger) => `${trigger};`).join("\n  ")}
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** The statements that make a file of this version, as SQLite tells them of it. */
export const ownStatements = (): ReadonlySet<string> => {
  const db = new DatabaseSync(IN_MEMORY);
  try {
    db.exec(SCHEMA);
    return new Set(
      db
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
        .all()
        .map(({ sql }) => String(sql)),
    );
  } finally {
    db.close();
  }
};

/** The first column of a statement's first row, as a number. */
const numberFrom = (db: DatabaseSync, sql: string): number => {
  const [value] = Object.values(db.prepare(sql).get() ?? {});
  return Number(value);
};

const checkOwnership = (db: DatabaseSync, path: string): "ours" | "empty" => {
  const applicationId = numberFrom(db, "PRAGMA application_id");
  const version = numberFrom(db, "PRAGMA user_version");
  if (applicationId === APPLICATION_ID) {
    if (version === SCHEMA_VERSION) return "ours";
    throw new EventStoreFailedError(
      "newer_version",
      `The file ${path} is of a newer version of Rubrica: update this one.`,
    );
  }
  if (applicationId === 0 && numberFrom(db, "SELECT count(*) FROM sqlite_schema") === 0) return "empty";
  throw new EventStoreFailedError(
    "not_an_event_store",
    `The file ${path} is a database, but not an event store: set DATA_DIR to another folder.`,
  );
};

const inTransaction = <T>(db: DatabaseSync, begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): T => {
  db.exec(begin);
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
};

// SQLite doesn't wait for the lock by itself when two processes turn a new file to WAL at once.
const insist = (work: () => void): void => {
  for (let attempt = 1; ; attempt++) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === OPEN_ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_ATTEMPT_MS);
    }
  }
};

const configure = (db: DatabaseSync, path: string): void => {
  // Looked at in one transaction: another process may be making the file at this moment. A foreign one stays as it is.
  const found = inTransaction(db, "BEGIN", () => checkOwnership(db, path));
  // WAL with FULL: each commit is synced before it is visible or answered (https://www.sqlite.org/wal.html).
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  db.exec(`PRAGMA journal_size_limit = ${MAX_IDLE_WAL_BYTES}; PRAGMA trusted_schema = OFF`);
  if (found === "ours") return;
  inTransaction(db, "BEGIN IMMEDIATE", () => {
    if (checkOwnership(db, path) === "empty") db.exec(SCHEMA);
  });
};

/**
 * Opens the store's file, makes it when there is none, and sees to it that commits are durable.
 * @throws {EventStoreFailedError} when the directory is missing, or the file is foreign, newer, damaged or locked.
 */
export const openDatabase = (path: string): DatabaseSync => {
  const file = path === IN_MEMORY ? path : resolve(path);
  if (file !== IN_MEMORY && !existsSync(dirname(file))) {
    throw new EventStoreFailedError("directory_missing", `The folder of the file ${file} does not exist.`);
  }
  return explained(file, () => {
    makeOwnersAlone(file);
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      insist(() => configure(db, file));
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
};
