import { describe, expect, test } from "vitest";
import { comparePositions, type EventStore, type RecordedEvent } from "../../src/index.ts";
import {
  anEvent,
  collect,
  followUntil,
  freshCategory,
  freshStream,
  idsOf,
  someEvents,
  untilCaughtUp,
} from "../helpers/events.ts";

/** The part of the contract that is about following what happens. */
export const contractOfSubscribing = (store: () => EventStore): void => {
  describe("a subscription", () => {
    test("gives what there is, says that it has caught up, then gives what comes", async () => {
      const streamPrefix = freshCategory();
      const past = someEvents(3);
      await store().append(`${streamPrefix}a`, "no_stream", past);
      const live = someEvents(2);
      let appended: Promise<unknown> | undefined;
      const { events } = await followUntil(store(), { streamPrefix }, (all, batch) => {
        if (batch.caughtUp && !appended) {
          expect(idsOf(all)).toEqual(idsOf(past));
          appended = store().append(`${streamPrefix}b`, "no_stream", live);
        }
        return all.length >= 5;
      });
      await appended;
      expect(idsOf(events)).toEqual([...idsOf(past), ...idsOf(live)]);
    });

    test("says that it has caught up when there is nothing to give", async () => {
      const after = await store().lastPosition();
      const streamPrefix = freshCategory();
      const { events, batches } = await followUntil(store(), { after, streamPrefix }, untilCaughtUp);
      expect(events).toEqual([]);
      expect(batches.at(-1)).toMatchObject({ events: [], caughtUp: true });
    });

    test("resumes after any position that it gave, without losing or repeating one", async () => {
      const streamPrefix = freshCategory();
      for (const name of ["a", "b", "c"]) {
        await store().append(`${streamPrefix}${name}`, "no_stream", someEvents(2));
        await store().append(freshStream(), "no_stream", someEvents(1));
      }
      const { events, batches } = await followUntil(store(), { streamPrefix }, untilCaughtUp);
      expect(events).toHaveLength(6);
      for (const [index, { position }] of batches.entries()) {
        const given = batches.slice(0, index + 1).flatMap((batch) => batch.events).length;
        const rest = await followUntil(store(), { streamPrefix, after: position }, untilCaughtUp);
        expect(idsOf(rest.events)).toEqual(idsOf(events.slice(given)));
      }
      for (const [index, { position }] of events.entries()) {
        const rest = await followUntil(store(), { streamPrefix, after: position }, untilCaughtUp);
        expect(idsOf(rest.events)).toEqual(idsOf(events.slice(index + 1)));
      }
    });

    test("never gives a position before all events up to it", async () => {
      const streamPrefix = freshCategory();
      const others = freshStream();
      for (let n = 0; n < 6; n++) {
        await store().append(`${streamPrefix}${n}`, "no_stream", someEvents(170));
        await store().append(others, n === 0 ? "no_stream" : BigInt(n * 190 - 1), someEvents(190));
      }
      const { events, batches } = await followUntil(store(), { streamPrefix }, untilCaughtUp);
      expect(events).toHaveLength(6 * 170);
      let given = 0;
      for (const batch of batches) {
        given += batch.events.length;
        const { position } = batch;
        const upTo = events.filter((event) => position && comparePositions(event.position, position) <= 0);
        expect(upTo).toHaveLength(given);
      }
    });

    test("never goes back: positions of events and batches only grow", async () => {
      const streamPrefix = freshCategory();
      for (let n = 0; n < 10; n++) await store().append(`${streamPrefix}${n}`, "no_stream", someEvents(3));
      const { events, batches } = await followUntil(store(), { streamPrefix }, untilCaughtUp);
      expect(events).toEqual(events.toSorted((a, b) => comparePositions(a.position, b.position)));
      const reached = batches.map(({ position }) => position).filter((position) => position !== undefined);
      expect(reached).toEqual(reached.toSorted(comparePositions));
      const last = events.at(-1);
      const end = reached.at(-1);
      expect(last && end && comparePositions(end, last.position)).toBeGreaterThanOrEqual(0);
    });
  });

  contractOfFollowing(store);
  contractOfEnding(store);
};

const contractOfFollowing = (store: () => EventStore): void => {
  describe("a live subscription", () => {
    test("loses and doubles nothing while many append", async () => {
      const streamPrefix = freshCategory();
      const following = followUntil(store(), { streamPrefix }, (events) => events.length >= 200);
      const writers = Array.from({ length: 10 }, async (_, writer) => {
        for (let n = 0; n < 20; n++) {
          await store().append(`${streamPrefix}${writer}`, n === 0 ? "no_stream" : BigInt(n - 1), [anEvent({ n })]);
        }
      });
      await Promise.all(writers);
      const { events } = await following;
      expect(events).toEqual(await collect(store().readAll(undefined, { streamPrefix })));
    });

    test("waits for a slow consumer and then gives all", async () => {
      const streamPrefix = freshCategory();
      const abort = new AbortController();
      const events: RecordedEvent[] = [];
      let appended = 0;
      for await (const batch of store().subscribeToAll({ streamPrefix, signal: abort.signal })) {
        events.push(...batch.events);
        for (; appended < 5; appended++) {
          await store().append(`${streamPrefix}${appended}`, "no_stream", someEvents(2));
        }
        if (events.length >= 10) abort.abort();
      }
      expect(events).toEqual(await collect(store().readAll(undefined, { streamPrefix })));
    });

    test("is independent of others", async () => {
      const streamPrefix = freshCategory();
      const all = [1, 2, 3].map(() => followUntil(store(), { streamPrefix }, (events) => events.length >= 4));
      await store().append(`${streamPrefix}a`, "no_stream", someEvents(4));
      const [first, ...others] = await Promise.all(all);
      for (const other of others) expect(other.events).toEqual(first?.events);
    });
  });
};

const contractOfEnding = (store: () => EventStore): void => {
  describe("an aborted subscription", () => {
    test("ends while it waits", async () => {
      const abort = new AbortController();
      const streamPrefix = freshCategory();
      let caughtUp = 0;
      for await (const batch of store().subscribeToAll({ streamPrefix, signal: abort.signal })) {
        if (!batch.caughtUp) continue;
        caughtUp += 1;
        // The consumer asks for the next batch before this happens.
        if (caughtUp === 1) setImmediate(() => abort.abort());
      }
      expect(caughtUp).toBeGreaterThanOrEqual(1);
    });

    test("gives nothing when it was aborted before", async () => {
      await store().append(freshStream(), "no_stream", someEvents(1));
      expect(await collect(store().subscribeToAll({ signal: AbortSignal.abort() }))).toEqual([]);
    });

    test("may be left by its consumer, and the store goes on", async () => {
      const streamPrefix = freshCategory();
      await store().append(`${streamPrefix}a`, "no_stream", someEvents(1));
      for await (const _ of store().subscribeToAll({ streamPrefix, signal: new AbortController().signal })) break;
      await store().append(`${streamPrefix}a`, 0n, someEvents(1));
      expect(await collect(store().readAll(undefined, { streamPrefix }))).toHaveLength(2);
    });
  });
};
