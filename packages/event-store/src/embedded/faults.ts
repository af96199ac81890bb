import type { DatabaseSync } from "node:sqlite";

const MAX_TOLD = 20;
/** Places begin at 1; what has no stream's name is of none. */
const UNSEEN = "SELECT count(*) AS rows FROM events WHERE seq < 1 OR stream_id NOT IN (SELECT id FROM streams)";

/** What is wrong with the file beside its events: indexes that lack rows, and rows that some reads pass over. */
export const faultsOf = (db: DatabaseSync): string[] => {
  const told = db
    .prepare(`PRAGMA integrity_check(${MAX_TOLD})`)
    .all()
    .map((row) => String(row.integrity_check));
  const unseen = Number(db.prepare(UNSEEN).get()?.rows);
  return [
    ...told.filter((line) => line !== "ok").map((line) => `SQLite says: ${line}.`),
    ...(unseen > 0 ? [`${unseen} events stand where nobody who reads the log comes by.`] : []),
  ];
};
