import type { DatabaseSync } from "node:sqlite";
import { yieldToOthers } from "@rubrica/runtime";
import type { KnownEnd, KnownLog } from "./known-log.ts";

/** Read, or written, in one iteration of the event loop: some milliseconds. */
const ROWS_A_TURN = 500;

/** Its tables, beside those of the keys. */
export const KNOWN_LOG_SCHEMA = `
  CREATE TABLE IF NOT EXISTS known_head (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    head TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS known_ends (
    stream TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`;

const endOf = (row: Record<string, unknown>): KnownEnd => ({
  stream: String(row.stream),
  revision: BigInt(Number(row.revision)),
  hash: String(row.hash),
});

/**
 * What is known of the log in the SQLite file of the keys. Not synced by itself: with the power go notes that the next head
 * makes again.
 */
export const embeddedKnownLog = (database: DatabaseSync): KnownLog => {
  const head = database.prepare("SELECT head FROM known_head");
  const noteHead = database.prepare("INSERT OR REPLACE INTO known_head (number, head) VALUES (1, ?)");
  const removeHead = database.prepare("DELETE FROM known_head");
  const end = database.prepare("SELECT stream, revision, hash FROM known_ends WHERE stream = ?");
  const endsAfter = database.prepare(
    `SELECT stream, revision, hash FROM known_ends WHERE stream > ? ORDER BY stream LIMIT ${ROWS_A_TURN}`,
  );
  const noteEnd = database.prepare("INSERT OR REPLACE INTO known_ends (stream, revision, hash) VALUES (?, ?, ?)");
  const removeEnd = database.prepare("DELETE FROM known_ends WHERE stream = ?");
  const inTransaction = (write: () => void): void => {
    database.exec("BEGIN IMMEDIATE");
    try {
      write();
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  };
  return {
    async head() {
      const found = head.get()?.head;
      return found === undefined ? undefined : String(found);
    },
    async note(newest, ends) {
      for (let from = 0; from < ends.length; from += ROWS_A_TURN) {
        inTransaction(() => {
          for (const { stream, revision, hash } of ends.slice(from, from + ROWS_A_TURN))
            noteEnd.run(stream, Number(revision), hash);
        });
        await yieldToOthers();
      }
      noteHead.run(newest);
    },
    async end(stream) {
      const row = end.get(stream);
      return row && endOf(row);
    },
    async *ends() {
      for (let page = endsAfter.all(""); page.length > 0; page = endsAfter.all(String(page.at(-1)?.stream))) {
        for (const row of page) yield endOf(row);
        await yieldToOthers();
      }
    },
    async remove(streams) {
      inTransaction(() => {
        removeHead.run();
        for (const stream of streams) removeEnd.run(stream);
      });
    },
  };
};
