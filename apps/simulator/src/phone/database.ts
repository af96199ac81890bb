import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { emptyLog, openSqlite } from "@rubrica/storage/sqlite";

const BUSY_TIMEOUT_MS = 5_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS messages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    phone TEXT NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    delivered INTEGER NOT NULL,
    read INTEGER NOT NULL DEFAULT 0,
    content BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS messages_by_phone ON messages (phone, number);
  CREATE TABLE IF NOT EXISTS service_ids (
    message_id TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    service_id TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS service_ids_by_service_id ON service_ids (service_id);
  CREATE TABLE IF NOT EXISTS replies (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    answer TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (message_id, answer)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS unreachable_phones (phone TEXT PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS notices (
    number INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    notice TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS notices_by_due_time ON notices (due_at, number);
  CREATE INDEX IF NOT EXISTS notices_by_message ON notices (message_id)`;

export type Row = Record<string, unknown>;

/** The simulator's SQLite file, with its tables. Statements are prepared once. */
export class PhoneDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** @param path a file, or ":memory:". @throws {StoreFileError} when the file can't be used. */
  constructor(path: string) {
    this.#database = openSqlite(path, {
      timeoutMs: BUSY_TIMEOUT_MS,
      version: 0,
      // A killed process loses nothing; after a power cut a simulated phone may forget, which costs nobody a message.
      setUp: `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
        PRAGMA secure_delete = ON; ${SCHEMA}`,
      whenDamaged: "restore it from a backup, or remove it, and with it what was simulated",
    });
  }

  close(): void {
    this.#database.close();
  }

  /** Sees to it that what was deleted is not in the file's log either. @throws {Error} while another process reads. */
  wipeDeleted(): void {
    emptyLog(this.#database, BUSY_TIMEOUT_MS);
  }

  /** Does the work in one transaction. */
  atomically(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  all(sql: string, values: readonly SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  run(sql: string, values: readonly SQLInputValue[]) {
    return this.#prepared(sql).run(...values);
  }

  #prepared(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
