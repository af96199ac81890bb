import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  type AppendExpectedRevision,
  BACKWARDS,
  END,
  EventStoreDBClient,
  type JSONEventType,
  jsonEvent,
  MaxAppendSizeExceededError,
  type Position,
  StreamNotFoundError,
  streamNameFilter,
  UnknownError,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { systemClock, systemRuntime } from "@rubrica/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve } from "../../../src/engines/eventstoredb/server.ts";
import { type EventStoreDbProcess, startEventStoreDb } from "../../../src/engines/index.ts";
import { eventually, freePort } from "../../../src/index.ts";
import { followWarningsOf } from "../../../src/warnings.ts";

// How EventStoreDB 23.10.6 behaves under its official client, its faults included, as it was measured on a true server.
// The double has to behave so, since what the event store takes care of can't be seen otherwise.

let server: EventStoreDbProcess;
let client: EventStoreDBClient;
beforeAll(async () => {
  server = await startEventStoreDb();
  client = EventStoreDBClient.connectionString(server.url);
});
afterAll(async () => {
  await client.dispose();
  await server[Symbol.asyncDispose]();
});

const { ids } = systemRuntime();
const freshStream = () => `fact-${ids.uuidv7()}`;
const event = (data: JSONEventType["data"] = {}) => jsonEvent({ id: ids.uuidv7(), type: "Happened", data });
type NewEvent = ReturnType<typeof event>;

/** With credentials the client appends by a call of its own, without by its one stream of appends. */
const ways = [
  ["in a batch", {}],
  ["by a call of its own", { credentials: { username: "any", password: "any" } }],
] as const;

const positionsOf = async (events: AsyncIterable<{ event?: { position?: Position } }>) => {
  const all: bigint[] = [];
  for await (const resolved of events) all.push(resolved.event?.position?.commit ?? -1n);
  return all;
};

const settled = (promise: Promise<unknown>) =>
  promise.then(
    () => "appended",
    (error: Error) => error.constructor.name,
  );
const settledIn = (promise: Promise<unknown>, limitMs: number) =>
  Promise.race([settled(promise), systemClock.wait(limitMs).then(() => "unsettled")]);

describe.each(ways)("an append %s", (_way, options) => {
  const append = (stream: string, expectedRevision: AppendExpectedRevision, ...events: NewEvent[]) =>
    client.appendToStream(stream, events, { expectedRevision, ...options });
  const dataOf = async (stream: string) => {
    const all: unknown[] = [];
    for await (const resolved of client.readStream(stream)) all.push(resolved.event?.data);
    return all;
  };
  const conflictOf = (appending: Promise<unknown>) =>
    appending.then(
      () => undefined,
      (error: unknown) => error,
    );

  test("repeated with the same ids and revision answers as the first, later events or not", async () => {
    const stream = freshStream();
    const [one, two] = [event(), event()];
    const first = await append(stream, "no_stream", one, two);
    expect(await append(stream, "no_stream", one, two)).toEqual(first);
    await append(stream, 1n, event());
    expect(await append(stream, "no_stream", one, two)).toEqual(first);
    expect(await dataOf(stream)).toHaveLength(3);
  });

  test("repeated with one id more, or another, conflicts", async () => {
    const stream = freshStream();
    const [one, two] = [event(), event()];
    await append(stream, "no_stream", one, two);
    for (const events of [
      [one, two, event()],
      [one, event()],
    ])
      expect(await conflictOf(append(stream, "no_stream", ...events))).toBeInstanceOf(WrongExpectedVersionError);
  });

  test("with a used id and other data is the first: the data is ignored in silence", async () => {
    const stream = freshStream();
    const one = event({ amount: 1 });
    const first = await append(stream, "no_stream", one);
    expect(await append(stream, "no_stream", { ...one, data: { amount: 2 } })).toEqual(first);
    expect(await dataOf(stream)).toEqual([{ amount: 1 }]);
  });

  test("with any revision is recognized only while it is the latest", async () => {
    const stream = freshStream();
    const [one, two] = [event({ n: 1 }), event({ n: 2 })];
    await append(stream, "any", one);
    await append(stream, "any", one);
    await append(stream, "any", two);
    await append(stream, "any", one);
    expect(await dataOf(stream)).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }]);
  });

  test("that conflicts fails without a message, and says where the stream is", async () => {
    const stream = freshStream();
    expect(await conflictOf(append(stream, 3n, event()))).toMatchObject({
      message: "",
      streamName: stream,
      expectedVersion: 3n,
      actualVersion: "no_stream",
    });
    await append(stream, "no_stream", event());
    expect(await conflictOf(append(stream, "no_stream", event()))).toMatchObject({
      message: "",
      expectedVersion: "no_stream",
      actualVersion: 0n,
    });
  });

  test("holds 1,048,576 bytes at most: data, metadata, and two bytes a character of the type", async () => {
    const frame = '{"filler":""}{}'.length + 2 * "Happened".length;
    const sized = (bytes: number) => ({ ...event({ filler: "x".repeat(bytes - frame) }), metadata: {} });
    const stream = freshStream();
    await append(stream, "no_stream", sized(500_000), sized(548_576));
    expect(await conflictOf(append(stream, 1n, sized(500_000), sized(548_577)))).toBeInstanceOf(
      MaxAppendSizeExceededError,
    );
    expect(await dataOf(stream)).toHaveLength(2);
  });
});

describe("the client's batch path", () => {
  const wedged = async (name: string): Promise<unknown> => {
    const script = join(import.meta.dirname, "..", "wedging.ts");
    const child = spawn(process.execPath, ["--trace-warnings", script, server.url, name]);
    followWarningsOf("wedged", child, true);
    const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
    return JSON.parse(printed);
  };

  test.each(["invalid id", "empty type"])("is wedged for good by an %s, until it is disposed of", async (name) => {
    const became = { first: "unsettled", next: "unsettled", unary: "appended", afterDispose: "appended" };
    expect(await wedged(name)).toEqual({ ...became, unhandled: true });
  });

  test("never settles what holds a bigint", async () => {
    expect(await wedged("bigint")).toMatchObject({ first: "unsettled", next: "appended", unhandled: true });
  });

  test("is wedged by another client of the same process that is disposed of", async () => {
    expect(await wedged("another client disposed")).toMatchObject({ next: "unsettled" });
  });

  test("obeys no deadline where the server says nothing, as the other path does", async () => {
    await client.appendToStream(freshStream(), event());
    await server.silence();
    try {
      const [[, batch], [, unary]] = ways;
      const append = (options: object) => client.appendToStream(freshStream(), event(), { deadline: 200, ...options });
      expect(await settled(append(unary))).toBe("DeadlineExceededError");
      expect(await settledIn(append(batch), 1_000)).toBe("unsettled");
    } finally {
      server.signal("SIGCONT");
    }
  });
});

describe("reading", () => {
  test("of a missing stream fails with StreamNotFoundError", async () => {
    await expect(positionsOf(client.readStream(freshStream()))).rejects.toBeInstanceOf(StreamNotFoundError);
  });

  test("of all includes the position that it begins with, where a subscription excludes it", async () => {
    const stream = freshStream();
    await client.appendToStream(stream, [event(), event(), event()]);
    const positions = await positionsOf(client.readStream(stream));
    const [first, second, third] = positions;
    const fromPosition = { commit: second ?? 0n, prepare: second ?? 0n };
    expect((await positionsOf(client.readAll({ fromPosition }))).slice(0, 2)).toEqual([second, third]);
    const subscription = client.subscribeToAll({ fromPosition, filter: streamNameFilter({ prefixes: [stream] }) });
    for await (const resolved of subscription) {
      expect(resolved.event?.position?.commit).toBe(third);
      break;
    }
    const before = await positionsOf(client.readAll({ direction: BACKWARDS, fromPosition, maxCount: 3 }));
    expect(before[0]).toBe(first);
    const latest = await positionsOf(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 3 }));
    expect(latest).toEqual(latest.toSorted((a, b) => Number(b - a)));
    expect(Number(latest[0])).toBeGreaterThanOrEqual(Number(third));
  });
});

describe("a filtered subscription", () => {
  test("is confirmed, says how far it looked, some checkpoints without a prepare position, and that it caught up", async () => {
    const prefix = freshStream();
    const fromPosition = (await client.appendToStream(prefix, event())).position;
    const others = (count: number) =>
      client.appendToStream(
        freshStream(),
        Array.from({ length: count }, () => event()),
      );
    await others(64 * 4);
    const checkpoints: Position[] = [];
    const words: string[] = [];
    const subscription = client.subscribeToAll({
      ...(fromPosition ? { fromPosition } : {}),
      filter: streamNameFilter({
        prefixes: [prefix],
        checkpointInterval: 2,
        checkpointReached: async (_, position) => void checkpoints.push(position),
      }),
    });
    subscription.on("confirmation", () => words.push("confirmation")).on("caughtUp", () => words.push("caughtUp"));
    subscription.on("data", () => words.push("event"));
    await eventually("it has caught up", () => words.includes("caughtUp"));
    await others(64);
    await eventually("it looked at what came later", () => checkpoints.length >= 5);
    await subscription.unsubscribe();
    expect(words).toEqual(["confirmation", "caughtUp"]);
    const commits = checkpoints.slice(0, 5).map(({ commit }) => commit - (fromPosition?.commit ?? 0n));
    expect(commits).toEqual([64n, 128n, 192n, 256n, 320n]);
    expect(checkpoints.every(({ prepare, commit }) => prepare === 0n || prepare === commit)).toBe(true);
    expect(checkpoints.some(({ prepare }) => prepare === 0n)).toBe(true);
  });
});

describe("a server that goes", () => {
  /** What a subscription was told, from when it had caught up. */
  const watched = async (url = server.url) => {
    const own = EventStoreDBClient.connectionString(url);
    const told: string[] = [];
    const subscription = own.subscribeToAll({ fromPosition: END });
    let isLive = false;
    subscription.on("caughtUp", () => {
      isLive = true;
    });
    subscription.on("data", () => told.push("event"));
    subscription.on("error", (error) => told.push(error.constructor.name)).on("end", () => told.push("end"));
    await eventually("it has caught up", () => isLive);
    return { told, dispose: () => own.dispose() };
  };

  test("ends subscriptions with an error, which never come back, while the client does", async () => {
    const { told, dispose } = await watched();
    await server.kill();
    // An append that another test gave up may still come before.
    const endedAt = () => told.findIndex((word) => word !== "event");
    await eventually("it is told", () => endedAt() >= 0);
    const append = () => client.appendToStream(freshStream(), event());
    const failures: unknown[] = [];
    for (let n = 0; n < 3; n++) await append().catch((error: unknown) => failures.push(error));
    expect(failures).toHaveLength(3);
    expect(failures.at(-1)).toMatchObject({ constructor: Error, code: 14 });
    await server.start();
    await eventually("the client appends again", () => append().then(Boolean, () => false));
    expect(told.slice(endedAt())).toEqual([expect.stringMatching(/^(UnavailableError|UnknownError)$/)]);
    await dispose();
  });

  test("answers that it is not ready while it starts, which comes as an UnknownError", async () => {
    const store = openEmbeddedEventStore({ path: ":memory:", clock: systemClock });
    const port = await freePort();
    const starting = await serve({ store, port, ids, isStarting: () => true });
    const own = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${port}?tls=false`);
    const [, unary] = ways;
    for (const call of [
      () => positionsOf(own.readAll({ maxCount: 1 })),
      () => own.appendToStream(freshStream(), event(), unary[1]),
      () => own.appendToStream(freshStream(), event()),
    ])
      await expect(call()).rejects.toThrow("Server Is Not Ready");
    await expect(positionsOf(own.readAll({ maxCount: 1 }))).rejects.toBeInstanceOf(UnknownError);
    await own.dispose();
    starting.forceShutdown();
    await store.close();
  });

  test("goes on for 5 s after SIGTERM with what is open", async () => {
    await using another = await startEventStoreDb();
    const { told, dispose } = await watched(another.url);
    const own = EventStoreDBClient.connectionString(another.url);
    // It is connected then: on a busy machine that may take longer than the five seconds.
    await own.appendToStream(freshStream(), event());
    await eventually("the first event", () => told.length === 1);
    another.signal("SIGTERM");
    await own.appendToStream(freshStream(), event());
    await eventually("the subscription is told", () => told.some((word) => word !== "event"));
    expect(told.slice(0, 2)).toEqual(["event", "event"]);
    expect(told.at(-1)).toMatch(/^(UnavailableError|UnknownError|CancelledError)$/);
    await own.dispose();
    await dispose();
  });
});

test("a silent server ends what reads by the keepalive alone", async () => {
  const own = EventStoreDBClient.connectionString(`${server.url}&keepAliveInterval=1000&keepAliveTimeout=1000`);
  await positionsOf(own.readAll({ maxCount: 1 }));
  await server.silence();
  try {
    const reading = positionsOf(own.readAll({ maxCount: 1, deadline: 100 }));
    reading.catch(() => {});
    expect(await settledIn(reading, 250)).toBe("unsettled");
    expect(await settled(reading)).toMatch(/^(UnavailableError|UnknownError)$/);
  } finally {
    server.signal("SIGCONT");
  }
  await own.dispose();
});
