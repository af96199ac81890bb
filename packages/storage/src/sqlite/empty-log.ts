import type { DatabaseSync } from "node:sqlite";

/**
 * Moves the log into the database file and empties it: with `secure_delete`, what was deleted is then in neither.
 * @param timeoutMs how long other statements wait for another process's lock; this one does not wait
 * @throws {Error} while somebody else reads: it is to be done again.
 */
export const emptyLog = (database: DatabaseSync, timeoutMs: number): void => {
  database.exec("PRAGMA busy_timeout = 0");
  try {
    const emptied = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (emptied?.busy !== 0) throw new Error("what was deleted is still in a log that another process reads");
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
};
