import {
  type DocumentChange,
  openEmbeddedReadModelStore,
  type Projection,
  type ReadModelStore,
} from "@rubrica/read-models";
import { ManualClock } from "@rubrica/runtime/testing";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createProjectionRunner } from "../../../src/running/runner.ts";
import { at, type Counted, EventLine } from "../given.ts";

/** What is in each shop: an amount above zero brings an article of that number, one below takes it, zero closes the shop. */
const shops: Projection<{ name: string; articles: number[] }, Counted> = {
  name: "shops",
  version: 1,
  indexes: [{ field: "key" }],
  keysOf: ({ counter }) => [counter],
  project: (shop, { counter, amount }) => {
    if (amount === 0) return null;
    const others = (shop?.articles ?? []).filter((article) => article !== Math.abs(amount));
    return { name: counter, articles: amount > 0 ? [...others, amount] : others };
  },
  partsOf: ({ name, articles }) =>
    articles.map((article) => ({ id: `${name}/${article}`, document: { key: `${name}/${article}` } })),
};

const expectedKeys = (events: readonly Counted[]): string[] => {
  const all = new Map<string, { name: string; articles: number[] } | null>();
  for (const event of events)
    all.set(event.counter, shops.project(all.get(event.counter) ?? null, event, event.counter));
  return [...all.values()].flatMap((shop) => (shop ? (shops.partsOf?.(shop) ?? []).map(({ id }) => id) : [])).sort();
};

/** Runs the projection to the end, in a runner of its own, and gives what it told of. */
const runToEnd = async (
  store: ReadModelStore,
  line: EventLine,
  projection: Projection<{ name: string; articles: number[] }, Counted> = shops,
): Promise<DocumentChange[]> => {
  const ending = new AbortController();
  const told: DocumentChange[] = [];
  const runner = createProjectionRunner<Counted>({
    projections: [projection],
    store,
    subscribe: line.subscribe,
    clock: new ManualClock(),
    onStopped: (error) => {
      throw error;
    },
    onChanged: (_projection, changes) => told.push(...changes),
  });
  const running = runner.run(ending.signal);
  await runner.caughtUp();
  ending.abort();
  await running;
  return told;
};

const keysIn = async (store: ReadModelStore): Promise<unknown[]> =>
  (await store.findRange(shops, "key", { upTo: "~", limit: 1_000 })).map(({ document }) => document.key).sort();

test("whatever happens, in whatever batches and lives: the parts that are kept are those of the documents", async () => {
  const event = fc.record({ shop: fc.constantFrom("a", "b"), amount: fc.integer({ min: -3, max: 3 }) });
  const lives = fc.array(
    fc.record({ events: fc.array(event, { maxLength: 8 }), batchSize: fc.integer({ min: 1, max: 4 }) }),
    {
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(lives, async (all) => {
      const store = openEmbeddedReadModelStore({ path: ":memory:" });
      const line = new EventLine();
      for (const { events, batchSize } of all) {
        for (const { shop, amount } of events) line.append(shop, amount);
        line.batchSize = batchSize;
        await runToEnd(store, line);
        expect(await keysIn(store)).toEqual(expectedKeys(line.events));
      }
      await store.close();
    }),
    { numRuns: 100 },
  );
});

test("only parts that changed are written, and told of", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const line = new EventLine(1);
  line.append("a", 1, 2, -1);
  const told = await runToEnd(store, line);
  expect(told.map(({ parts }) => parts)).toEqual([
    [{ id: "a/1", document: { key: "a/1" } }],
    [{ id: "a/2", document: { key: "a/2" } }],
    [{ id: "a/1", document: null }],
  ]);
  expect(told.at(-1)?.position).toEqual(at(3));
  await store.close();
});

test("of a sparse projection, what an event leaves as it was is neither written nor told of", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const line = new EventLine(2);
  // Articles above 1 are none of its.
  const project: typeof shops.project = (shop, event, id) =>
    shop && event.amount > 1 ? shop : shops.project(shop, event, id);
  line.append("a", 1, 2, 3, 4, -1);
  const told = await runToEnd(store, line, { ...shops, sparse: true, project });
  expect(told.map(({ position }) => position)).toEqual([at(1), at(5)]);
  expect(await store.checkpointOf(shops)).toEqual(at(5));
  await store.close();
});

test("of a projection whose documents follow from their last event, none is loaded", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const load = vi.spyOn(store, "load");
  const line = new EventLine(1);
  const named: Projection<{ name: string; articles: number[] }, Counted> = {
    name: "named",
    version: 1,
    indexes: [],
    keysOf: ({ counter }) => [counter],
    project: (_before, { counter, amount }) => ({ name: counter, articles: [amount] }),
  };
  const loaded = () => load.mock.calls.filter(([, ids]) => ids.some((id) => /^[ab]$/.test(id)));
  line.append("a", 1, 2);
  await runToEnd(store, line, { ...named, fromLastEvent: true });
  line.append("a", 3);
  line.append("b", 4);
  await runToEnd(store, line, { ...named, fromLastEvent: true });
  expect(loaded()).toEqual([]);
  expect((await store.get(named, "a"))?.document.articles).toEqual([3]);
  expect((await store.get(named, "b"))?.document.articles).toEqual([4]);
  line.append("b", 5);
  await runToEnd(store, line, named);
  expect(loaded()).toHaveLength(1);
  await store.close();
});
