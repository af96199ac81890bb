import { type Clock, systemClock, systemRandom } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import {
  type EventStoreDbProcess,
  type Failing,
  startEventStoreDb,
  startFailingEventStoreDb,
} from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collect, freshCategory, freshStream, idsOf, someEvents } from "../../helpers/events.ts";
import { openEventStoreDbAt } from "../../helpers/eventstoredb.ts";

let leader: EventStoreDbProcess;
beforeAll(async () => {
  leader = await startEventStoreDb();
});
afterAll(() => leader[Symbol.asyncDispose]());

/** How often limits are looked at; a pause between two attempts is of another length. */
const TICK_MS = 50;

/** What a member says that does not lead: who does, which may be nobody that it knows. */
const namingLeader = (url: string): Failing => {
  const [, host = "", port = "2113"] = /^esdb:\/\/([^:]+):(\d+)/.exec(url) ?? [];
  return {
    code: 5,
    details: "Leader info available.",
    trailers: { exception: "not-leader", "leader-endpoint-host": host, "leader-endpoint-port": port },
  };
};

/** The system's clock, and the pauses that were waited for by it. */
const pausing = () => {
  const pauses: number[] = [];
  const clock: Clock = {
    ...systemClock,
    wait: (durationMs, options) => {
      if (durationMs !== TICK_MS) pauses.push(durationMs);
      return systemClock.wait(durationMs, options);
    },
  };
  return { pauses, clock };
};

/** A member that does not lead and names who does, and a store that begins with it. */
const withFollower = async (named = leader.url) => {
  const follower = await startFailingEventStoreDb(namingLeader(named));
  const { pauses, clock } = pausing();
  const store = openEventStoreDbAt(follower.url, { clock });
  return {
    store,
    pauses,
    calls: follower.calls,
    learns: (url: string) => follower.failBy(namingLeader(url)),
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

test("a member that names nobody is asked again, and followed once it knows who leads", async () => {
  await using follower = await withFollower("");
  const appending = follower.store.append(freshStream(), "no_stream", someEvents(1));
  await eventually("it was asked", () => follower.calls() > 0);
  const asked = follower.calls();
  follower.learns(leader.url);
  expect((await appending).revision).toBe(0n);
  expect(follower.calls()).toBe(asked + 1);
});

test("a call outlasts ten seconds in which nobody leads", async () => {
  await using follower = await startFailingEventStoreDb(namingLeader(""));
  let skippedMs = 0;
  const clock: Clock = {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    wait: async (durationMs, options) => {
      if (durationMs === TICK_MS) return systemClock.wait(durationMs, options);
      skippedMs += durationMs;
      if (skippedMs >= 10_000) follower.failBy(namingLeader(leader.url));
    },
  };
  const store = openEventStoreDbAt(follower.url, { clock });
  expect((await store.append(freshStream(), "no_stream", someEvents(1))).revision).toBe(0n);
  expect(skippedMs).toBeGreaterThanOrEqual(10_000);
  await store.close();
});

/** So many pauses are waited for, during the last of which the store is closed. */
const PAUSES = 6;

test("two members that name each other are asked with a pause before each call but the second", async () => {
  await using one = await startFailingEventStoreDb(namingLeader(""));
  await using other = await startFailingEventStoreDb(namingLeader(one.url));
  one.failBy(namingLeader(other.url));
  const pauses: number[] = [];
  const random = { ...systemRandom, fraction: () => 0.5 };
  const clock: Clock = {
    ...systemClock,
    // It stands still, so that no limit ends a call which was made and did not arrive yet.
    monotonicMs: () => 0,
    wait: async (durationMs, options) => {
      if (durationMs === TICK_MS) return systemClock.wait(durationMs, options);
      if (pauses.push(durationMs) === PAUSES) void store.close();
    },
  };
  const store = openEventStoreDbAt(one.url, { clock, random });
  await expect(store.append(freshStream(), "no_stream", someEvents(1))).rejects.toMatchObject({ failure: "closed" });
  await store.close();
  expect(pauses).toHaveLength(PAUSES);
  expect(one.calls() + other.calls()).toBe(PAUSES + 1);
});
