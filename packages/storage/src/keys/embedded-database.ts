import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { IN_MEMORY, openSqlite } from "../sqlite/open.ts";
import { KNOWN_LOG_SCHEMA } from "./embedded-known-log.ts";
import { LINES_SCHEMA } from "./embedded-lines.ts";

/** How long a statement waits for another process's transaction, in milliseconds; those take few. */
export const BUSY_TIMEOUT_MS = 5_000;
/** A file with a later version than this is refused. */
const SCHEMA_VERSION = 0;

/**
 * Rows are only ever appended, and a key is destroyed by overwriting it in its place with as many zeros: SQLite then
 * moves no key between pages, so that no forgotten copy of one stays in a page's unused part (secure_delete wipes what
 * a page gives up, not what a split leaves behind).
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS keys (
    number INTEGER PRIMARY KEY,
    owner TEXT NOT NULL UNIQUE,
    destroyed INTEGER NOT NULL DEFAULT 0,
    wrapped BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS erasures_done (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    up_to TEXT NOT NULL
  ) STRICT;
  ${LINES_SCHEMA};
  ${KNOWN_LOG_SCHEMA}`;

// NORMAL: a commit is not synced, with everybody waiting; see `WriteAheadLog`. What moves the log into the file syncs both.
const SET_UP = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA temp_store = MEMORY;
  ${SCHEMA}`;

/** Opens the file, made when it is not there. @throws {StoreFileError} */
export const openDatabase = (path: string): DatabaseSync => {
  if (path !== IN_MEMORY) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSqlite(path, {
    timeoutMs: BUSY_TIMEOUT_MS,
    version: SCHEMA_VERSION,
    setUp: SET_UP,
    whenDamaged: "restore the data folder from a backup",
  });
};

/** The statements of the store. */
export const prepare = (database: DatabaseSync) => ({
  find: database.prepare("SELECT destroyed, wrapped FROM keys WHERE owner = ?"),
  findMany: database.prepare(
    "SELECT owner, wrapped FROM keys WHERE owner IN (SELECT value FROM json_each(?)) AND destroyed = 0",
  ),
  create: database.prepare("INSERT INTO keys (owner, wrapped) VALUES (?, ?) ON CONFLICT (owner) DO NOTHING"),
  destroy: database.prepare(`
    INSERT INTO keys (owner, destroyed, wrapped) VALUES (?, 1, ?)
    ON CONFLICT (owner) DO UPDATE SET destroyed = 1, wrapped = excluded.wrapped`),
  firstRows: database.prepare("SELECT owner, destroyed, wrapped FROM keys ORDER BY owner LIMIT ?"),
  nextRows: database.prepare("SELECT owner, destroyed, wrapped FROM keys WHERE owner > ? ORDER BY owner LIMIT ?"),
  newest: database.prepare("SELECT owner, wrapped FROM keys WHERE destroyed = 0 ORDER BY number DESC LIMIT ?"),
  erasuresDone: database.prepare("SELECT up_to FROM erasures_done"),
  noteErasuresDone: database.prepare("INSERT OR REPLACE INTO erasures_done (number, up_to) VALUES (1, ?)"),
  dataVersion: database.prepare("PRAGMA data_version"),
});
