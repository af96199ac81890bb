import { EventStoreDBClient, jsonEvent, streamNameFilter } from "@eventstore/db-client";
import type { EventStore } from "@rubrica/event-store";
import { openEventStoreDb } from "@rubrica/event-store/eventstoredb";
import { startEventStoreDb } from "@rubrica/test-kit/engines";
import { type Extent, percentile, perSecond, type Row, ratio, runtime, timeOf, whole } from "./measure.ts";

const ROUNDS = 7;
const WRITERS = 16;
const CHECKPOINT_INTERVAL = 8;
/** Events that the guard has read, each time: of a quarter of these, processor times differed by half from run to run. */
const GUARDED_READS = 20_000;
const DATA = { data: { signerId: "019aa5c0-0000-7000-8000-000000000051", text: "x".repeat(300) }, personal: null };
const METADATA = { accountId: "019aa5c0-0000-7000-8000-0000000000a1", text: "y".repeat(300) };

const microseconds = (ms: number): string => (ms * 1_000).toFixed(ms < 0.1 ? 1 : 0);

/** What a piece of work took, in milliseconds. */
interface Took {
  wallMs: number;
  /** Of this process: others on the machine don't count, nor does the server. */
  processorMs: number;
}

const took = async (work: () => Promise<void>): Promise<Took> => {
  const before = process.cpuUsage();
  const wallMs = await timeOf(work);
  const { user, system } = process.cpuUsage(before);
  return { wallMs, processorMs: (user + system) / 1000 };
};

/** Each of the works in turn, so many times: the medians. */
const interleaved = async (...works: readonly (() => Promise<void>)[]): Promise<Took[]> => {
  const rounds: Took[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const times: Took[] = [];
    for (const work of works) times.push(await took(work));
    // The first compiles what the others run through.
    if (round > 0) rounds.push(times);
  }
  const medianOf = (values: readonly (number | undefined)[]): number =>
    percentile(
      values.map((value) => value ?? Number.NaN),
      0.5,
    );
  return works.map((_, index) => ({
    wallMs: medianOf(rounds.map((times) => times[index]?.wallMs)),
    processorMs: medianOf(rounds.map((times) => times[index]?.processorMs)),
  }));
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
  const count = quick ? 800 : 1_600;
  const newEvent = () => ({ id: runtime.ids.uuidv7(), type: "Benchmarked", data: DATA, metadata: METADATA });
  const [ours, bare] = (await interleaved(
    () => byWriters(count, (stream, revision) => store.append(stream, expectedOf(revision), [newEvent()])),
    () =>
      byWriters(count, (stream, revision) =>
        client.appendToStream(stream, [jsonEvent(newEvent())], {
          expectedRevision: expectedOf(revision),
          requiresLeader: true,
          deadline: 5_000,
        }),
      ),
  )) as [Took, Took];
  return {
    what: "EventStoreDB's double, append: processor time",
    measured: `${microseconds(ours.processorMs / count)} µs`,
    baseline: `the bare client, one call: ${microseconds(bare.processorMs / count)} µs`,
    result: ratio(ours.processorMs / bare.processorMs),
    aim: "≤ 1.1",
    note: "the event is made text and measured before it is sent, and sent as it was given then",
  };
};

const readRows = async (client: EventStoreDBClient, store: EventStore, count: number): Promise<Row[]> => {
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
  const [reading, following, bare] = (await interleaved(
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
  )) as [Took, Took, Took];
  return (
    [
      ["reading all", reading],
      ["following while behind", following],
    ] as const
  ).flatMap(([what, ours]): Row[] => [
    {
      what: `EventStoreDB's double, ${what}`,
      measured: `${whole(perSecond(count, ours.wallMs))}/s`,
      baseline: `a bare filtered subscription: ${whole(perSecond(count, bare.wallMs))}/s`,
      result: ratio(bare.wallMs / ours.wallMs),
      value: bare.wallMs / ours.wallMs,
      aim: "≥ 0.8",
      note: "events are copied to the port's form, in batches with a position to resume from",
    },
    {
      what: `EventStoreDB's double, ${what}: processor time an event`,
      measured: `${microseconds(ours.processorMs / count)} µs`,
      baseline: `a bare filtered subscription: ${microseconds(bare.processorMs / count)} µs`,
      result: ratio(ours.processorMs / bare.processorMs),
      value: ours.processorMs / bare.processorMs,
      aim: "≤ 1.3",
      note: "as above",
    },
  ]);
};

/** With EventStoreDB's double, the store and the bare client on it. */
const withDouble = async <Result>(
  measure: (client: EventStoreDBClient, store: EventStore) => Promise<Result>,
): Promise<Result> => {
  await using server = await startEventStoreDb();
  const { clock, random } = runtime;
  const store = openEventStoreDb({ url: server.url, clock, random, streamPrefixes: [] });
  const client = bareClient(server.url);
  try {
    return await measure(client, store);
  } finally {
    await client.dispose();
    await store.close();
  }
};

/** What the event store adds to EventStoreDB's official client, by turns with it. */
export const benchEventStoreDb = (extent: Extent): Promise<Row[]> =>
  withDouble(async (client, store) => [
    await appendRow(client, store, extent),
    ...(await readRows(client, store, extent.quick ? 2_000 : 20_000)),
  ]);

/** As ratios to a bare filtered subscription: how fast events are read and followed, and processor time an event. */
export const readRatios = async (): Promise<Record<string, number>> => {
  const rows = await withDouble((client, store) => readRows(client, store, GUARDED_READS));
  const [reading, readingProcessor, following, followingProcessor] = rows.map(({ value = Number.NaN }) => value);
  return { reading, readingProcessor, following, followingProcessor } as Record<string, number>;
};
