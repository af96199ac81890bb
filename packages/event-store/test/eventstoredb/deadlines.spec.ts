import { type Clock, systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { type EventStoreDbProcess, startEventStoreDb } from "@rubrica/test-kit/engines";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { Deadlines } from "../../src/eventstoredb/deadlines.ts";
import { collect, freshCategory, freshStream, someEvents } from "../helpers/events.ts";
import { openEventStoreDbAt } from "../helpers/eventstoredb.ts";

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
  afterEach(() => vi.unstubAllGlobals());

  /** Counts the controllers and composed signals that are made, and the timers of the store but for its one. */
  const counting = () => {
    const made = { controllers: 0, composed: 0, timers: 0 };
    const clock: Clock = {
      ...systemClock,
      wait: (durationMs, options) => {
        if (durationMs > 50) made.timers += 1;
        return systemClock.wait(durationMs, options);
      },
    };
    const store = openEventStoreDbAt(server.url, { clock });
    vi.stubGlobal(
      "AbortController",
      class extends AbortController {
        constructor() {
          super();
          made.controllers += 1;
        }
      },
    );
    vi.spyOn(AbortSignal, "any").mockImplementation((...args) => {
      made.composed += 1;
      return composed(...args);
    });
    return { store, made };
  };
  const composed = AbortSignal.any.bind(AbortSignal);
  afterEach(() => vi.restoreAllMocks());

  test("of 200 appends", async () => {
    const { store, made } = counting();
    await Promise.all(Array.from({ length: 200 }, () => store.append(freshStream(), "no_stream", someEvents(1))));
    await store.close();
    expect(made).toEqual({ controllers: 0, composed: 0, timers: 0 });
  });

  test("of 1,000 events that are read", async () => {
    const streamPrefix = freshCategory();
    const { store, made } = counting();
    await store.append(`${streamPrefix}a`, "no_stream", someEvents(1_000));
    expect(await collect(store.readAll(undefined, { streamPrefix }))).toHaveLength(1_000);
    await store.close();
    // One of each for the reading as a whole.
    expect(made).toEqual({ controllers: 1, composed: 1, timers: 0 });
  });
});
