import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Position } from "@rubrica/event-store";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Table } from "../../src/analytics/field.ts";
import { int, text } from "../../src/analytics/field.ts";
import { openEmbeddedReadModelStore } from "../../src/embedded/store.ts";
import type { Collection, Generation, ReadModelStore } from "../../src/port.ts";

let folder: string;
let store: ReadModelStore;
let reader: DatabaseSync;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rubrica-tables-"));
  const path = join(folder, "read-models.sqlite");
  store = openEmbeddedReadModelStore({ path });
  reader = new DatabaseSync(path, { readOnly: true });
});
afterEach(async () => {
  reader.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const things: Table = { name: "things", about: "", one: true, fields: [text("thingId", "", "x"), int("order", "", 1)] };
const pieces: Table = {
  name: "pieces",
  about: "",
  index: ["label"],
  fields: [text("label", "", null), int("size", "", null)],
};
const heavy: Table = { name: "heavy", about: "", fields: [int("order", "", 1)], select: 'SELECT "order" FROM things' };
const collection: Collection = { name: "c", version: 1, indexes: [], tables: [things, pieces, heavy] };
const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: 0n });

/** Writes a thing and its pieces; only those that are named as changed. */
const write = async (generation: Generation, commit: number, order: number, labels: string[], changed = labels) => {
  const rows = [
    { table: "things", rows: [{ thingId: "t", order }], changed: [0] },
    {
      table: "pieces",
      rows: labels.map((label) => ({ label, size: order })),
      changed: changed.map((label) => labels.indexOf(label)),
    },
  ];
  const change = { id: "t", position: at(commit), document: { order }, rows };
  const [outcome] = await store.apply([{ generation, changes: [change] }], at(commit));
  expect(outcome?.status).toBe("fulfilled");
};
const all = (view: string) =>
  reader
    .prepare(`SELECT * FROM ${view}`)
    .all()
    .map((row) => ({ ...row }));
const stored = () => reader.prepare("SELECT name FROM sqlite_schema WHERE name GLOB '*_[0-9]*'").all().length;

test("views have the declared columns and no other, as the rows are now", async () => {
  const live = await store.liveGeneration(collection);
  expect(all("things")).toEqual([]);
  await write(live, 1, 5, ["a"]);
  await write(live, 2, 6, ["a", "b"], ["b"]);
  expect(all("things")).toEqual([{ thing_id: "t", order: 6 }]);
  expect(all("pieces")).toEqual([
    { label: "a", size: 5 },
    { label: "b", size: 6 },
  ]);
  expect(all("heavy")).toEqual([{ order: 6 }]);
});

test("a change that is passed over leaves the rows, and one that removes the document takes them", async () => {
  const live = await store.liveGeneration(collection);
  await write(live, 3, 5, ["a"]);
  await write(live, 3, 7, ["z"]);
  expect(all("pieces")).toMatchObject([{ label: "a" }]);
  await store.apply([{ generation: live, changes: [{ id: "t", position: at(4), document: null }] }], at(4));
  expect([all("things"), all("pieces")]).toEqual([[], []]);
});

test("views show a generation from the moment on that it takes the live one's place, whose tables go", async () => {
  await write(await store.liveGeneration(collection), 1, 1, ["old"]);
  const before = stored();
  const next = await store.newGeneration(collection);
  await write(next, 1, 2, ["new"]);
  expect(all("pieces")).toMatchObject([{ label: "old" }]);
  await store.swapIn(next);
  expect(all("pieces")).toMatchObject([{ label: "new" }]);
  expect(stored()).toBe(before);
});

test("a rebuild that gives its transaction up leaves the views as they were", async () => {
  await write(await store.liveGeneration(collection), 2, 1, ["old"]);
  const next = await store.newGeneration(collection);
  await write(next, 1, 2, ["behind"]);
  expect(await store.swapIn(next)).toBe(false);
  expect(all("pieces")).toMatchObject([{ label: "old" }]);
});

test("views go over to a new version once the lower one is dropped, and show the lower one until then", async () => {
  await write(await store.liveGeneration(collection), 1, 1, ["one"]);
  const raised = {
    ...collection,
    version: 2,
    tables: [things, { ...pieces, index: ["name"], fields: [text("name", "", null), int("size", "", null)] }],
  };
  const live = await store.liveGeneration(raised);
  const rows = [{ table: "pieces", rows: [{ name: "two", size: 1 }], changed: [0] }];
  const changes = [{ id: "t", position: at(1), document: {}, rows }];
  expect(await store.apply([{ generation: live, changes }], at(1))).toMatchObject([{ status: "fulfilled" }]);
  expect(all("pieces")).toMatchObject([{ label: "one" }]);
  await store.dropLowerVersions(raised);
  expect(all("pieces")).toEqual([{ name: "two", size: 1 }]);
});

test("a file of before there were tables goes on with what it has", async () => {
  const path = join(folder, "former.sqlite");
  const plain: Collection = { name: "p", version: 1, indexes: [{ field: "owner" }] };
  const first = openEmbeddedReadModelStore({ path });
  const generation = await first.liveGeneration(plain);
  await first.apply([{ generation, changes: [{ id: "1", position: at(1), document: { owner: "a" } }] }], at(1));
  await first.close();
  const database = new DatabaseSync(path);
  database.exec(`ALTER TABLE records RENAME TO documents; ALTER TABLE generations DROP COLUMN tables;
    ALTER TABLE generations DROP COLUMN viewed; ALTER TABLE dropped_generations DROP COLUMN tables;
    PRAGMA user_version = 4`);
  database.close();
  const again = openEmbeddedReadModelStore({ path });
  expect((await again.get(plain, "1"))?.document).toEqual({ owner: "a" });
  expect(await again.findRange(plain, "owner", { upTo: "a", limit: 2 })).toHaveLength(1);
  await again.liveGeneration(collection);
  await again.close();
});
