import { type Clock, systemClock } from "@rubrica/runtime";
import { type EventStoreDbProcess, startEventStoreDb, startFailingEventStoreDb } from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collect, freshCategory, freshStream, idsOf, someEvents } from "../../helpers/events.ts";
import { openEventStoreDbAt } from "../../helpers/eventstoredb.ts";

let leader: EventStoreDbProcess;
beforeAll(async () => {
  leader = await startEventStoreDb();
});
afterAll(() => leader[Symbol.asyncDispose]());

/** The first pause between two attempts is shorter, whatever else is waited for is not. */
const FIRST_PAUSE_BELOW_MS = 50;

/** A member that does not lead and names who does, and a store that begins with it. */
const withFollower = async () => {
  const [, port = ""] = /:(\d+)\?/.exec(leader.url) ?? [];
  const follower = await startFailingEventStoreDb({
    code: 5,
    details: "Leader info available.",
    trailers: { exception: "not-leader", "leader-endpoint-host": "127.0.0.1", "leader-endpoint-port": port },
  });
  const pauses: number[] = [];
  const clock: Clock = {
    ...systemClock,
    wait: (durationMs, options) => {
      if (durationMs < FIRST_PAUSE_BELOW_MS) pauses.push(durationMs);
      return systemClock.wait(durationMs, options);
    },
  };
  const store = openEventStoreDbAt(follower.url, { clock });
  return {
    store,
    pauses,
    calls: follower.calls,
    async [Symbol.asyncDispose]() {
      await store.close();
      await follower[Symbol.asyncDispose]();
    },
  };
};

describe("a member that does not lead sends each call to the one that does, at once", () => {
  test("an append", async () => {
    await using follower = await withFollower();
    const appended = await follower.store.append(freshStream(), "no_stream", someEvents(1));
    expect([appended.revision, follower.calls(), follower.pauses]).toEqual([0n, 1, []]);
  });

  test("a read", async () => {
    await using follower = await withFollower();
    expect(await follower.store.readLast(freshStream())).toBeUndefined();
    expect([follower.calls(), follower.pauses]).toEqual([1, []]);
  });

  test("a subscription", async () => {
    const streamPrefix = freshCategory();
    const events = someEvents(3);
    const writer = openEventStoreDbAt(leader.url);
    await writer.append(`${streamPrefix}a`, "no_stream", events);
    await writer.close();
    await using follower = await withFollower();
    expect(idsOf(await collect(follower.store.readAll(undefined, { streamPrefix })))).toEqual(idsOf(events));
    expect(follower.pauses).toEqual([]);
  });
});
