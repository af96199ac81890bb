import type { DatabaseSync } from "node:sqlite";

const LIVE = "(SELECT number FROM generations WHERE collection = ? AND live = 1)";

/** Every statement of the store, made ready once. */
export const prepareStatements = (database: DatabaseSync) => ({
  begin: database.prepare("SAVEPOINT application"),
  undo: database.prepare("ROLLBACK TO application"),
  end: database.prepare("RELEASE application"),
  live: database.prepare("SELECT number, indexes, checkpoint FROM generations WHERE collection = ? AND live = 1"),
  generation: database.prepare("SELECT live, indexes, checkpoint FROM generations WHERE number = ?"),
  make: database.prepare("INSERT INTO generations (collection, live, indexes) VALUES (?, ?, ?)"),
  makeLive: database.prepare("UPDATE generations SET live = 1 WHERE number = ?"),
  moveCheckpoint: database.prepare("UPDATE generations SET checkpoint = ? WHERE number = ?"),
  markDropped: database.prepare(
    "INSERT INTO dropped_generations SELECT number FROM generations WHERE collection = ? AND live = ?",
  ),
  drop: database.prepare("DELETE FROM generations WHERE collection = ? AND live = ?"),
  anyDropped: database.prepare("SELECT number FROM dropped_generations LIMIT 1"),
  forgetDropped: database.prepare("DELETE FROM dropped_generations WHERE number = ?"),
  sweepDocuments: database.prepare(
    "DELETE FROM documents WHERE row IN (SELECT row FROM documents WHERE generation = ? LIMIT ?)",
  ),
  sweepLookups: database.prepare(`
    DELETE FROM lookups WHERE (generation, field, value, position, row) IN
      (SELECT generation, field, value, position, row FROM lookups WHERE generation = ? LIMIT ?)`),
  load: database.prepare(`
    SELECT id, position, document FROM documents
    WHERE generation = ? AND id IN (SELECT value FROM json_each(?))`),
  find: database.prepare("SELECT row, position, entries FROM documents WHERE generation = ? AND id = ?"),
  insert: database.prepare(
    "INSERT INTO documents (generation, id, position, document, entries) VALUES (?, ?, ?, ?, ?)",
  ),
  update: database.prepare("UPDATE documents SET position = ?, document = ?, entries = ? WHERE row = ?"),
  removeLookup: database.prepare(
    "DELETE FROM lookups WHERE generation = ? AND field = ? AND value = ? AND position = ? AND row = ?",
  ),
  addLookup: database.prepare(
    "INSERT INTO lookups (generation, field, value, position, row, plain) VALUES (?, ?, ?, ?, ?, ?)",
  ),
  get: database.prepare(`
    SELECT id, position, document FROM documents WHERE generation = ${LIVE} AND id = ? AND document IS NOT NULL`),
  findBy: database.prepare(`
    SELECT id, documents.position, document FROM lookups JOIN documents USING (row)
    WHERE lookups.generation = ${LIVE} AND field = ? AND value = ?
    ORDER BY lookups.position DESC, lookups.row DESC LIMIT ?`),
  findUpTo: database.prepare(`
    SELECT id, documents.position, document FROM lookups JOIN documents USING (row)
    WHERE lookups.generation = ${LIVE} AND field = ? AND value <= ? AND plain = 1
    ORDER BY value, lookups.position, lookups.row LIMIT ?`),
});
