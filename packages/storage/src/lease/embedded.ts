import type { DatabaseSync } from "node:sqlite";
import { openSqlite } from "../sqlite/open.ts";
import type { LeaseRecord, LeaseStore } from "./port.ts";

const BUSY_TIMEOUT_MS = 5_000;
const VERSION = 1;
const SET_UP = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS leases (
    name TEXT PRIMARY KEY,
    holder TEXT,
    epoch INTEGER NOT NULL,
    beat INTEGER NOT NULL
  ) STRICT;
  PRAGMA user_version = ${VERSION};`;

/**
 * A lease that is kept in an SQLite file (`path`, or ":memory:", for who shares it with nobody). Several processes may use
 * the file at once, each with a store of its own.
 * @throws {StoreFileError} when the file can't be used.
 */
export const openEmbeddedLeaseStore = ({ path, name }: { path: string; name: string }): LeaseStore => {
  const whenDamaged = "remove it: it only says which process works";
  const database = openSqlite(path, { timeoutMs: BUSY_TIMEOUT_MS, version: VERSION, setUp: SET_UP, whenDamaged });
  const statements = prepare(database);
  return {
    async read() {
      return statements.read.get(name) as LeaseRecord | undefined;
    },
    async replace(seen, { holder, epoch, beat }) {
      const { changes } = seen
        ? statements.update.run(holder, epoch, beat, name, seen.epoch, seen.beat)
        : statements.insert.run(name, holder, epoch, beat);
      return changes === 1;
    },
    async close() {
      if (database.isOpen) database.close();
    },
  };
};

const prepare = (database: DatabaseSync) => ({
  read: database.prepare("SELECT holder, epoch, beat FROM leases WHERE name = ?"),
  update: database.prepare(
    "UPDATE leases SET holder = ?, epoch = ?, beat = ? WHERE name = ? AND epoch = ? AND beat = ?",
  ),
  insert: database.prepare("INSERT INTO leases VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"),
});
