import { getEventListeners } from "node:events";
import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { createLease, type LeaseRecord, type LeaseStore, STANDSTILL_MS } from "../../src/index.ts";

/** A store in memory, whose answers may be lost or never come. */
const storeOf = () => {
  let record: LeaseRecord | undefined;
  let fault: "silent" | "answer lost" | undefined;
  const answer = async <T>(value: T): Promise<T> => {
    if (fault === "silent") return new Promise(() => {});
    if (fault !== "answer lost") return value;
    fault = undefined;
    throw new Error("the answer was lost");
  };
  const store: LeaseStore = {
    read: () => answer(record && { ...record }),
    replace(seen, next) {
      const isAsSeen = record?.epoch === seen?.epoch && record?.beat === seen?.beat;
      if (isAsSeen && fault !== "silent") record = { ...next };
      return answer(isAsSeen);
    },
    close: async () => {},
  };
  return {
    store,
    record: () => record,
    fails(by: typeof fault) {
      fault = by;
    },
  };
};

/** One process that could work: its clock stands still while it is stopped. */
const processOn = (store: LeaseStore, holder: string) => {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const stopping = new AbortController();
  const told: boolean[] = [];
  const others = new Set<string>();
  let working = 0;
  const lease = createLease({
    store,
    clock,
    holder,
    onChange: (isHeld) => told.push(isHeld),
    onOther: (other) => others.add(other),
    onError: (error) => errors.push(error),
  });
  const ended = lease.run(async (signal) => {
    working += 1;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    working -= 1;
  }, stopping.signal);
  return {
    lease,
    clock,
    errors,
    told,
    others,
    ended,
    working: () => working,
    stop: () => stopping.abort(),
    /** What waits for its end. */
    listeners: () => getEventListeners(stopping.signal, "abort").length,
  };
};

type Process = ReturnType<typeof processOn>;

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
};

/** Lets time pass for these processes. */
const pass = async (durationMs: number, ...processes: Process[]): Promise<void> => {
  await settle();
  for (let passed = 0; passed < durationMs; passed += 100) {
    for (const { clock } of processes) clock.advance(100);
    await settle();
  }
};

test("one that waits for long gathers nothing", async () => {
  const { store } = storeOf();
  const [one, other] = [processOn(store, "one"), processOn(store, "other")];
  await pass(2_000, one, other);
  const before = other.listeners();
  await pass(60_000, one, other);
  expect([other.working(), other.listeners()]).toEqual([0, before]);
  for (const { stop, ended } of [one, other]) {
    stop();
    await ended;
  }
});

test("one of two works, as long as it lives; the other one takes over at once when it lets go", async () => {
  const { store, record } = storeOf();
  const one = processOn(store, "one");
  await pass(0, one);
  const other = processOn(store, "other");
  await pass(60_000, one, other);
  expect([one.lease.isHeld(), one.working(), other.lease.isHeld(), other.working()]).toEqual([true, 1, false, 0]);
  expect(record()?.beat).toBeGreaterThanOrEqual(50);
  one.stop();
  await one.ended;
  expect([one.lease.isHeld(), one.working(), record()?.holder]).toEqual([false, 0, null]);
  await pass(500, other);
  expect([other.lease.isHeld(), other.working(), record()?.epoch]).toEqual([true, 1, 2]);
  expect([one.told, other.told]).toEqual([[true, false], [true]]);
  expect([...one.others, ...other.others]).toEqual(["one"]);
  other.stop();
  await other.ended;
});

test("a holder that was stopped loses it after 6 s by the other's clock, and does nothing more when it wakes up", async () => {
  const { store, record } = storeOf();
  const stopped = processOn(store, "stopped");
  await pass(2_000, stopped);
  const taker = processOn(store, "taker");
  await pass(STANDSTILL_MS - 500, taker);
  expect(taker.lease.isHeld()).toBe(false);
  await pass(1_500, taker);
  expect([taker.lease.isHeld(), record()]).toEqual([true, { holder: "taker", epoch: 2, beat: expect.any(Number) }]);
  // It does not know yet, and time has gone on: whatever it asks first, the answer is no.
  stopped.clock.advance(30_000);
  expect(stopped.lease.isHeld()).toBe(false);
  await pass(1_000, stopped, taker);
  expect([stopped.working(), stopped.told]).toEqual([0, [true, false]]);
  expect([taker.lease.isHeld(), record()?.holder, record()?.epoch]).toEqual([true, "taker", 2]);
  for (const one of [stopped, taker]) {
    one.stop();
    await one.ended;
  }
});

test("a taker that was stopped itself takes nothing that went on meanwhile", async () => {
  const { store } = storeOf();
  const holder = processOn(store, "holder");
  await pass(1_000, holder);
  const taker = processOn(store, "taker");
  await pass(1_000, holder, taker);
  await pass(10_000, holder);
  taker.clock.advance(10_000);
  await pass(1_000, taker);
  expect([holder.lease.isHeld(), taker.lease.isHeld()]).toEqual([true, false]);
  for (const one of [holder, taker]) {
    one.stop();
    await one.ended;
  }
});

test("a beat whose answer was lost is the holder's all the same", async () => {
  const { store, record, fails } = storeOf();
  const holder = processOn(store, "holder");
  await pass(1_500, holder);
  fails("answer lost");
  await pass(10_000, holder);
  expect(holder.errors).toHaveLength(1);
  expect([holder.lease.isHeld(), holder.told, record()?.epoch]).toEqual([true, [true], 1]);
  holder.stop();
  await holder.ended;
});

test("while the store is silent its holder stops before another one could begin, and goes on by itself", async () => {
  const { store, record, fails } = storeOf();
  const holder = processOn(store, "holder");
  await pass(1_000, holder);
  fails("silent");
  await pass(STANDSTILL_MS - 1_500, holder);
  expect([holder.lease.isHeld(), holder.working()]).toEqual([false, 0]);
  fails(undefined);
  await pass(4_000, holder);
  expect([holder.lease.isHeld(), holder.working(), record()?.epoch]).toEqual([true, 1, 2]);
  fails("silent");
  holder.stop();
  await pass(2_500, holder);
  await holder.ended;
});

test("what its work fails with is told, and it is let go of", async () => {
  const { store, record } = storeOf();
  const lease = createLease({ store, clock: new ManualClock(), holder: "one", onError: () => {} });
  const run = lease.run(() => Promise.reject(new Error("the work failed")), new AbortController().signal);
  await expect(run).rejects.toThrow("the work failed");
  expect(record()?.holder).toBeNull();
});
