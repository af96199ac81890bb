import { systemClock } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BusMessage, Consumption, MessageBus } from "../src/index.ts";

/** A door that handlers wait at until it is opened. */
const gate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
};

/** Collects messages; `reached(n)` resolves when there are n. */
const collector = () => {
  const messages: BusMessage[] = [];
  let waiting: { count: number; resolve: () => void }[] = [];
  return {
    messages,
    handle: async (message: BusMessage): Promise<void> => {
      messages.push(message);
      for (const { count, resolve } of waiting) if (messages.length >= count) resolve();
      waiting = waiting.filter(({ count }) => messages.length < count);
    },
    reached: (count: number): Promise<void> =>
      messages.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
  };
};

/** What every engine of the message bus keeps to. `open` gives a new bus each time, which nobody else is on. */
export const messageBusContract = (engine: string, open: () => Promise<MessageBus>): void => {
  describe(`message bus, ${engine}`, () => {
    let bus: MessageBus;
    let ending: AbortController;
    let consumers: Promise<void>[];
    beforeEach(async () => {
      bus = await open();
      ending = new AbortController();
      consumers = [];
    });
    afterEach(async () => {
      ending.abort();
      await Promise.all(consumers);
      await bus.close();
    });

    const consume = (
      handle: Consumption["handle"],
      { subject = "s", group = "g", concurrency = 1, ackWaitMs = 60_000, signal = ending.signal } = {},
    ): Promise<void> => {
      const consumer = bus.consume({ subject, group, concurrency, ackWaitMs, signal, handle });
      consumers.push(consumer);
      return consumer;
    };
    const message = (id: string, subject = "s"): BusMessage => ({ id, subject, body: { number: id } });
    const idsOf = (messages: readonly BusMessage[]) => messages.map(({ id }) => id);

    test("a message reaches the consumer of its subject, whole", async () => {
      const got = collector();
      consume(got.handle);
      const sent: BusMessage = { id: "1", subject: "s", body: { text: "ñ🖋", list: [1, null, { deep: true }] } };
      await bus.publish(sent);
      await got.reached(1);
      expect(got.messages).toEqual([sent]);
    });

    test("it reaches no other subject", async () => {
      const [got, other] = [collector(), collector()];
      consume(got.handle);
      consume(other.handle, { subject: "t" });
      await bus.publish(message("1", "t"));
      await bus.publish(message("2", "s"));
      await Promise.all([got.reached(1), other.reached(1)]);
      expect([idsOf(got.messages), idsOf(other.messages)]).toEqual([["2"], ["1"]]);
    });

    test("one consumer gets messages in the order of their publication", async () => {
      const got = collector();
      consume(got.handle);
      const ids = Array.from({ length: 50 }, (_, number) => `${number}`);
      for (const id of ids) await bus.publish(message(id));
      await got.reached(50);
      expect(idsOf(got.messages)).toEqual(ids);
    });

    test("each group gets every message; within a group one consumer gets it", async () => {
      const [one, two, other] = [collector(), collector(), collector()];
      const all = collector();
      for (const { handle } of [one, two])
        consume(async (got) => {
          await handle(got);
          await all.handle(got);
        });
      consume(other.handle, { group: "h" });
      for (let number = 0; number < 20; number++) await bus.publish(message(`${number}`));
      await Promise.all([all.reached(20), other.reached(20)]);
      expect(new Set(idsOf(all.messages)).size).toBe(20);
      expect(all.messages).toHaveLength(20);
      expect(other.messages).toHaveLength(20);
    });

    test("what is published before anybody consumes waits for the first to come", async () => {
      await bus.publish(message("1"));
      await bus.publish(message("2"));
      const got = collector();
      consume(got.handle);
      await got.reached(2);
      expect(idsOf(got.messages)).toEqual(["1", "2"]);
    });

    test("what is published between two consumers of a group waits for the next", async () => {
      const [first, second] = [collector(), collector()];
      const leaving = new AbortController();
      const consumer = consume(first.handle, { signal: leaving.signal });
      await bus.publish(message("1"));
      await first.reached(1);
      leaving.abort();
      await consumer;
      await bus.publish(message("2"));
      consume(second.handle);
      await second.reached(1);
      expect([idsOf(first.messages), idsOf(second.messages)]).toEqual([["1"], ["2"]]);
    });

    test("an id that was just published is passed over, another one is not", async () => {
      const got = collector();
      consume(got.handle);
      for (const id of ["1", "1", "2", "1", "3"]) await bus.publish(message(id));
      await got.reached(3);
      expect(idsOf(got.messages)).toEqual(["1", "2", "3"]);
    });

    test("at most `concurrency` handlers run at once, and as many do", async () => {
      const door = gate();
      const [started, ended] = [collector(), collector()];
      let running = 0;
      let most = 0;
      consume(
        async (got) => {
          most = Math.max(most, ++running);
          await started.handle(got);
          await door.opened;
          running--;
          await ended.handle(got);
        },
        { concurrency: 3 },
      );
      for (let number = 0; number < 10; number++) await bus.publish(message(`${number}`));
      await started.reached(3);
      door.open();
      await ended.reached(10);
      expect(most).toBe(3);
    });

    test("a handler that rejects stops neither its consumer nor the bus", async () => {
      const got = collector();
      consume(async (received) => {
        await got.handle(received);
        if (received.id === "1") throw new Error("no");
      });
      await bus.publish(message("1"));
      await bus.publish(message("2"));
      await got.reached(2);
      expect(idsOf(got.messages)).toContain("2");
    });

    test("a message whose handler is silent for too long is delivered again, and its consumer goes on", async () => {
      const numbers = new Map<string, number[]>();
      consume(
        async ({ id }, { number }) => {
          numbers.set(id, [...(numbers.get(id) ?? []), number]);
          if (number === 1) await new Promise(() => {});
        },
        { ackWaitMs: 700 },
      );
      // A process that stands still for as long is taken for silent too: there may be further deliveries.
      for (const id of ["1", "2"]) {
        await bus.publish(message(id));
        const twice = await eventually("it is delivered twice", () => {
          const seen = numbers.get(id)?.slice(0, 2) ?? [];
          return seen.length === 2 && seen;
        });
        expect(twice).toEqual([1, 2]);
      }
    });

    test("a handler that extends its time keeps its message, however long it works", async () => {
      const got = collector();
      /** The longest time between two extensions. */
      let longestMs = 0;
      const extendFor = async (ms: number, extend: () => void): Promise<void> => {
        const endMs = systemClock.monotonicMs() + ms;
        for (let lastMs = endMs - ms; lastMs < endMs; ) {
          await systemClock.wait(20);
          extend();
          const nowMs = systemClock.monotonicMs();
          longestMs = Math.max(longestMs, nowMs - lastMs);
          lastMs = nowMs;
        }
      };
      consume(
        async (received, { extend }) => {
          if (received.id.startsWith("long")) await extendFor(6_000, extend);
          await got.handle(received);
        },
        { ackWaitMs: 4_000 },
      );
      // Where this process stood still for so long that an extension came too late, nothing is shown: once more.
      for (let round = 1; round === 1 || longestMs > 2_000; round += 1) {
        longestMs = 0;
        const ids = [`long ${round}`, `next ${round}`];
        for (const id of ids) await bus.publish(message(id));
        await eventually("both were handled", () => ids.every((id) => idsOf(got.messages).includes(id)));
        if (longestMs <= 2_000) expect(idsOf(got.messages).filter((id) => ids.includes(id))).toEqual(ids);
      }
    });

    test("a handler that rejects is not asked again: what it was to do is published again when it is due", async () => {
      const got = collector();
      consume(
        async (received, { number }) => {
          await got.handle(received);
          if (received.id === "rejected") throw new Error("no");
          if (number === 1) await new Promise(() => {});
        },
        { ackWaitMs: 700 },
      );
      await bus.publish(message("rejected"));
      await got.reached(1);
      // Its handler is silent, and so it comes again: as the rejected one would have come, before it.
      await bus.publish(message("silent"));
      await got.reached(3);
      expect(idsOf(got.messages).slice(0, 3)).toEqual(["rejected", "silent", "silent"]);
    });

    test("an aborted consumer ends once its handler in flight has ended, and takes nothing more", async () => {
      const door = gate();
      const [got, next] = [collector(), collector()];
      const leaving = new AbortController();
      let ended = false;
      const consumer = consume(
        async (received) => {
          await got.handle(received);
          await door.opened;
          ended = true;
        },
        { signal: leaving.signal },
      );
      await bus.publish(message("1"));
      await bus.publish(message("2"));
      await got.reached(1);
      leaving.abort();
      const first = await Promise.race([consumer.then(() => "ended"), Promise.resolve("in flight")]);
      expect(first).toBe("in flight");
      door.open();
      await consumer;
      expect(ended).toBe(true);
      expect(idsOf(got.messages)).toEqual(["1"]);
      consume(next.handle);
      await next.reached(1);
      expect(idsOf(next.messages)).toEqual(["2"]);
    });

    test("a consumer that is aborted before it starts ends at once", async () => {
      const got = collector();
      await bus.publish(message("1"));
      await consume(got.handle, { signal: AbortSignal.abort() });
      expect(got.messages).toEqual([]);
    });

    test("it says that it takes messages, until it is closed", async () => {
      await bus.ping();
      await bus.close();
      await expect(bus.ping()).rejects.toThrow();
    });

    test("closing waits for the handlers in flight and ends the consumers", async () => {
      const door = gate();
      const got = collector();
      let ended = false;
      const consumer = consume(async (received) => {
        await got.handle(received);
        await door.opened;
        ended = true;
      });
      await bus.publish(message("1"));
      await got.reached(1);
      const closing = bus.close().then(() => ended);
      door.open();
      expect(await closing).toBe(true);
      await consumer;
      await expect(bus.publish(message("2"))).rejects.toThrow();
    });
  });
};
