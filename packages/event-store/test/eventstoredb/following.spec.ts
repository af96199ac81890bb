import { Readable } from "node:stream";
import { ManualClock, seededRandom } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import type { SteadyClient } from "../../src/eventstoredb/client.ts";
import { Deadlines } from "../../src/eventstoredb/deadlines.ts";
import { follow } from "../../src/eventstoredb/following.ts";

/** What is left of the client where nothing is asked over the wire. */
const silentClient = () => {
  const subscriptions: Readable[] = [];
  const left: unknown[] = [];
  const client = {
    isOfCluster: true,
    onLeft: new Set<() => void>(),
    get connection() {
      return `connection ${left.length}`;
    },
    leave: async (connection: unknown) => void left.push(connection),
    subscribeToAll: () => {
      const subscription = new Readable({ objectMode: true, read: () => undefined });
      subscriptions.push(subscription);
      return Object.assign(subscription, { unsubscribe: async () => undefined });
    },
  };
  return { client: client as unknown as SteadyClient, left, subscriptions };
};

/** Follows until `subscriptions` were begun one after the other: what ends one is `meanwhile`, or time that passes. */
const followed = async (wanted: number, meanwhile: (subscription: Readable) => void) => {
  const { client, left, subscriptions } = silentClient();
  const clock = new ManualClock();
  const ending = new AbortController();
  const { signal } = ending;
  const deadlines = new Deadlines(clock, signal);
  const patience = { clock, random: seededRandom(1), limitMs: 60_000, closing: signal, deadlines, client };
  const following = follow({
    ...{ client, patience, signal, after: undefined, wanted: { streamPrefixes: [] } },
    ...{ givesUp: false, end: async () => undefined, onConnectionLost: () => undefined },
  });
  const next = following.next();
  while (subscriptions.length < wanted) {
    const before = subscriptions.at(-1);
    if (before && !before.destroyed) meanwhile(before);
    clock.advance(50);
    await new Promise(setImmediate);
  }
  ending.abort();
  await next;
  return { left, passedMs: clock.monotonicMs() };
};

test("a member that says nothing for 10 s is left, each time the one that was asked", async () => {
  const { left, passedMs } = await followed(3, () => undefined);
  expect(left).toEqual(["connection 0", "connection 1"]);
  expect(passedMs).toBeGreaterThanOrEqual(20_000);
});

test("a member that ends a subscription is not left", async () => {
  const { left } = await followed(3, (subscription) => subscription.destroy());
  expect(left).toEqual([]);
});
