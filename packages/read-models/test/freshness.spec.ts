import type { Position } from "@rubrica/event-store";
import { ManualClock } from "@rubrica/runtime/testing";
import { beforeEach, expect, test } from "vitest";
import { type Collection, createFreshness } from "../src/index.ts";

const projection: Collection = { name: "c", version: 2, indexes: [] };
const other: Collection = { name: "other", version: 1, indexes: [] };

const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) });

let clock: ManualClock;
let checkpoints: Map<string, Position | Error>;
let looks: string[];
let freshness: ReturnType<typeof createFreshness>;
beforeEach(() => {
  clock = new ManualClock();
  checkpoints = new Map();
  looks = [];
  const checkpointOf = async ({ name, version }: Collection) => {
    looks.push(`${name}/${version}`);
    const checkpoint = checkpoints.get(name);
    if (checkpoint instanceof Error) throw checkpoint;
    return checkpoint;
  };
  freshness = createFreshness({ readModels: { checkpointOf }, clock });
});

/** Lets everything that is ready run. */
const settle = () => new Promise(setImmediate);

/** Lets time pass, a millisecond at a time. */
const pass = async (durationMs: number): Promise<void> => {
  for (let ms = 0; ms < durationMs; ms++) {
    clock.advance(1);
    await settle();
  }
};

/** A wait, and what it came to so far. */
const waiting = (collection: Collection, position: Position, timeoutMs = 2_000) => {
  const state = { outcome: undefined as boolean | Error | undefined };
  freshness.waitFor(collection, position, timeoutMs).then(
    (reached) => {
      state.outcome = reached;
    },
    (error) => {
      state.outcome = error;
    },
  );
  return state;
};

test("what is there already costs one small read", async () => {
  checkpoints.set("c", at(5));
  expect(await freshness.waitFor(projection, at(5), 2_000)).toBe(true);
  expect(await freshness.waitFor(projection, at(3), 0)).toBe(true);
  expect(await freshness.waitFor(projection, at(6), 0)).toBe(false);
  expect(looks).toEqual(["c/2", "c/2", "c/2"]);
});

test("a wait ends soon after another process has come to the position, and asks for its own projection alone", async () => {
  checkpoints.set("other", at(9));
  const wait = waiting(projection, at(5));
  await pass(20);
  checkpoints.set("c", at(4));
  await pass(20);
  expect(wait.outcome).toBeUndefined();
  checkpoints.set("c", at(5));
  await pass(50);
  expect(wait.outcome).toBe(true);
  expect(new Set(looks)).toEqual(new Set(["c/2"]));
});

test("a wait ends with false when its time is over", async () => {
  const wait = waiting(projection, at(1), 100);
  await settle();
  await pass(99);
  expect(wait.outcome).toBeUndefined();
  await pass(1);
  expect(wait.outcome).toBe(false);
});

test("looks become rare, however many wait, and end with the last who waits", async () => {
  const waits = Array.from({ length: 100 }, () => waiting(projection, at(1)));
  await settle();
  looks.length = 0;
  await pass(1_000);
  expect(looks.length).toBeLessThan(40);
  looks.length = 0;
  await pass(1_000);
  expect(looks.length).toBeLessThan(25);
  expect(waits.every(({ outcome }) => outcome === false)).toBe(true);
  looks.length = 0;
  await pass(1_000);
  expect(looks).toEqual([]);
});

test("whoever is told that something was written looks at once, also when told during a look", async () => {
  const wait = waiting(projection, at(2));
  await pass(500);
  checkpoints.set("c", at(1));
  freshness.lookNow();
  checkpoints.set("c", at(2));
  freshness.lookNow();
  await settle();
  expect(wait.outcome).toBe(true);
});

test("whoever comes later than others is not kept waiting for their next look", async () => {
  const first = waiting(projection, at(9));
  await pass(500);
  const second = waiting(projection, at(1));
  await settle();
  checkpoints.set("c", at(1));
  await pass(5);
  expect([first.outcome, second.outcome]).toEqual([undefined, true]);
});

test("projections are waited for apart", async () => {
  const waits = [waiting(projection, at(1)), waiting(other, at(1))];
  await pass(5);
  checkpoints.set("other", at(1));
  await pass(50);
  expect(waits.map(({ outcome }) => outcome)).toEqual([undefined, true]);
});

test("a store that fails is told to whoever waits, and the next wait looks again", async () => {
  const wait = waiting(projection, at(1));
  await pass(5);
  checkpoints.set("c", new Error("gone"));
  await pass(50);
  expect(wait.outcome).toEqual(new Error("gone"));
  checkpoints.set("c", at(1));
  expect(await freshness.waitFor(projection, at(1), 2_000)).toBe(true);
});

test("who waited in vain is told how long it takes, by how far it went since the first who waited", async () => {
  const left = () => freshness.leftMs(projection, at(100));
  expect(await freshness.waitFor(projection, at(100), 0)).toBe(false);
  clock.advance(2_000);
  expect(await left()).toBeUndefined();
  checkpoints.set("c", at(20));
  expect(await left()).toBe(8_000);
  clock.advance(2_000);
  checkpoints.set("c", at(80));
  expect(await left()).toBe(1_000);
  checkpoints.set("c", at(100));
  expect(await left()).toBe(0);
  // What it did before is forgotten.
  expect(await freshness.leftMs(projection, at(200))).toBeUndefined();
});
