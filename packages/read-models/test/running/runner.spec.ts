import type { Position } from "@rubrica/event-store";
import { ManualClock } from "@rubrica/runtime/testing";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openEmbeddedReadModelStore } from "../../src/embedded/store.ts";
import type { ReadModelDocument, ReadModelStore } from "../../src/port.ts";
import type { Projection } from "../../src/projection.ts";
import { ProjectionError } from "../../src/running/fold.ts";
import { createProjectionRunner, type ProjectionRunnerOptions } from "../../src/running/runner.ts";
import { at, type Counted, counters, EventLine, expectedCounters, storedCounters, storeWith, total } from "./given.ts";

let store: ReadModelStore;
let line: EventLine;
let clock: ManualClock;
let errors: unknown[];
let ending: AbortController;
let runs: Promise<void>[];
beforeEach(() => {
  store = openEmbeddedReadModelStore({ path: ":memory:" });
  line = new EventLine();
  clock = new ManualClock();
  errors = [];
  ending = new AbortController();
  runs = [];
});
afterEach(async () => {
  ending.abort();
  await Promise.all(runs);
  await store.close();
});

const runnerOf = (
  projections: readonly Projection<ReadModelDocument, Counted>[],
  options: Partial<ProjectionRunnerOptions<Counted>> = {},
) => {
  const runner = createProjectionRunner({
    projections,
    store,
    subscribe: line.subscribe,
    clock,
    onError: (error) => errors.push(error),
    ...options,
  });
  const run = (signal = ending.signal): Promise<void> => {
    const running = runner.run(signal);
    runs.push(running);
    return running;
  };
  return { ...runner, run };
};

/** Lets everything that is ready run, until the condition holds. */
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise(setImmediate);
};

/** Runs the projections up to the head, then ends. */
const runToHead = async (projections: readonly Projection<ReadModelDocument, Counted>[]): Promise<void> => {
  const stopping = new AbortController();
  const runner = runnerOf(projections);
  const running = runner.run(stopping.signal);
  await runner.caughtUp;
  stopping.abort();
  await running;
};

describe("applying", () => {
  test("a replay folds every event into its document, for each projection", async () => {
    line.append("a", 1, 2, 3, 4);
    line.append("b", 5);
    line.append("a", 6);
    const runner = runnerOf([counters(), total()]);
    runner.run();
    await runner.caughtUp;
    expect(await store.get("counters", "a")).toEqual({
      id: "a",
      position: at(6),
      document: { sum: 16, amounts: [1, 2, 3, 4, 6] },
    });
    expect((await store.get("counters", "b"))?.document).toEqual({ sum: 5, amounts: [5] });
    expect((await store.get("total", "all"))?.document).toEqual({ events: 6 });
    expect(runner.position()).toEqual(at(6));
  });

  test("events that come later are applied as they come", async () => {
    const runner = runnerOf([counters()]);
    runner.run();
    await runner.caughtUp;
    expect(runner.position()).toBeUndefined();
    line.append("a", 1);
    expect(await runner.waitFor(at(1), 1)).toBe(true);
    line.append("a", 2);
    expect(await runner.waitFor(at(2), 1)).toBe(true);
    expect((await store.get("counters", "a"))?.document).toEqual({ sum: 3, amounts: [1, 2] });
  });

  test("a removed document is begun anew by later events", async () => {
    line.append("a", 1, 0, 0, 5);
    line.append("b", 0);
    await runToHead([counters()]);
    expect((await store.get("counters", "a"))?.document).toEqual({ sum: 5, amounts: [5] });
    expect(await store.get("counters", "b")).toBeUndefined();
  });

  test("an event may touch several documents, and none", async () => {
    const pairs: Projection<{ events: number }, Counted> = {
      ...total("pairs"),
      keysOf: ({ counter }) => (counter === "none" ? [] : [`${counter}/1`, `${counter}/2`]),
    };
    line.append("a", 1, 1);
    line.append("none", 1);
    await runToHead([pairs]);
    const documents = await Promise.all(["a/1", "a/2", "none/1"].map((id) => store.get("pairs", id)));
    expect(documents.map((stored) => stored?.document)).toEqual([{ events: 2 }, { events: 2 }, undefined]);
    expect(await store.checkpoint(await store.liveGeneration("pairs", []))).toEqual(at(3));
  });

  test("a batch is one write for each projection, with each document once", async () => {
    const writes: string[][] = [];
    const apply: ReadModelStore["apply"] = async (generation, changes, checkpoint) => {
      writes.push([generation.collection, ...changes.map(({ id }) => id)]);
      await store.apply(generation, changes, checkpoint);
    };
    line.batchSize = 10;
    line.append("a", 1, 2, 3);
    line.append("b", 4);
    const runner = runnerOf([counters(), total()], { store: storeWith(store, { apply }) });
    runner.run();
    await runner.caughtUp;
    expect(writes).toEqual([
      ["counters", "a", "b"],
      ["total", "all"],
    ]);
  });

  test("a document that was just written is not read again", async () => {
    const loads: (readonly string[])[] = [];
    const load: ReadModelStore["load"] = (generation, ids) => {
      loads.push(ids);
      return store.load(generation, ids);
    };
    line.batchSize = 1;
    line.append("a", 1, 2, 3);
    line.append("b", 4);
    const runner = runnerOf([counters()], { store: storeWith(store, { load }) });
    runner.run();
    await runner.caughtUp;
    expect(loads).toEqual([["a"], ["b"]]);
  });

  test("an aborted runner ends once the batch in flight is applied", async () => {
    const door = Promise.withResolvers<void>();
    line.append("a", 1, 2, 3, 4);
    let arrived = false;
    const runner = runnerOf([counters()], {
      beforeApply: () => {
        arrived = true;
        return door.promise;
      },
    });
    const running = runner.run();
    await until(() => arrived);
    ending.abort();
    door.resolve();
    await running;
    expect(runner.position()).toEqual(at(3));
    expect((await store.get("counters", "a"))?.position).toEqual(at(3));
  });
});

describe("restarting", () => {
  test("a restart goes on after the checkpoint and changes nothing of what there is", async () => {
    line.append("a", 1, 2, 3, 4);
    await runToHead([counters(), total()]);
    line.append("a", 5);
    await runToHead([counters(), total()]);
    expect(line.starts).toEqual([undefined, at(4)]);
    expect((await store.get("total", "all"))?.document).toEqual({ events: 5 });
    expect(await storedCounters(store, line.events)).toEqual(expectedCounters(line.events));
  });

  test("a projection that is new starts at the first event, the others pass over what they have", async () => {
    line.append("a", 1, 2, 3, 4);
    await runToHead([total()]);
    line.append("a", 5);
    await runToHead([total(), counters()]);
    expect(line.starts).toEqual([undefined, undefined]);
    expect((await store.get("total", "all"))?.document).toEqual({ events: 5 });
    expect(await storedCounters(store, line.events)).toEqual(expectedCounters(line.events));
  });

  test("an answer that got lost, a write that did not happen: each event still counts once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(3)), { maxLength: 30 }),
        fc.array(fc.constantFrom("fine", "not written", "written", "half written"), { maxLength: 12 }),
        fc.integer({ min: 1, max: 7 }),
        async (happened, faults, batchSize) => {
          const kept = openEmbeddedReadModelStore({ path: ":memory:" });
          const events = new EventLine(batchSize);
          for (const [counter, amount] of happened) events.append(counter, amount);
          const left = [...faults];
          const apply: ReadModelStore["apply"] = async (generation, changes, checkpoint) => {
            const fault = left.shift() ?? "fine";
            // As an engine without transactions over several documents may leave it: some changes, no checkpoint.
            if (fault === "half written") {
              const before = (await kept.checkpoint(generation)) ?? at(0);
              await kept.apply(generation, changes.slice(0, Math.ceil(changes.length / 2)), before);
            }
            if (fault === "fine" || fault === "written") await kept.apply(generation, changes, checkpoint);
            if (fault !== "fine") throw new Error(fault);
          };
          const stopping = new AbortController();
          const impatient = { ...clock, now: () => 0, monotonicMs: () => 0, wait: () => Promise.resolve() };
          const runner = runnerOf([counters(), total()], {
            store: storeWith(kept, { apply }),
            subscribe: events.subscribe,
            clock: impatient,
          });
          const running = runner.run(stopping.signal);
          await runner.caughtUp;
          stopping.abort();
          await running;
          expect(await storedCounters(kept, events.events)).toEqual(expectedCounters(events.events));
          const all = await kept.get<{ events: number }>("total", "all");
          expect(all?.document.events ?? 0).toBe(happened.length);
          await kept.close();
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("failing", () => {
  /** A counter that throws at an amount until it is mended. */
  const faulty = (amount: number) => {
    const projection = { ...counters("faulty"), mended: false };
    return Object.assign(projection, {
      project: (...[document, event, id]: Parameters<typeof projection.project>) => {
        if (event.amount === amount && !projection.mended) throw new Error("cannot");
        return counters().project(document, event, id);
      },
    });
  };

  test("a projection that throws stops at the event, is reported, and goes on when it can", async () => {
    const projection = faulty(5);
    line.append("a", 1, 2, 3, 4, 5, 6);
    const runner = runnerOf([projection]);
    runner.run();
    await until(() => errors.length === 1);
    expect(errors[0]).toBeInstanceOf(ProjectionError);
    expect((errors[0] as ProjectionError).projection).toBe("faulty");
    expect(runner.position()).toEqual(at(3));
    expect(await storedCounters(store, line.events, "faulty")).toEqual(new Map([["a", [1, 2, 3]]]));

    clock.advance(100);
    await until(() => errors.length === 2);
    clock.advance(100);
    await new Promise(setImmediate);
    expect(errors).toHaveLength(2);
    projection.mended = true;
    clock.advance(100);
    await runner.caughtUp;
    expect(await storedCounters(store, line.events, "faulty")).toEqual(expectedCounters(line.events));
  });

  test("retries come less and less often, at last every 10 s", async () => {
    line.append("a", 1);
    const runner = runnerOf([faulty(1)]);
    runner.run();
    for (const pauseMs of [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      const before = errors.length;
      await until(() => errors.length > before || before > 0);
      const seen = errors.length;
      clock.advance(pauseMs - 1);
      await new Promise(setImmediate);
      expect(errors).toHaveLength(seen);
      clock.advance(1);
      await until(() => errors.length === seen + 1);
    }
    expect(runner.position()).toBeUndefined();
  });

  test("a subscription that throws or ends is begun again after the checkpoint", async () => {
    line.append("a", 1, 2, 3, 4);
    let subscriptions = 0;
    const runner = runnerOf([counters()], {
      subscribe: async function* (after: Position | undefined, signal: AbortSignal) {
        subscriptions++;
        for await (const batch of line.subscribe(after, signal)) {
          yield batch;
          if (subscriptions === 1) throw new Error("connection lost");
          if (subscriptions === 2) return;
        }
      },
    });
    runner.run();
    await until(() => errors.length === 1);
    clock.advance(100);
    await until(() => errors.length === 2);
    line.append("a", 5);
    clock.advance(100);
    expect(await runner.waitFor(at(5), 1)).toBe(true);
    expect(line.starts).toEqual([undefined, at(3), at(4)]);
    expect(await storedCounters(store, line.events)).toEqual(expectedCounters(line.events));
  });
});

describe("waiting", () => {
  test("whoever waits for a position is woken when every projection is there", async () => {
    const door = Promise.withResolvers<void>();
    line.append("a", 1);
    const apply: ReadModelStore["apply"] = async (generation, changes, checkpoint) => {
      if (generation.collection === "total") await door.promise;
      await store.apply(generation, changes, checkpoint);
    };
    const runner = runnerOf([counters(), total()], { store: storeWith(store, { apply }) });
    runner.run();
    let woken = false;
    const waiting = runner.waitFor(at(1), 1_000).then((reached) => {
      woken = reached;
    });
    while (!(await store.get("counters", "a"))) await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(woken).toBe(false);
    door.resolve();
    await waiting;
    expect(woken).toBe(true);
    expect((await store.get("total", "all"))?.document).toEqual({ events: 1 });
  });

  test("a wait ends with false when its time is over, and with true at once when it is there", async () => {
    line.append("a", 1);
    const runner = runnerOf([counters()]);
    const waiting = runner.waitFor(at(1), 2_000);
    clock.advance(2_000);
    expect(await waiting).toBe(false);
    runner.run();
    await runner.caughtUp;
    expect(await runner.waitFor(at(1), 0)).toBe(true);
    expect(await runner.waitFor(at(0), 0)).toBe(true);
  });

  test("a runner that is held up lets no reader through too early", async () => {
    const door = Promise.withResolvers<void>();
    line.append("a", 1);
    const runner = runnerOf([counters()], { beforeApply: () => door.promise });
    runner.run();
    const waiting = runner.waitFor(at(1), 2_000);
    await new Promise(setImmediate);
    expect(await store.get("counters", "a")).toBeUndefined();
    door.resolve();
    expect(await waiting).toBe(true);
    expect(await store.get("counters", "a")).toBeDefined();
  });

  test("what was written is told of, once, by those that wrote it", async () => {
    const told: [string, { id: string; document: unknown }[]][] = [];
    const onChanged: ProjectionRunnerOptions<Counted>["onChanged"] = (projection, changes) =>
      told.push([projection, changes.map(({ id, document }) => ({ id, document }))]);
    line.batchSize = 10;
    line.append("a", 1, 2);
    await runToHead([counters()]);
    const runner = runnerOf([counters(), total()], { onChanged });
    line.append("b", 5);
    line.append("a", 0);
    runner.run();
    await runner.caughtUp;
    expect(told).toEqual([
      [
        "counters",
        [
          { id: "b", document: { sum: 5, amounts: [5] } },
          { id: "a", document: null },
        ],
      ],
      ["total", [{ id: "all", document: { events: 4 } }]],
    ]);
  });
});
