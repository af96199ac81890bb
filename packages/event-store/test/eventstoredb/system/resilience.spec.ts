import { systemClock } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import { type EventStoreDbProcess, startEventStoreDb } from "@rubrica/test-kit/engines";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { EventStoreDbOptions } from "../../../src/eventstoredb/store.ts";
import type { EventStore, RecordedEvent } from "../../../src/index.ts";
import { startCuttingProxy } from "../../helpers/cutting-proxy.ts";
import { anEvent, collect, freshCategory, freshStream, idsOf, someEvents } from "../../helpers/events.ts";
import { openEventStoreDbAt } from "../../helpers/eventstoredb.ts";

let server: EventStoreDbProcess;
const opened: EventStore[] = [];

beforeAll(async () => {
  server = await startEventStoreDb();
});
afterAll(() => server[Symbol.asyncDispose]());
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

/** Starting takes a server long on a busy machine; what is held here is no speed. */
const PATIENTLY = { timeout: 300_000 };
const PATIENT_MS = 60_000;

const open = (options: Partial<EventStoreDbOptions> = {}): EventStore => {
  const store = openEventStoreDbAt(options.url ?? server.url, { limitMs: PATIENT_MS, ...options });
  opened.push(store);
  return store;
};

const isAnswered = (store: EventStore): Promise<boolean> =>
  store.lastPosition().then(
    () => true,
    () => false,
  );

const restart = async () => {
  await server.kill();
  await server.start();
};

/** While the server keeps its connections and says nothing. */
const whileSilent = async (work: () => Promise<void>) => {
  await server.silence();
  try {
    await work();
  } finally {
    server.signal("SIGCONT");
  }
};

/** Follows in the background what is appended to streams of that name, until it is stopped. */
const following = (store: EventStore, streamPrefix: string) => {
  const abort = new AbortController();
  const events: RecordedEvent[] = [];
  const state = { isCaughtUp: false };
  const done = (async () => {
    for await (const batch of store.subscribeToAll({ streamPrefix, signal: abort.signal })) {
      events.push(...batch.events);
      state.isCaughtUp = batch.caughtUp;
    }
  })();
  return {
    events,
    state,
    async stop() {
      abort.abort();
      await done;
    },
  };
};

/** Appends one by one, each after the one before was answered. */
const appendInTurn = async (store: EventStore, stream: string, count: number, onAnswered: () => void) => {
  const events = someEvents(count);
  for (const [index, event] of events.entries()) {
    await store.append(stream, index === 0 ? "no_stream" : BigInt(index - 1), [event]);
    onAnswered();
  }
  return { stream, ids: idsOf(events) };
};

describe("a server that is killed and started again", PATIENTLY, () => {
  test("loses no append and doubles none, and no subscriber misses or repeats one", async () => {
    const store = open();
    const streamPrefix = freshCategory();
    const follower = following(open(), streamPrefix);
    let answered = 0;
    const writers = Array.from({ length: 8 }, (_, writer) =>
      appendInTurn(store, `${streamPrefix}${writer}`, 60, () => {
        answered += 1;
      }),
    );
    for (const upTo of [100, 300]) {
      await eventually("some are answered", () => answered >= upTo);
      await restart();
    }
    const written = await Promise.all(writers);
    for (const { stream, ids } of written) expect(idsOf(await collect(store.readStream(stream)))).toEqual(ids);
    const all = await collect(store.readAll(undefined, { streamPrefix }));
    expect(all).toHaveLength(8 * 60);
    await eventually("the follower has all", () => follower.events.length >= all.length);
    await follower.stop();
    expect(follower.events).toEqual(all);
  });

  test("is waited for by what reads meanwhile", async () => {
    const store = open();
    const streamPrefix = freshCategory();
    const stream = `${streamPrefix}a`;
    const { position } = await store.append(stream, "no_stream", someEvents(400));
    await server.kill();
    const reads = Promise.all([
      collect(store.readStream(stream)),
      collect(store.readAll(undefined, { streamPrefix })),
      store.readLast(stream),
      store.lastPosition(),
    ]);
    await server.start();
    const [ofStream, all, last, lastPosition] = await reads;
    expect(ofStream).toHaveLength(400);
    expect(all).toEqual(ofStream);
    expect(last).toEqual(ofStream.at(-1));
    expect(lastPosition).toEqual(position);
  });

  test("is told of once by a subscription that loses it", async () => {
    const reported: Error[] = [];
    const store = open({ onConnectionLost: (error) => reported.push(error) });
    const streamPrefix = freshCategory();
    const follower = following(store, streamPrefix);
    await eventually("it has caught up", () => follower.state.isCaughtUp);
    await restart();
    await store.append(`${streamPrefix}a`, "no_stream", someEvents(1));
    await eventually("it follows again", () => follower.events.length === 1);
    await follower.stop();
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatchObject({ failure: "unreachable", message: expect.stringContaining("lost") });
  });

  test("is given up after the limit, in one sentence without the password", async () => {
    const url = server.url.replace("esdb://", "esdb://somebody:secret-word@");
    const store = open({ url, limitMs: 1_000 });
    await server.kill();
    try {
      const calls = [
        store.append(freshStream(), "no_stream", someEvents(1)),
        store.readLast(freshStream()),
        store.lastPosition(),
        collect(store.readStream(freshStream())),
        collect(store.readAll()),
      ];
      for (const settled of await Promise.allSettled(calls)) {
        if (settled.status === "fulfilled") throw new Error("it was answered by nobody");
        expect(settled.reason).toMatchObject({ name: "EventStoreDbError", failure: "unreachable" });
        expect(settled.reason.message).toContain("could not be reached for 1000 ms");
        expect(JSON.stringify([settled.reason, settled.reason.message, settled.reason.stack])).not.toContain(
          "secret-word",
        );
      }
    } finally {
      await server.start();
    }
    await eventually("the same store works again", () => isAnswered(store));
  });
});

describe("a server that says nothing", () => {
  test("is given up after the limit, and what it had taken is not doubled", async () => {
    const store = open({ limitMs: 1_000 });
    const stream = freshStream();
    const events = someEvents(2);
    await eventually("it is connected", () => isAnswered(store));
    await whileSilent(async () => {
      const calls = [
        store.append(stream, "no_stream", events),
        store.readLast(stream),
        store.lastPosition(),
        collect(store.readStream(stream)),
        collect(store.readAll()),
      ];
      for (const settled of await Promise.allSettled(calls))
        expect(settled).toMatchObject({ status: "rejected", reason: { failure: "unreachable" } });
    });
    const patient = open();
    expect(await patient.append(stream, "no_stream", events)).toMatchObject({ revision: 1n });
    expect(idsOf(await collect(patient.readStream(stream)))).toEqual(idsOf(events));
  });

  test("holds up neither closing nor what is aborted", async () => {
    // Nothing else would end what waits within the time that a test has.
    const store = open({ url: `${server.url}&keepAliveInterval=120000`, limitMs: 120_000 });
    const follower = following(store, freshCategory());
    await eventually("it has caught up", () => follower.state.isCaughtUp);
    await whileSilent(async () => {
      const beginning = following(store, freshCategory());
      await follower.stop();
      await beginning.stop();
      const another = following(store, freshCategory());
      const calls = [
        store.append(freshStream(), "no_stream", someEvents(1)),
        store.readLast(freshStream()),
        store.lastPosition(),
        collect(store.readAll()),
      ];
      const settled = Promise.allSettled(calls);
      await store.close();
      for (const result of await settled)
        expect(result).toMatchObject({ status: "rejected", reason: { failure: "closed" } });
      await another.stop();
    });
    await expect(store.lastPosition()).rejects.toMatchObject({ failure: "closed" });
  });

  test("is noticed by a subscription that waits, which goes on where it was", async () => {
    const reported: Error[] = [];
    const url = `${server.url}&keepAliveInterval=500&keepAliveTimeout=500`;
    const store = open({ url, onConnectionLost: (error) => reported.push(error) });
    const streamPrefix = freshCategory();
    const follower = following(store, streamPrefix);
    const [before, after] = [someEvents(3), someEvents(3)];
    await open().append(`${streamPrefix}a`, "no_stream", before);
    await eventually("it has all", () => follower.events.length === 3);
    await whileSilent(() => eventually("it is noticed", () => reported.length > 0).then(() => {}));
    await open().append(`${streamPrefix}a`, 2n, after);
    await eventually("it has all again", () => follower.events.length >= 6);
    await follower.stop();
    expect(idsOf(follower.events)).toEqual([...idsOf(before), ...idsOf(after)]);
  });
});

test("an append whose answer was lost is answered as the first, and stored once", async () => {
  await using proxy = await startCuttingProxy(Number(new URL(server.url.replace("esdb:", "http:")).port));
  const store = open({ url: `esdb://127.0.0.1:${proxy.port}?tls=false` });
  const stream = freshStream();
  const [first, second] = [someEvents(2), someEvents(3)];
  await store.append(stream, "no_stream", first);
  proxy.deafen();
  const appending = store.append(stream, 1n, second);
  const other = open();
  await eventually("it is stored", async () => (await other.streamEnd(stream))?.revision === 4n);
  proxy.cut();
  const answer = await appending;
  const stored = await collect(other.readStream(stream));
  expect(idsOf(stored)).toEqual([...idsOf(first), ...idsOf(second)]);
  expect(answer).toEqual({ revision: 4n, position: stored.at(-1)?.position });
});

test("what can't be appended leaves those beside it and after it alone", async () => {
  const store = open();
  const beside = Array.from({ length: 20 }, () => store.append(freshStream(), "no_stream", someEvents(2)));
  const wrong = [
    { ...anEvent(), id: "1" },
    { ...anEvent(), type: "" },
    anEvent({ amount: 1n as unknown as number }),
    anEvent({ filler: "x".repeat(2_000_000) }),
  ].map((event) => store.append(freshStream(), "no_stream", [event]));
  expect((await Promise.allSettled(wrong)).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
  await Promise.all(beside);
  await open().close();
  expect(await store.append(freshStream(), "no_stream", someEvents(1))).toMatchObject({ revision: 0n });
});

test("a consumer that is slow has the server wait: little is held for it", async () => {
  const store = open();
  const streamPrefix = freshCategory();
  for (let n = 0; n < 4; n++)
    await store.append(
      `${streamPrefix}${n}`,
      "no_stream",
      Array.from({ length: 500 }, () => anEvent({ filler: "x".repeat(500) })),
    );
  let given = 0;
  let largest = 0;
  for await (const { events, caughtUp } of store.subscribeToAll({
    streamPrefix,
    signal: new AbortController().signal,
  })) {
    given += events.length;
    largest = Math.max(largest, events.length);
    await systemClock.wait(5);
    if (caughtUp) break;
  }
  expect(given).toBe(2_000);
  expect(largest).toBeLessThanOrEqual(200);
});

test("the last position is found behind others' events, however many", async () => {
  const ours = freshCategory();
  const store = open({ streamPrefixes: [ours] });
  const { position } = await store.append(`${ours}a`, "no_stream", someEvents(2));
  const others = open();
  const othersAppend = () => others.append(freshStream(), "no_stream", someEvents(1_500));
  await othersAppend();
  expect(await store.lastPosition()).toEqual(position);
  await othersAppend();
  expect(await store.lastPosition()).toEqual(position);
  const later = await store.append(`${ours}b`, "no_stream", someEvents(1));
  await othersAppend();
  expect(await store.lastPosition()).toEqual(later.position);
});

test("a cluster is found by any of its members, also after it was away", PATIENTLY, async () => {
  const address = new URL(server.url.replace("esdb:", "http:")).host;
  for (const url of [`esdb+discover://${address}?tls=false`, `esdb://${address},127.0.0.1:1?tls=false`]) {
    const store = open({ url });
    const stream = freshStream();
    await store.append(stream, "no_stream", someEvents(1));
    await server.kill();
    const appends = Array.from({ length: 5 }, () => store.append(freshStream(), "no_stream", someEvents(1)));
    const reading = collect(store.readStream(stream));
    await server.start();
    await Promise.all(appends);
    expect(await reading).toHaveLength(1);
  }
});
