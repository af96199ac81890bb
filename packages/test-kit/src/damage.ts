import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** An event as a row of `events.sqlite`: what of it a test may spoil. */
export interface EventRow {
  id: string;
  type: string;
  /** JSON: `{data, personal}`. */
  data: string;
  /** JSON. */
  metadata: string;
}

const onFile = <T>(path: string, work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    database.exec("BEGIN IMMEDIATE");
    const result = work(database);
    database.exec("COMMIT");
    return result;
  } finally {
    database.close();
  }
};

/** Does what the file's own triggers forbid, as damage does. */
const unguarded = (database: DatabaseSync, work: () => void): void => {
  const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  work();
  for (const { sql } of triggers) database.exec(String(sql));
};

const PLACE = "stream_id = (SELECT id FROM streams WHERE name = ?) AND revision = ?";

/**
 * Rewrites an event behind the back of whoever has the event store's file (`path`) open. Gives the row as it was, with
 * which doing it again mends it.
 */
export const rewriteEvent = (
  path: string,
  stream: string,
  revision: number,
  change: (row: EventRow) => Partial<EventRow>,
): EventRow =>
  onFile(path, (database) => {
    const row = database.prepare(`SELECT id, type, data, metadata FROM events WHERE ${PLACE}`).get(stream, revision);
    if (!row) throw new Error(`${stream} has no event of revision ${revision}`);
    const before = { ...row } as unknown as EventRow;
    const { id, type, data, metadata } = { ...before, ...change(before) };
    unguarded(database, () => {
      const update = `UPDATE events SET id = ?, type = ?, data = ?, metadata = ? WHERE ${PLACE}`;
      database.prepare(update).run(id, type, data, metadata, stream, revision);
    });
    return before;
  });

/** Removes all events after a place from an event store's file (`path`), behind the back of whoever has it open. */
export const dropEventsAfter = (path: string, place: number): void =>
  onFile(path, (database) =>
    unguarded(database, () => {
      database.prepare("DELETE FROM events WHERE seq > ?").run(place);
      database.exec("DELETE FROM streams WHERE id NOT IN (SELECT stream_id FROM events)");
    }),
  );

/** Flips a bit of an owner's wrapped key in the key store of a data folder; doing it again mends it. */
export const spoilKey = (dataDir: string, owner: string): void =>
  onFile(join(dataDir, "keys.sqlite"), (database) => {
    const row = database.prepare("SELECT wrapped FROM keys WHERE owner = ?").get(owner);
    if (!row) throw new Error("the owner has no key");
    const wrapped = Buffer.from(row.wrapped as Uint8Array);
    wrapped.writeUInt8(wrapped.readUInt8(20) ^ 1, 20);
    database.prepare("UPDATE keys SET wrapped = ? WHERE owner = ?").run(wrapped, owner);
  });
