import { EventStoreDBClient, jsonEvent, streamNameFilter } from "@eventstore/db-client";
import type { EventStore } from "@rubrica/event-store";
import { openEventStoreDb } from "@rubrica/event-store/eventstoredb";
import { startEventStoreDb } from "@rubrica/test-kit/engines";
import { type Extent, percentile, type Row, ratio, runtime } from "./measure.ts";

const ROUNDS = 7;
const WRITERS = 16;
const CHECKPOINT_INTERVAL = 8;
const DATA = { data: { signerId: "019aa5c0-0000-7000-8000-000000000051", text: "x".repeat(300) }, personal: null };
const METADATA = { accountId: "019aa5c0-0000-7000-8000-0000000000a1", text: "y".repeat(300) };

/** Processor time of this process, in milliseconds: others on the machine don't count, nor does the server. */
const processorMs = async (work: () => Promise<void>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** Each of the works in turn, so many times: the medians. */
const interleaved = async (...works: readonly (() => Promise<void>)[]): Promise<number[]> => {
  const rounds: number[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const times: number[] = [];
    for (const work of works) times.push(await processorMs(work));
    // The first compiles what the others run through.
    if (round > 0) rounds.push(times);
  }
  return works.map((_, index) =>
    percentile(
      rounds.map((times) => times[index] ?? 0),
      0.5,
    ),
  );
};

/** The official client, one call an append, as the store has it. */
const bareClient = (url: string): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(url);
  Reflect.set(client, "supports", () => Promise.resolve(false));
  return client;
};

const byWriters = async (count: number, append: (stream: string, revision: number) => Promise<unknown>) => {
  const run = runtime.ids.uuidv7();
  const writer = async (name: number) => {
    for (let revision = 0; revision < count / WRITERS; revision++) await append(`bench-${run}-${name}`, revision);
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, name) => writer(name)));
};

const expectedOf = (revision: number) => (revision === 0 ? "no_stream" : BigInt(revision - 1));

const appendRow = async (client: EventStoreDBClient, store: EventStore, { quick }: Extent): Promise<Row> => {
  const count = quick ? 160 : 1_600;
  const newEvent = () => ({ id: runtime.ids.uuidv7(), type: "Benchmarked", data: DATA, metadata: METADATA });
  const [ours = 0, bare = 0] = await interleaved(
    () => byWriters(count, (stream, revision) => store.append(stream, expectedOf(revision), [newEvent()])),
    () =>
      byWriters(count, (stream, revision) =>
        client.appendToStream(stream, [jsonEvent(newEvent())], {
          expectedRevision: expectedOf(revision),
          requiresLeader: true,
          deadline: 5_000,
        }),
      ),
  );
  return {
    what: "EventStoreDB's double, append: processor time",
    measured: `${((ours / count) * 1000).toFixed(0)} µs`,
    baseline: `the bare client, one call: ${((bare / count) * 1000).toFixed(0)} µs`,
    result: ratio(ours / bare),
    aim: "≤ 1.1",
    note: "the event is made text and measured before it is sent, and sent as it was given then",
  };
};

const readRows = async (client: EventStoreDBClient, store: EventStore, { quick }: Extent): Promise<Row[]> => {
  const count = quick ? 2_000 : 20_000;
  const streamPrefix = `bench${runtime.ids.uuidv7().replaceAll("-", "")}-`;
  for (let written = 0; written < count; written += 500) {
    const events = Array.from({ length: 500 }, () => ({
      id: runtime.ids.uuidv7(),
      type: "Benchmarked",
      data: DATA,
      metadata: METADATA,
    }));
    await store.append(`${streamPrefix}${written}`, "no_stream", events);
  }
  const [reading = 0, following = 0, bare = 0] = await interleaved(
    async () => {
      for await (const _ of store.readAll(undefined, { streamPrefix }));
    },
    async () => {
      const { signal } = new AbortController();
      let seen = 0;
      for await (const { events } of store.subscribeToAll({ streamPrefix, signal })) {
        seen += events.length;
        if (seen >= count) break;
      }
    },
    async () => {
      const filter = streamNameFilter({ prefixes: [streamPrefix], checkpointInterval: CHECKPOINT_INTERVAL });
      const subscription = client.subscribeToAll({ filter });
      let seen = 0;
      for await (const _ of subscription) {
        seen += 1;
        if (seen >= count) break;
      }
    },
  );
  return (
    [
      ["reading all", reading],
      ["following while behind", following],
    ] as const
  ).map(([what, ours]) => ({
    what: `EventStoreDB's double, ${what}: processor time an event`,
    measured: `${((ours / count) * 1000).toFixed(1)} µs`,
    baseline: `a bare filtered subscription: ${((bare / count) * 1000).toFixed(1)} µs`,
    result: ratio(ours / bare),
    aim: "≤ 1.3",
    note: "events are copied to the port's form, in batches with a position to resume from",
  }));
};

/** What the event store adds to EventStoreDB's official client, in processor time, by turns with it. */
export const benchEventStoreDb = async (extent: Extent): Promise<Row[]> => {
  await using server = await startEventStoreDb();
  const { clock, random } = runtime;
  const store = openEventStoreDb({ url: server.url, clock, random, streamPrefixes: [] });
  const client = bareClient(server.url);
  const rows = [await appendRow(client, store, extent), ...(await readRows(client, store, extent))];
  await client.dispose();
  await store.close();
  return rows;
};
