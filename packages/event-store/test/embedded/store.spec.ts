import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { rewriteEvent } from "@rubrica/test-kit/damage";
import { expect, test } from "vitest";
import { eventStoreContract } from "../contract.ts";
import { openAt, temporaryFolder } from "../helpers/embedded.ts";
import { collect, idsOf, someEvents } from "../helpers/events.ts";

eventStoreContract(
  "embedded, in memory",
  async (streamPrefixes) => {
    const store = openAt(":memory:", streamPrefixes);
    return { store, dispose: () => store.close() };
  },
  { outlivesClosing: false },
);

const onDisk = async (streamPrefixes: readonly string[] | undefined, cachesEnds: boolean) => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  const open = () => openAt(path, streamPrefixes, { cachesEnds });
  let store = open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = open();
      return store;
    },
    damage: async (stream: string, revision: bigint, part: "data" | "metadata") => {
      rewriteEvent(path, stream, Number(revision), (row) => ({ [part]: row[part].slice(0, -1) }));
    },
    dispose: async () => {
      await store.close();
      folder.remove();
    },
  };
};
eventStoreContract("embedded, on disk", (streamPrefixes) => onDisk(streamPrefixes, false));
eventStoreContract("embedded, on disk, with ends kept in memory", (streamPrefixes) => onDisk(streamPrefixes, true));

test("an event that stands under another category than its stream's is damaged: whoever follows its own misses it", async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  const store = openAt(path);
  await store.append("account-a", "no_stream", someEvents(2));
  const database = new DatabaseSync(path);
  database.exec("DROP TRIGGER events_are_final; UPDATE events SET category = 'bulk-' WHERE revision = 1");
  database.close();
  const damages = (await collect(store.readAll())).map(({ damage }) => damage);
  expect(damages).toEqual([undefined, "it stands under another category than its stream's"]);
  await store.close();
  folder.remove();
});

test("a key that stands twice in an event, of which reads give the last, is a fault of the store", async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  const store = openAt(path);
  const events = someEvents(2);
  await store.append("account-a", "no_stream", events);
  const database = new DatabaseSync(path);
  database.exec(
    `DROP TRIGGER events_are_final; UPDATE events SET data = '{"n":9,' || substr(data, 2) WHERE revision = 1`,
  );
  database.close();
  expect((await collect(store.readAll())).map(({ data }) => data)).toEqual(events.map(({ data }) => data));
  expect(await store.faults?.()).toEqual([
    "account-a at revision 1 is written otherwise than it reads: a key stands twice in it, or blanks.",
  ]);
  await store.close();
  folder.remove();
});

test("an event that stands where nobody comes by who reads the log is in no stream either, and is a fault of the store", async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  const store = openAt(path);
  const events = someEvents(2);
  await store.append("account-a", "no_stream", events);
  expect(await store.faults?.()).toEqual([]);
  const database = new DatabaseSync(path);
  database.exec(`INSERT INTO events SELECT -5, stream_id, 2, category, 'x', type, data, metadata FROM events LIMIT 1`);
  database.close();
  expect(idsOf(await collect(store.readAll()))).toEqual(idsOf(events));
  expect(idsOf(await collect(store.readStream("account-a")))).toEqual(idsOf(events));
  expect(await store.streamEnd("account-a")).toMatchObject({ revision: 1n });
  expect(await store.faults?.()).toEqual(["1 events stand where nobody who reads the log comes by."]);
  await store.close();
  folder.remove();
});

test("a table or an index that the service did not make is a fault of the store: streams could end twice", async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  const store = openAt(path);
  await store.append("account-a", "no_stream", someEvents(2));
  await store.close();
  const database = new DatabaseSync(path);
  // Whoever reads the log finds one stream, and whoever reads the stream its first event alone.
  database.exec(`DROP TRIGGER events_are_final; CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    INSERT INTO names SELECT id, name FROM streams; INSERT INTO names SELECT 77, name FROM streams;
    DROP TABLE streams; ALTER TABLE names RENAME TO streams; UPDATE events SET stream_id = 77 WHERE revision = 1;
    CREATE UNIQUE INDEX refusing ON events (type) WHERE type = 'Third'; ANALYZE`);
  database.close();
  const tampered = openAt(path);
  expect(await collect(tampered.readAll())).toHaveLength(2);
  expect(await collect(tampered.readStream("account-a"))).toHaveLength(1);
  expect(await tampered.faults?.()).toEqual([
    'It has an index that the service did not make: "refusing".',
    'It has a table that the service did not make: "streams".',
  ]);
  await tampered.close();
  folder.remove();
});

test("so is one that is called as what SQLite makes itself", async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  const store = openAt(path);
  await store.append("account-a", "no_stream", someEvents(1));
  const database = new DatabaseSync(path, { defensive: false });
  const less = "CREATE TRIGGER sqlite_less AFTER INSERT ON events BEGIN DELETE FROM events WHERE seq = new.seq; END";
  database.exec("PRAGMA writable_schema = ON");
  database.prepare("INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_less', 'events', 0, ?)").run(less);
  database.close();
  const tampered = openAt(path);
  expect(await tampered.faults?.()).toEqual(['It has a trigger that the service did not make: "sqlite_less".']);
  await tampered.close();
  await store.close();
  folder.remove();
});

test("a trigger that takes away what is written is a fault of the store", async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.sqlite");
  const store = openAt(path);
  await store.append("account-a", "no_stream", someEvents(1));
  const database = new DatabaseSync(path);
  database.exec(`DROP TRIGGER events_stay; CREATE VIEW more AS SELECT 1;
    DROP TRIGGER events_are_final; CREATE TRIGGER events_are_final AFTER INSERT ON events BEGIN SELECT 1; END;
    CREATE TRIGGER less AFTER INSERT ON events WHEN new.revision > 0 BEGIN DELETE FROM events WHERE seq = new.seq; END`);
  database.close();
  expect(await store.faults?.()).toEqual([
    'It has a trigger that the service did not make: "events_are_final".',
    'It has a trigger that the service did not make: "less".',
    'It has a view that the service did not make: "more".',
  ]);
  await store.close();
  folder.remove();
});
