import type { DatabaseSync } from "node:sqlite";
import { type Clock, yieldToOthers } from "@rubrica/runtime";
import type { FoundLine, LineRow, Lines } from "./lines.ts";
import { KeyDestroyedError } from "./port.ts";

/** Read in one iteration of the event loop: a millisecond of work. */
const PAGE_ROWS = 500;

/**
 * One row an owner of a line. Rows are only ever appended, and one that is taken away is overwritten in its place, as keys
 * are: a copy of an index entry that stays in a page's unused part then leads to a row that says nothing.
 */
export const LINES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS lines (
    number INTEGER PRIMARY KEY,
    lookup TEXT,
    line TEXT,
    owner TEXT,
    since INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS lines_by_lookup ON lines (lookup, number);
  CREATE INDEX IF NOT EXISTS lines_by_owner ON lines (owner);
  CREATE TABLE IF NOT EXISTS lines_adopted (number INTEGER PRIMARY KEY CHECK (number = 1)) STRICT`;

/** What becomes of a row that is taken away. */
const OVERWRITTEN = "SET lookup = NULL, line = NULL, owner = NULL, since = 0";

/** Lines in the SQLite file of the keys. */
export interface EmbeddedLines extends Lines {
  /** Takes every line from an owner, within the transaction that destroys their key. */
  takeAll(owner: string): void;
}

/** @param write commits what is written, and has it durable when it resolves. It must not throw. */
export const embeddedLines = (
  database: DatabaseSync,
  clock: Clock,
  write: (statements: () => void) => Promise<void>,
): EmbeddedLines => {
  const first = database.prepare("SELECT line, owner, since FROM lines WHERE lookup = ? ORDER BY number LIMIT 1");
  const give = database.prepare(`
    INSERT INTO lines (lookup, line, owner, since)
    SELECT $lookup, coalesce((SELECT line FROM lines WHERE lookup = $lookup LIMIT 1), $otherwise), $owner, $since
    WHERE NOT EXISTS (SELECT 1 FROM keys WHERE owner = $owner AND destroyed = 1)`);
  const renew = database.prepare("UPDATE lines SET since = $since WHERE owner = $owner AND lookup = $lookup");
  const given = database.prepare("SELECT line FROM lines WHERE owner = ? AND lookup = ?");
  const lookupsOf = database.prepare("SELECT lookup FROM lines WHERE owner = ?");
  const take = database.prepare(`UPDATE lines ${OVERWRITTEN}
    WHERE owner = $owner AND lookup = $lookup AND since = coalesce($since, since)`);
  const takeAll = database.prepare(`UPDATE lines ${OVERWRITTEN} WHERE owner = ?`);
  const adopted = database.prepare("SELECT number FROM lines_adopted");
  const noteAdopted = database.prepare("INSERT OR IGNORE INTO lines_adopted (number) VALUES (1)");
  const page = database.prepare(`
    SELECT number, lookup, line, owner, since FROM lines WHERE number > ? AND lookup IS NOT NULL
    ORDER BY number LIMIT ${PAGE_ROWS}`);
  return {
    async find(lookup) {
      const row = first.get(lookup);
      return row && found(row);
    },
    async give(lookup, owner, otherwise) {
      const row = { $lookup: lookup, $owner: owner, $since: clock.now() };
      await write(() => {
        if (renew.run(row).changes === 0) give.run({ ...row, $otherwise: otherwise });
      });
      const line = given.get(owner, lookup)?.line;
      if (line === undefined) throw new KeyDestroyedError();
      return String(line);
    },
    lookupsOf: async (owner) => lookupsOf.all(owner).map(({ lookup }) => String(lookup)),
    async take(lookup, owner, sinceMs) {
      take.run({ $lookup: lookup, $owner: owner, $since: sinceMs ?? null });
    },
    takeAll: (owner) => void takeAll.run(owner),
    areAdopted: async () => adopted.get() !== undefined,
    noteAdopted: async () => void noteAdopted.run(),
    async *rows() {
      for (let rows = page.all(0); rows.length > 0; rows = page.all(Number(rows.at(-1)?.number))) {
        for (const row of rows) yield { lookup: String(row.lookup), ...found(row) } satisfies LineRow;
        await yieldToOthers();
      }
    },
  };
};

const found = ({ line, owner, since }: Record<string, unknown>): FoundLine => ({
  line: String(line),
  owner: String(owner),
  sinceMs: Number(since),
});
