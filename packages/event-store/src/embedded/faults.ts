import type { DatabaseSync } from "node:sqlite";
import { ownStatements } from "./database.ts";

const MAX_TOLD = 20;
/** Rows that no read finds: their place is below 1, or their stream has no name. */
const UNSEEN = "SELECT count(*) AS rows FROM events WHERE seq < 1 OR stream_id NOT IN (SELECT id FROM streams)";

const TEXTS = `SELECT streams.name, revision, data, metadata FROM events JOIN streams ON streams.id = stream_id ORDER BY seq`;

/** Whether a text is as events are written: without blanks, and no key twice. */
const isAsWritten = (text: unknown): boolean => {
  try {
    return JSON.stringify(JSON.parse(String(text))) === text;
  } catch {
    // Text that is no JSON is reported by whoever reads the event.
    return true;
  }
};

/** Events whose stored text holds more than reads return: a key that stands twice, or blanks. */
const rewritten = (db: DatabaseSync): string[] => {
  const told: string[] = [];
  for (const { name, revision, data, metadata } of db.prepare(TEXTS).iterate()) {
    if (isAsWritten(data) && isAsWritten(metadata)) continue;
    told.push(
      `${name} at revision ${revision} is written otherwise than it reads: a key stands twice in it, or blanks.`,
    );
    if (told.length === MAX_TOLD) break;
  }
  return told;
};

/** What it is made of, but for what SQLite makes itself: it alone can give an index no statement, and none a trigger. */
const MADE_OF = `
  SELECT type, name, sql FROM sqlite_schema
  WHERE NOT (type = 'index' AND sql IS NULL OR type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
  ORDER BY name`;

/**
 * What would change what is written, or what reads give: a trigger or a view, an index or a table that refuses events, or
 * takes a name twice, so that who reads a stream finds less of it than who reads the log.
 */
const foreign = (db: DatabaseSync): string[] => {
  const own = ownStatements();
  return db
    .prepare(MADE_OF)
    .all()
    .filter(({ sql }) => !own.has(String(sql)))
    .slice(0, MAX_TOLD)
    .map(
      ({ type, name }) =>
        `It has ${type === "index" ? "an" : "a"} ${type} that the service did not make: ${JSON.stringify(name)}.`,
    );
};

/** What is wrong with the file beside its events: indexes that lack rows, rows that some reads pass over, and what no read gives. */
export const faultsOf = (db: DatabaseSync): string[] => {
  const told = db
    .prepare(`PRAGMA integrity_check(${MAX_TOLD})`)
    .all()
    .map((row) => String(row.integrity_check));
  const unseen = Number(db.prepare(UNSEEN).get()?.rows);
  return [
    ...told.filter((line) => line !== "ok").map((line) => `SQLite says: ${line}.`),
    ...foreign(db),
    ...(unseen > 0 ? [`${unseen} events stand where nobody who reads the log comes by.`] : []),
    ...rewritten(db),
  ];
};
