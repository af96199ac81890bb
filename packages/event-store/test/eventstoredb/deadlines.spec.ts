import { type Clock, systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { type EventStoreDbProcess, startEventStoreDb } from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Deadlines } from "../../src/eventstoredb/deadlines.ts";
import type { EventStore } from "../../src/index.ts";
import { collect, freshCategory, freshStream, someEvents } from "../helpers/events.ts";
import { openEventStoreDbAt } from "../helpers/eventstoredb.ts";
import { countingMade } from "../helpers/made.ts";

describe("what is waited for", () => {
  const begun = (limitMs: number) => {
    const clock = new ManualClock();
    const closing = new AbortController();
    const deadlines = new Deadlines(clock, closing.signal);
    const errors: Error[] = [];
    const waited = { endMs: 0, limitMs, over: (error: Error) => void errors.push(error) };
    deadlines.begin(waited);
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 50) {
        clock.advance(50);
        await Promise.resolve();
      }
    };
    return { deadlines, waited, closing, errors, pass };
  };

  test("is told of silence once, when its time is over", async () => {
    const { errors, pass } = begun(1_000);
    await pass(900);
    expect(errors).toEqual([]);
    await pass(3_000);
    expect(errors).toMatchObject([{ name: "Silence", message: "nothing came within 1000 ms" }]);
  });

  test("has all its time again where it was begun again, and is told nothing once it has ended", async () => {
    const { deadlines, waited, errors, pass } = begun(1_000);
    await pass(900);
    deadlines.begin(waited);
    await pass(900);
    deadlines.end(waited);
    await pass(3_000);
    expect(errors).toEqual([]);
  });

  test("is told at once that the store is closed", () => {
    const { closing, errors } = begun(1_000);
    closing.abort();
    expect(errors).toMatchObject([{ failure: "closed" }]);
  });
});

describe("nothing is made for each append or event, and thrown away", () => {
  let server: EventStoreDbProcess;
  beforeAll(async () => {
    server = await startEventStoreDb();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const NOTHING = { errors: 0, exceptions: 0, controllers: 0, signals: 0, timers: 0 };
  const COUNT = 200;

  /** What the store makes meanwhile; of timers, those that are not the one by which it looks at all limits. */
  const madeBy = async (store: EventStore, timers: () => number, work: () => Promise<unknown>) => {
    // The first call connects.
    await store.readLast(freshStream());
    const before = timers();
    const made = countingMade();
    await work();
    const counted = { ...made, timers: timers() - before };
    await store.close();
    return counted;
  };

  const opened = () => {
    let timers = 0;
    const clock: Clock = {
      ...systemClock,
      // It stands still: on a busy machine all calls would be too late, each of which makes an error.
      monotonicMs: () => 0,
      wait: (durationMs, options) => {
        if (durationMs > 50) timers += 1;
        return systemClock.wait(durationMs, options);
      },
    };
    const store = openEventStoreDbAt(server.url, { clock });
    return { store, madeBy: (work: () => Promise<unknown>) => madeBy(store, () => timers, work) };
  };

  test(`of ${COUNT} appends`, async () => {
    const { store, madeBy } = opened();
    const append = () => store.append(freshStream(), "no_stream", someEvents(1));
    expect(await madeBy(() => Promise.all(Array.from({ length: COUNT }, append)))).toEqual(NOTHING);
  });

  test(`of ${COUNT} events that are read one by one`, async () => {
    const { store, madeBy } = opened();
    const stream = freshStream();
    await store.append(stream, "no_stream", someEvents(1));
    expect(await madeBy(() => Promise.all(Array.from({ length: COUNT }, () => store.readLast(stream))))).toEqual(
      NOTHING,
    );
  });

  test("of 1,000 events that are read together", async () => {
    const streamPrefix = freshCategory();
    const { store, madeBy } = opened();
    await store.append(`${streamPrefix}a`, "no_stream", someEvents(1_000));
    const made = await madeBy(async () => {
      expect(await collect(store.readAll(undefined, { streamPrefix }))).toHaveLength(1_000);
    });
    // Of the reading as a whole, which is ended by them.
    expect(made).toEqual({ ...NOTHING, controllers: 1, signals: 1, exceptions: 1 });
  });
});
