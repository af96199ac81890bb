import { createLogger } from "@rubrica/http";
import type { Collection, Projection, ReadModelStore } from "@rubrica/read-models";
import { openEmbeddedReadModelStore } from "@rubrica/read-models";
import { testRuntime } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { holderName, lackedBy, openFilling } from "../src/filling.ts";
import { reached, storeWith } from "./running/given.ts";

const of = (name: string, version: number): Collection => ({ name, version, indexes: [] });
const position = { commit: 1n, prepare: 1n };

test("who waits fills the versions that the holder does not name, higher or lower", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const holder = holderName("019aa5c0", [of("documents", 3), of("analytics", 1)]);
  const lacking = (...collections: Collection[]) => lackedBy(holder, collections, store);
  expect(await lacking(of("documents", 3), of("analytics", 1))).toEqual([]);
  const others = [of("documents", 30), of("documents", 2), of("quarantine", 1)];
  expect(await lacking(...others, of("analytics", 1))).toEqual(others);
  await store.close();
});

test("of a holder that names none, it fills those that nobody began, and those of which a lower version is there", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const begin = async (collection: Collection) =>
    store.apply([{ generation: await store.liveGeneration(collection), changes: [] }], position);
  for (const collection of [of("documents", 3), of("analytics", 1), of("analytics", 2)]) await begin(collection);
  const wanted = [of("documents", 3), of("analytics", 2), of("webhooks", 1)];
  expect(await lackedBy("019aa5c0", wanted, store)).toEqual(wanted.slice(1));
  await store.close();
});

/** A projector that waits, on events of which there is one; and what it subscribed to so far. */
const waiting = (readModels: ReadModelStore, projections: readonly Projection[]) => {
  const subscriptions: AbortSignal[] = [];
  const subscribe = async function* ({ signal }: { signal: AbortSignal }) {
    subscriptions.push(signal);
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    yield { events: [], unreadable: [], position, caughtUp: true };
    await aborted;
  };
  const runtime = testRuntime();
  const engines = { readModels, journal: { subscribe }, freshness: { lookNow: () => {} } };
  const logger = createLogger({ clock: runtime.clock, level: "silent" });
  const lease = {
    isHeld: () => true,
    run: (work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => work(signal),
  };
  const filling = openFilling({ runtime, engines, logger } as never, projections, () => lease);
  return { filling, running: () => subscriptions.filter(({ aborted }) => !aborted).length, subscriptions };
};

const projection = (name: string, version: number): Projection => ({
  ...of(name, version),
  keysOf: () => [],
  project: (document) => document,
});

test("it fills for one holder after the other what that lacks, and leaves lower versions as they are", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const lower = await store.liveGeneration(of("documents", 1));
  const { filling, running, subscriptions } = waiting(store, [projection("documents", 2), projection("analytics", 1)]);
  const former = holderName("former", [of("documents", 1), of("analytics", 1)]);
  for (let look = 0; look < 3; look++) filling.whileHeldBy(former);
  await reached(store, position, [of("documents", 2)]);
  filling.whileHeldBy(former);
  expect([running(), subscriptions.length]).toEqual([1, 1]);
  expect(await store.liveGeneration(of("documents", 1))).toEqual(lower);
  expect(await store.checkpointOf(of("analytics", 1))).toBeUndefined();

  filling.whileHeldBy(holderName("another", [of("documents", 2)]));
  await reached(store, position, [of("analytics", 1)]);
  expect([running(), subscriptions.length]).toEqual([1, 2]);
  await filling.end();
  expect(running()).toBe(0);
  await store.close();
});

test("what could not be looked at is looked at again when the holder is told of again", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  let looks = 0;
  const hasLowerVersions: ReadModelStore["hasLowerVersions"] = async () => {
    looks += 1;
    if (looks === 1) throw new Error("away");
    return true;
  };
  await store.apply([{ generation: await store.liveGeneration(of("documents", 2)), changes: [] }], position);
  const { filling, running } = waiting(storeWith(store, { hasLowerVersions }), [projection("documents", 2)]);
  while (running() === 0) {
    filling.whileHeldBy("019aa5c0");
    await new Promise(setImmediate);
  }
  expect(looks).toBe(2);
  await filling.end();
  await store.close();
});
