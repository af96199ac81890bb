import type { DatabaseSync } from "node:sqlite";

/** The number of the live generation of a collection, by its name and version. */
export const LIVE = "(SELECT number FROM generations WHERE collection = ? AND version = ? AND live = 1)";

/** Every statement of the store, made ready once. */
export const prepareStatements = (database: DatabaseSync) => ({
  begin: database.prepare("SAVEPOINT application"),
  undo: database.prepare("ROLLBACK TO application"),
  end: database.prepare("RELEASE application"),
  live: database.prepare(
    "SELECT number, indexes, tables, viewed, checkpoint FROM generations WHERE collection = ? AND version = ? AND live = 1",
  ),
  generation: database.prepare("SELECT live, tables, checkpoint FROM generations WHERE number = ?"),
  present: database.prepare("SELECT number FROM generations WHERE number IN (SELECT value FROM json_each(?))"),
  layout: database.prepare("SELECT indexes, tables FROM generations WHERE number = ?"),
  make: database.prepare("INSERT INTO generations (collection, version, live, indexes, tables) VALUES (?, ?, ?, ?, ?)"),
  anyViewed: database.prepare("SELECT 1 FROM generations WHERE collection = ? AND viewed = 1"),
  setViewed: database.prepare("UPDATE generations SET viewed = (number = ?) WHERE collection = ?"),
  makeLive: database.prepare("UPDATE generations SET live = 1 WHERE number = ?"),
  moveCheckpoint: database.prepare(`
    UPDATE generations SET checkpoint = :checkpoint
    WHERE number IN (SELECT value FROM json_each(:numbers)) AND (checkpoint IS NULL OR checkpoint < :checkpoint)`),
  drop: database.prepare(
    "DELETE FROM generations WHERE collection = ? AND version = ? AND live = ? RETURNING number, tables",
  ),
  dropLower: database.prepare("DELETE FROM generations WHERE collection = ? AND version < ? RETURNING number, tables"),
  anyLower: database.prepare("SELECT 1 FROM generations WHERE collection = ? AND version < ?"),
  markDropped: database.prepare("INSERT INTO dropped_generations VALUES (?, ?)"),
  anyDropped: database.prepare("SELECT number, tables FROM dropped_generations LIMIT 1"),
  forgetDropped: database.prepare("DELETE FROM dropped_generations WHERE number = ?"),
  sweepDocuments: database.prepare(
    "DELETE FROM records WHERE row IN (SELECT row FROM records WHERE generation = ? LIMIT ?)",
  ),
  sweepLookups: database.prepare(`
    DELETE FROM lookups WHERE (generation, field, value, row) IN
      (SELECT generation, field, value, row FROM lookups WHERE generation = ? LIMIT ?)`),
  load: database.prepare(`
    SELECT id, position, document FROM records
    WHERE generation = ? AND id IN (SELECT value FROM json_each(?))`),
  find: database.prepare("SELECT row, position, entries FROM records WHERE generation = ? AND id = ?"),
  insert: database.prepare("INSERT INTO records (generation, id, position, document, entries) VALUES (?, ?, ?, ?, ?)"),
  update: database.prepare("UPDATE records SET position = ?, document = ?, entries = ? WHERE row = ?"),
  removeLookup: database.prepare("DELETE FROM lookups WHERE generation = ? AND field = ? AND value = ? AND row = ?"),
  addLookup: database.prepare("INSERT INTO lookups (generation, field, value, row) VALUES (?, ?, ?, ?)"),
  remove: database.prepare("DELETE FROM records WHERE row = ?"),
  get: database.prepare(`
    SELECT id, position, document FROM records WHERE generation = ${LIVE} AND id = ? AND document IS NOT NULL`),
  count: database.prepare(`SELECT count(*) AS count FROM records WHERE generation = ${LIVE}`),
  findRange: database.prepare(`
    SELECT id, position, document FROM lookups JOIN records USING (row)
    WHERE lookups.generation = ${LIVE} AND field = ? AND value > ? AND value <= ?
    ORDER BY value, row LIMIT ?`),
  findFirst: database.prepare(`
    SELECT id, position, document FROM lookups JOIN records USING (row)
    WHERE lookups.generation = ${LIVE} AND field = ? AND value <= ?
    ORDER BY value, row LIMIT ?`),
});

export type Statements = ReturnType<typeof prepareStatements>;
