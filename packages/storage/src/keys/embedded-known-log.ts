import type { DatabaseSync } from "node:sqlite";
import { yieldToOthers } from "@rubrica/runtime";
import type { KnownEnd, KnownHead, KnownLog } from "./known-log.ts";

/** Read, or written, in one iteration of the event loop: some milliseconds. */
const ROWS_A_TURN = 500;

interface Tables {
  head: string;
  ends: string;
}

const NEWEST: Tables = { head: "known_head", ends: "known_ends" };
const FIRST: Tables = { head: "known_first_head", ends: "known_first_ends" };
const FORMER: Tables = { head: "known_former_head", ends: "known_former_ends" };

const schemaOf = ({ head, ends }: Tables): string => `
  CREATE TABLE IF NOT EXISTS ${head} (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    head TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS ${ends} (
    stream TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`;

/** Its tables, beside those of the keys. */
export const KNOWN_LOG_SCHEMA = [NEWEST, FIRST, FORMER].map(schemaOf).join(";");

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
  const removeHead = database.prepare(`DELETE FROM ${NEWEST.head}`);
  const removeEnd = database.prepare(`DELETE FROM ${NEWEST.ends} WHERE stream = ?`);
  return {
    ...knownHead(database, NEWEST),
    first: knownHead(database, FIRST),
    former: knownHead(database, FORMER),
    async remove(streams) {
      inTransaction(database, () => {
        removeHead.run();
        for (const stream of streams) removeEnd.run(stream);
      });
    },
  };
};

const inTransaction = (database: DatabaseSync, write: () => void): void => {
  database.exec("BEGIN IMMEDIATE");
  try {
    write();
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
};

const knownHead = (database: DatabaseSync, tables: Tables): KnownHead => {
  const head = database.prepare(`SELECT head FROM ${tables.head}`);
  const noteHead = database.prepare(`INSERT OR REPLACE INTO ${tables.head} (number, head) VALUES (1, ?)`);
  const end = database.prepare(`SELECT stream, revision, hash FROM ${tables.ends} WHERE stream = ?`);
  const endsAfter = database.prepare(
    `SELECT stream, revision, hash FROM ${tables.ends} WHERE stream > ? ORDER BY stream LIMIT ${ROWS_A_TURN}`,
  );
  const noteEnd = database.prepare(`INSERT OR REPLACE INTO ${tables.ends} (stream, revision, hash) VALUES (?, ?, ?)`);
  return {
    async head() {
      const found = head.get()?.head;
      return found === undefined ? undefined : String(found);
    },
    async note(newest, ends) {
      for (let from = 0; from < ends.length; from += ROWS_A_TURN) {
        inTransaction(database, () => {
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
  };
};
