import { systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { BusFullError, type BusMessage, createEmbeddedMessageBus, type HandlingFailure } from "../src/index.ts";
import { RecentIds } from "../src/recent-ids.ts";
import { messageBusContract } from "./contract.ts";

const MINUTE_MS = 60_000;
const message = (id: string, body = "secret"): BusMessage => ({ id, subject: "s", body });

messageBusContract("in process", async () => createEmbeddedMessageBus({ clock: systemClock, onError: () => {} }));

/** A bus, what its handler got, and what it reported. */
const given = (maxWaiting?: number, ackWaitMs = 600_000) => {
  const clock = new ManualClock();
  const failures: HandlingFailure[] = [];
  const got: string[] = [];
  const bus = createEmbeddedMessageBus({
    clock,
    onError: (failure) => failures.push(failure),
    ...(maxWaiting === undefined ? {} : { maxWaiting }),
  });
  const consume = (handle = async (_: BusMessage): Promise<void> => {}) =>
    bus.consume({
      subject: "s",
      group: "g",
      concurrency: 1,
      ackWaitMs,
      signal: new AbortController().signal,
      handle: async (received) => {
        got.push(received.id);
        await handle(received);
      },
    });
  const handled = async (count: number): Promise<void> => {
    while (got.length < count) await new Promise(setImmediate);
  };
  return { bus, clock, failures, got, consume, handled };
};

test("an id is passed over for two minutes, and then no more", async () => {
  const { bus, clock, got, consume, handled } = given();
  const consumer = consume();
  await bus.publish(message("1"));
  clock.advance(2 * MINUTE_MS - 1);
  await bus.publish(message("1"));
  clock.advance(1);
  await bus.publish(message("1"));
  await bus.publish(message("2"));
  await handled(3);
  await bus.close();
  await consumer;
  expect(got).toEqual(["1", "1", "2"]);
});

test("a rejection is reported, with what it is of", async () => {
  const { bus, failures, consume, handled } = given();
  const error = new Error("provider is down");
  const consumer = consume(async () => {
    throw error;
  });
  await bus.publish(message("1", "what is owed"));
  await handled(1);
  while (failures.length === 0) await new Promise(setImmediate);
  await bus.close();
  await consumer;
  const { body } = message("1", "what is owed");
  expect(failures).toEqual([{ subject: "s", group: "g", messageId: "1", body, isEnding: false, error }]);
});

test("a rejection while the bus closes is reported as one", async () => {
  const { bus, failures, consume, handled } = given();
  const cut = Promise.withResolvers<void>();
  const consumer = consume(() => cut.promise);
  await bus.publish(message("1"));
  await handled(1);
  const closing = bus.close();
  cut.reject(new Error("the process ends"));
  await closing;
  await consumer;
  expect(failures).toMatchObject([{ messageId: "1", isEnding: true }]);
});

test("a full queue refuses, and takes the same message later", async () => {
  const { bus, got, consume, handled } = given(2);
  const door = Promise.withResolvers<void>();
  const consumer = consume(() => door.promise);
  for (const id of ["in flight", "1", "2"]) await bus.publish(message(id));
  await expect(bus.publish(message("3"))).rejects.toThrow(BusFullError);
  door.resolve();
  await handled(3);
  await bus.publish(message("3"));
  await handled(4);
  await bus.close();
  await consumer;
  expect(got).toEqual(["in flight", "1", "2", "3"]);
});

test("a message that one group has no room for is given to none", async () => {
  const { bus, got, consume, handled } = given(1);
  const full = bus.consume({
    subject: "s",
    group: "aborted",
    concurrency: 1,
    ackWaitMs: 30_000,
    signal: AbortSignal.abort(),
    handle: async () => {},
  });
  const consumer = consume();
  await bus.publish(message("1"));
  await expect(bus.publish(message("2"))).rejects.toThrow(BusFullError);
  await handled(1);
  await bus.close();
  await Promise.all([consumer, full]);
  expect(got).toEqual(["1"]);
});

test("without a consumer only so many wait", async () => {
  const { bus } = given(2);
  await bus.publish(message("1"));
  await bus.publish(message("2"));
  await expect(bus.publish(message("3"))).rejects.toThrow(BusFullError);
  await bus.close();
});

test("usually 10,000 messages wait", async () => {
  const { bus } = given();
  for (let number = 1; number <= 10_000; number++) await bus.publish(message(`${number}`));
  await expect(bus.publish(message("one more"))).rejects.toThrow(BusFullError);
  await bus.close();
});

test("what is remembered of ids is bounded, by time and by number", () => {
  const clock = new ManualClock();
  const ids = new RecentIds(clock, MINUTE_MS, 2);
  for (const id of ["a", "b", "c"]) ids.add(id);
  expect(["a", "b", "c"].filter((id) => ids.has(id))).toEqual(["b", "c"]);
  clock.advance(MINUTE_MS);
  expect(ids.has("c")).toBe(false);
});

test("what is delivered again and again in vain is reported each time, and dropped in the end", async () => {
  const { bus, clock, failures, got, consume, handled } = given(undefined, 30_000);
  const consumer = consume(() => new Promise(() => {}));
  await bus.publish(message("1"));
  for (let number = 1; number <= 5; number++) {
    await handled(number);
    clock.advance(30_000);
  }
  await bus.publish(message("2"));
  await handled(6);
  expect(got).toEqual(["1", "1", "1", "1", "1", "2"]);
  expect(failures.map(({ messageId }) => messageId)).toEqual(["1", "1", "1", "1", "1"]);
  clock.advance(30_000);
  await bus.close();
  await consumer;
});
