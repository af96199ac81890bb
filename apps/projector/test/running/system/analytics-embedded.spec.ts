import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { analytics, analyticTables, openEmbeddedReadModelStore, type ReadModelStore } from "@rubrica/read-models";
import { temporaryFolder } from "@rubrica/test-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rebuildProjections } from "../../../src/running/index.ts";
import { differences, funnelSums, recountedTables, viewOf } from "../lives/found.ts";
import { accountIdOf, Lives } from "../lives/lives.ts";
import { recount } from "../lives/recount.ts";
import { projections, projectWith, subscribeTo } from "../lives/running.ts";

/** `npm run test:long` asks for more. */
const DOCUMENTS = Number(process.env.RUBRICA_ANALYSED_DOCUMENTS ?? 5_000);
const SEED = 27;

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let lives: Lives;
const opened: ReadModelStore[] = [];
const open = (): ReadModelStore => {
  const store = openEmbeddedReadModelStore({ path });
  opened.push(store);
  return store;
};
beforeAll(() => {
  folder = temporaryFolder();
  path = join(folder.path, "read-models.sqlite");
  lives = new Lives(DOCUMENTS, SEED);
});
afterAll(async () => {
  for (const store of opened) await store.close();
  folder[Symbol.dispose]();
});

const found = () => {
  using reader = new DatabaseSync(path, { readOnly: true });
  return Object.fromEntries(recountedTables.map((table) => [table.name, viewOf(reader, table)]));
};

const expectRecount = async (): Promise<void> => {
  const recounted = recount(lives.events);
  expect(differences(found(), recounted)).toEqual([]);
  using reader = new DatabaseSync(path, { readOnly: true });
  const sums = funnelSums(recounted.signers);
  const columns = Object.keys(sums).map((step) => `sum(${step}) AS ${step}`);
  expect({ ...reader.prepare(`SELECT ${columns} FROM funnel`).get() }).toEqual(sums);
  const store = open();
  const groups = await store.countFunnel(analytics, {
    accountIds: [0, 1, 2, 3, 4].map(accountIdOf),
    from: "2026-01-01T00:00:00.000Z",
    before: "2027-01-01T00:00:00.000Z",
    groupBy: "day",
    timeZone: "America/Montevideo",
  });
  const counted = Object.keys(sums).map((step) => [
    step,
    groups.reduce((sum, { steps }) => sum + steps[step as keyof typeof steps].came, 0),
  ]);
  expect(Object.fromEntries(counted)).toEqual(sums);
};

test("by two projectors at once, each of which is started anew again and again", async () => {
  for (let round = 0; round < 3; round++) {
    const stores = [open(), open()];
    await Promise.all(stores.map((store, index) => projectWith(store, lives.events, { batches: 40 + 25 * index })));
    for (const store of stores) await store.close();
  }
  const stores = [open(), open()];
  await Promise.all(stores.map((store) => projectWith(store, lives.events)));
  await expectRecount();
});

test("after a tenth of them was erased", async () => {
  for (let number = 0; number < DOCUMENTS; number += 10) lives.erase(number);
  await projectWith(open(), lives.events);
  await expectRecount();
});

test("after a rebuild, in whose swap a query is under way", async () => {
  using reader = new DatabaseSync(path, { readOnly: true });
  const { name } = analyticTables.signers;
  const rows = reader.prepare(`SELECT document_id, "order" FROM "${name}"`).iterate();
  let count = 1;
  rows.next();
  const before = await open().liveGeneration(analytics);
  await rebuildProjections({
    projections,
    store: open(),
    subscribe: subscribeTo(lives.events),
    signal: new AbortController().signal,
  });
  expect(await open().liveGeneration(analytics)).not.toEqual(before);
  for (const _ of rows) count += 1;
  const requests = lives.events.filter((event) => event.type === "DocumentRequested");
  expect(count).toBe(requests.reduce((sum, { data }) => sum + data.signers.length, 0));
  await expectRecount();
});
