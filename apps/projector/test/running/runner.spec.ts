import type { Position } from "@rubrica/event-store";
import {
  type GenerationChanges,
  IndexesChangedError,
  openEmbeddedReadModelStore,
  type Projection,
  type ReadModelDocument,
  type ReadModelStore,
} from "@rubrica/read-models";
import { ManualClock } from "@rubrica/runtime/testing";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ProjectionError } from "../../src/running/projection-pass.ts";
import { createProjectionRunner, type ProjectionRunnerOptions } from "../../src/running/runner.ts";
import {
  at,
  type Counted,
  counters,
  EventLine,
  expectedCounters,
  reached,
  storedCounters,
  storeWith,
  total,
} from "./given.ts";

let store: ReadModelStore;
let line: EventLine;
let clock: ManualClock;
let stops: { error: unknown; projections: readonly string[] }[];
let resumptions: (readonly string[])[];
let ending: AbortController;
let runs: Promise<void>[];
beforeEach(() => {
  store = openEmbeddedReadModelStore({ path: ":memory:" });
  line = new EventLine();
  clock = new ManualClock();
  stops = [];
  resumptions = [];
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
    onStopped: (error, stopped) => stops.push({ error, projections: stopped }),
    onResumed: (resumed) => resumptions.push(resumed),
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

/** Runs the projections up to the end, then ends. */
const runToEnd = async (projections: readonly Projection<ReadModelDocument, Counted>[]): Promise<void> => {
  const stopping = new AbortController();
  const runner = runnerOf(projections);
  const running = runner.run(stopping.signal);
  await runner.caughtUp();
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
    await runner.caughtUp();
    expect(await store.get(counters(), "a")).toEqual({
      id: "a",
      position: at(6),
      document: { sum: 16, amounts: [1, 2, 3, 4, 6] },
    });
    expect((await store.get(counters(), "b"))?.document).toEqual({ sum: 5, amounts: [5] });
    expect((await store.get(total(), "all"))?.document).toEqual({ events: 6 });
    expect(await store.checkpointOf(total())).toEqual(at(6));
  });

  test("events that come later are applied as they come", async () => {
    const runner = runnerOf([counters()]);
    runner.run();
    await runner.caughtUp();
    expect(await store.checkpointOf(counters())).toBeUndefined();
    line.append("a", 1);
    await reached(store, at(1), [counters()]);
    line.append("a", 2);
    await reached(store, at(2), [counters()]);
    expect((await store.get(counters(), "a"))?.document).toEqual({ sum: 3, amounts: [1, 2] });
  });

  test("a removed document is begun anew by later events", async () => {
    line.append("a", 1, 0, 0, 5);
    line.append("b", 0);
    await runToEnd([counters()]);
    expect((await store.get(counters(), "a"))?.document).toEqual({ sum: 5, amounts: [5] });
    expect(await store.get(counters(), "b")).toBeUndefined();
  });

  test("an event may touch several documents, and none", async () => {
    const pairs: Projection<{ events: number }, Counted> = {
      ...total("pairs"),
      keysOf: ({ counter }) => (counter === "none" ? [] : [`${counter}/1`, `${counter}/2`]),
    };
    line.append("a", 1, 1);
    line.append("none", 1);
    await runToEnd([pairs]);
    const documents = await Promise.all(["a/1", "a/2", "none/1"].map((id) => store.get(pairs, id)));
    expect(documents.map((stored) => stored?.document)).toEqual([{ events: 2 }, { events: 2 }, undefined]);
    expect(await store.checkpoint(await store.liveGeneration(pairs))).toEqual(at(3));
  });

  test("a batch is one write for all projections, with each document once", async () => {
    const writes: string[][][] = [];
    const apply: ReadModelStore["apply"] = (batch, checkpoint) => {
      writes.push(batch.map(({ generation, changes }) => [generation.collection, ...changes.map(({ id }) => id)]));
      return store.apply(batch, checkpoint);
    };
    line.batchSize = 10;
    line.append("a", 1, 2, 3);
    line.append("b", 4);
    const runner = runnerOf([counters(), total()], { store: storeWith(store, { apply }) });
    runner.run();
    await runner.caughtUp();
    expect(writes).toEqual([
      [
        ["counters", "a", "b"],
        ["total", "all"],
      ],
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
    await runner.caughtUp();
    expect(loads).toEqual([["$set-aside"], ["a"], ["b"]]);
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
    expect(await store.checkpointOf(counters())).toEqual(at(3));
    expect((await store.get(counters(), "a"))?.position).toEqual(at(3));
  });
});

describe("restarting", () => {
  test("a restart goes on after the checkpoint and changes nothing of what there is", async () => {
    line.append("a", 1, 2, 3, 4);
    await runToEnd([counters(), total()]);
    line.append("a", 5);
    await runToEnd([counters(), total()]);
    expect(line.starts).toEqual([undefined, at(4)]);
    expect((await store.get(total(), "all"))?.document).toEqual({ events: 5 });
    expect(await storedCounters(store, line.events)).toEqual(expectedCounters(line.events));
  });

  test("a projection that is new, or of a new version, starts at the first event, and keeps no other back", async () => {
    line.append("a", 1, 2, 3, 4);
    await runToEnd([counters(), total()]);
    line.append("a", 5);
    const door = Promise.withResolvers<void>();
    const raised = { ...counters(), version: 2 };
    const load: ReadModelStore["load"] = async (generation, ids) => {
      if (generation.version === 2) await door.promise;
      return store.load(generation, ids);
    };
    const runner = runnerOf([raised, total()], { store: storeWith(store, { load }) });
    runner.run();
    await runner.caughtUp([total()]);
    expect((await store.get(total(), "all"))?.document).toEqual({ events: 5 });
    expect(await store.checkpointOf(raised)).toBeUndefined();
    expect((await store.get(counters(), "a"))?.position).toEqual(at(4));
    door.resolve();
    await runner.caughtUp();
    expect(line.starts).toEqual([undefined, at(4), undefined]);
    expect(await storedCounters(store, line.events, raised)).toEqual(expectedCounters(line.events));
  });

  test("what a lower version kept is dropped once the new one has caught up, and an older service begins anew", async () => {
    line.append("a", 1, 2, 3, 4);
    await runToEnd([counters()]);
    const raised = { ...counters(), version: 2 };
    await runToEnd([raised]);
    expect(await store.checkpointOf(counters())).toBeUndefined();
    await runToEnd([counters()]);
    expect(await storedCounters(store, line.events)).toEqual(expectedCounters(line.events));
    expect(await storedCounters(store, line.events, raised)).toEqual(expectedCounters(line.events));
  });

  test("a projection whose indexes are not those of its version is stopped, and no other", async () => {
    line.append("a", 1);
    await runToEnd([counters()]);
    const runner = runnerOf([{ ...counters(), indexes: [] }, total()]);
    runner.run();
    await runner.caughtUp([total()]);
    expect(stops).toEqual([{ error: expect.any(IndexesChangedError), projections: ["counters"] }]);
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
          const write = async (one: GenerationChanges, checkpoint: Position): Promise<void> => {
            const fault = left.shift() ?? "fine";
            const { generation, changes } = one;
            // As an engine without transactions over several documents may leave it: some changes, no checkpoint.
            if (fault === "half written") {
              const before = (await kept.checkpoint(generation)) ?? at(0);
              await kept.apply([{ generation, changes: changes.slice(0, Math.ceil(changes.length / 2)) }], before);
            }
            if (fault === "fine" || fault === "written") await kept.apply([one], checkpoint);
            if (fault !== "fine") throw new Error(fault);
          };
          const apply: ReadModelStore["apply"] = (batch, checkpoint) =>
            Promise.allSettled(batch.map((one) => write(one, checkpoint)));
          const stopping = new AbortController();
          const impatient = { ...clock, now: () => 0, monotonicMs: () => 0, wait: () => Promise.resolve() };
          const runner = runnerOf([counters(), total()], {
            store: storeWith(kept, { apply }),
            subscribe: events.subscribe,
            clock: impatient,
          });
          const running = runner.run(stopping.signal);
          await runner.caughtUp();
          stopping.abort();
          await running;
          expect(await storedCounters(kept, events.events)).toEqual(expectedCounters(events.events));
          const all = await kept.get(total(), "all");
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
  const faulty = (amount: number, name = "faulty") => {
    const projection = { ...counters(name), mended: false, tries: 0 };
    return Object.assign(projection, {
      project: (...[document, event, id]: Parameters<typeof projection.project>) => {
        if (event.amount === amount && !projection.mended) {
          projection.tries += 1;
          throw new Error("cannot");
        }
        return counters().project(document, event, id);
      },
    });
  };

  test("a projection that throws stops at the event, alone, is told of once, and goes on when it can", async () => {
    const projection = faulty(5);
    line.append("a", 1, 2, 3, 4, 5, 6);
    const runner = runnerOf([projection, counters(), total()]);
    runner.run();
    await runner.caughtUp([counters(), total()]);
    line.append("b", 7);
    await reached(store, at(7));
    expect(stops).toEqual([{ error: new ProjectionError("faulty", new Error("cannot")), projections: ["faulty"] }]);
    expect(runner.stopped()).toEqual(new Map([["faulty", "its code fails at an event"]]));
    expect(await store.checkpointOf(projection)).toEqual(at(3));
    expect(await storedCounters(store, line.events, projection)).toEqual(new Map([["a", [1, 2, 3]]]));
    expect(await storedCounters(store, line.events)).toEqual(expectedCounters(line.events));

    clock.advance(100);
    await until(() => projection.tries === 2);
    expect([stops.length, resumptions]).toEqual([1, []]);
    projection.mended = true;
    clock.advance(200);
    await runner.caughtUp();
    expect(resumptions).toEqual([["faulty"]]);
    expect(runner.stopped()).toEqual(new Map());
    expect(await storedCounters(store, line.events, projection)).toEqual(expectedCounters(line.events));
  });

  test("a projection that has caught up goes with the others again, by one subscription", async () => {
    const projection = faulty(2);
    line.append("a", 1, 2);
    const runner = runnerOf([projection, total()]);
    runner.run();
    await runner.caughtUp([total()]);
    await until(() => stops.length === 1);
    projection.mended = true;
    line.append("a", 3);
    clock.advance(100);
    await runner.caughtUp();
    const writes: string[][] = [];
    const apply = store.apply.bind(store);
    store.apply = (batch, checkpoint) => {
      writes.push(batch.map(({ generation }) => generation.collection).sort());
      return apply(batch, checkpoint);
    };
    line.append("a", 4);
    await reached(store, at(4), [projection, total()]);
    // They come together at the first batch that both have nothing left to read after.
    line.append("a", 5);
    await reached(store, at(5), [projection, total()]);
    expect(writes.at(-1)).toEqual(["faulty", "total"]);
    expect(await storedCounters(store, line.events, projection)).toEqual(expectedCounters(line.events));
    expect((await store.get(total(), "all"))?.document).toEqual({ events: 5 });
  });

  test("several that fail at once each have a way of their own", async () => {
    const [one, other] = [faulty(2, "one"), faulty(2, "other")];
    line.append("a", 1, 2, 3);
    const runner = runnerOf([one, other, total()]);
    runner.run();
    await runner.caughtUp([total()]);
    await until(() => stops.length === 2);
    expect(stops.map(({ projections }) => projections)).toEqual([["one"], ["other"]]);
    one.mended = true;
    clock.advance(100);
    await runner.caughtUp([one]);
    expect([...runner.stopped().keys()]).toEqual(["other"]);
    expect(await storedCounters(store, line.events, one)).toEqual(expectedCounters(line.events));
  });

  test("a store that fails one projection stops that one; one that fails all is one failure", async () => {
    let failing: (collection: string) => boolean = (collection) => collection === "total";
    const failed = { status: "rejected", reason: Object.assign(new Error("full"), { code: "ENOSPC" }) } as const;
    const apply: ReadModelStore["apply"] = async (batch, checkpoint) => {
      const written = batch.filter(({ generation }) => !failing(generation.collection));
      const outcomes = await store.apply(written, checkpoint);
      return batch.map((one) => outcomes[written.indexOf(one)] ?? failed);
    };
    line.append("a", 1, 2);
    const runner = runnerOf([counters(), total()], { store: storeWith(store, { apply }) });
    runner.run();
    await runner.caughtUp([counters()]);
    await until(() => stops.length === 1);
    expect(runner.stopped()).toEqual(new Map([["total", "no space is left on its disk"]]));
    failing = () => false;
    clock.advance(100);
    await runner.caughtUp();

    stops = [];
    failing = () => true;
    line.append("a", 3);
    await until(() => runner.stopped().size === 2);
    failing = () => false;
    for (let pauses = 0; pauses < 10; pauses++) {
      clock.advance(10_000);
      await new Promise(setImmediate);
    }
    await reached(store, at(3));
    await until(() => runner.stopped().size === 0);
    expect((await store.get(total(), "all"))?.document).toEqual({ events: 3 });
  });

  test("retries come less and less often, at last every 10 s", async () => {
    line.append("a", 1);
    const projection = faulty(1);
    const runner = runnerOf([projection]);
    runner.run();
    await until(() => projection.tries === 1);
    for (const pauseMs of [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      const { tries } = projection;
      await new Promise(setImmediate);
      clock.advance(pauseMs - 1);
      await new Promise(setImmediate);
      expect(projection.tries).toBe(tries);
      clock.advance(1);
      await until(() => projection.tries === tries + 1);
    }
    expect(await store.checkpointOf(projection)).toBeUndefined();
    expect(stops).toHaveLength(1);
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
    await until(() => stops.length === 1);
    clock.advance(100);
    await until(() => stops.length === 2);
    line.append("a", 5);
    clock.advance(100);
    await reached(store, at(5), [counters()]);
    expect(line.starts).toEqual([undefined, at(3), at(4)]);
    expect(await storedCounters(store, line.events)).toEqual(expectedCounters(line.events));
  });
});

describe("telling", () => {
  test("what was written is told of, once, by those that wrote it", async () => {
    const told: [string, { id: string; document: unknown }[]][] = [];
    const onChanged: ProjectionRunnerOptions<Counted>["onChanged"] = (projection, changes) =>
      told.push([projection, changes.map(({ id, document }) => ({ id, document }))]);
    line.batchSize = 10;
    line.append("a", 1, 2);
    await runToEnd([counters()]);
    const runner = runnerOf([counters(), total()], { onChanged });
    line.append("b", 5);
    line.append("a", 0);
    runner.run();
    await runner.caughtUp();
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
