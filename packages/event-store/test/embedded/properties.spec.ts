import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ConflictError,
  type EventStore,
  type ExpectedRevision,
  type JsonObject,
  type NewEvent,
} from "../../src/index.ts";
import { openAt, temporaryFolder } from "../helpers/embedded.ts";
import { anEvent, collect, followUntil, idsOf, someEvents } from "../helpers/events.ts";

/** One append of a random run; `offBy` makes its expected revision wrong, `repeat` sends an earlier one again. */
interface Step {
  stream: number;
  count: number;
  offBy: number;
  repeat: boolean;
  /** Wait for all that is on its way before this one. */
  settle: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    stream: fc.nat(3),
    count: fc.integer({ min: 1, max: 4 }),
    offBy: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
    ),
    repeat: fc.boolean(),
    settle: fc.boolean(),
  }),
  { maxLength: 60 },
);

interface Request {
  stream: string;
  expected: ExpectedRevision;
  events: NewEvent[];
}

const revisionOf = (count: number): ExpectedRevision => (count <= 0 ? "no_stream" : BigInt(count - 1));

/** What a store is, said simply: the ids of all events in order, and of each stream. */
class Model {
  readonly all: string[] = [];
  readonly streams = new Map<string, string[]>();

  lengthOf(stream: string): number {
    return this.streams.get(stream)?.length ?? 0;
  }

  /** The revision that the append answers with, or "conflict". */
  append({ stream, expected, events }: Request): bigint | "conflict" {
    const present = this.streams.get(stream) ?? [];
    const start = expected === "no_stream" ? 0 : Number(expected) + 1;
    const ids = idsOf(events);
    if (start === present.length) {
      this.streams.set(stream, [...present, ...ids]);
      this.all.push(...ids);
    } else if (present.slice(start, start + ids.length).join() !== ids.join()) return "conflict";
    return BigInt(start + ids.length - 1);
  }
}

const outcomeOf = (store: EventStore, { stream, expected, events }: Request): Promise<bigint | "conflict"> =>
  store.append(stream, expected, events).then(
    ({ revision }) => revision,
    (error: unknown) => {
      if (error instanceof ConflictError) return "conflict";
      throw error;
    },
  );

const requestFor = (step: Step, length: number, earlier: readonly Request[]): Request => {
  const repeated = step.repeat ? earlier[step.count] : undefined;
  if (repeated) return repeated;
  return {
    stream: `stream-${step.stream}`,
    expected: revisionOf(length + step.offBy),
    events: someEvents(step.count),
  };
};

test("any interleaving of appends to one store ends as the model says", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (run) => {
      const store = openAt(":memory:");
      const model = new Model();
      const requests: Request[] = [];
      const pending: Promise<void>[] = [];
      for (const step of run) {
        if (step.settle) await Promise.all(pending);
        const request = requestFor(step, model.lengthOf(`stream-${step.stream}`), requests);
        requests.push(request);
        const said = model.append(request);
        pending.push(outcomeOf(store, request).then((outcome) => expect(outcome).toBe(said)));
      }
      await Promise.all(pending);
      const all = await collect(store.readAll());
      expect(idsOf(all)).toEqual(model.all);
      for (const [stream, ids] of model.streams) {
        const events = await collect(store.readStream(stream));
        expect(idsOf(events)).toEqual(ids);
        expect(events.map(({ revision }) => Number(revision))).toEqual(ids.map((_, index) => index));
      }
      await store.close();
    }),
    { numRuns: 150 },
  );
});

test("writers on two connections to one file lose and double nothing, and all see one order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(1), steps), { minLength: 2, maxLength: 4 }), async (writers) => {
      const folder = temporaryFolder();
      const stores = [openAt(join(folder.path, "e.sqlite")), openAt(join(folder.path, "e.sqlite"))] as const;
      const stored: string[] = [];
      const write = async (store: EventStore, run: Step[]) => {
        for (const { stream, count } of run) {
          const name = `stream-${stream}`;
          const end = await store.streamEnd(name);
          const request = { stream: name, expected: end?.revision ?? "no_stream", events: someEvents(count) } as const;
          if ((await outcomeOf(store, request)) !== "conflict") stored.push(...idsOf(request.events));
        }
      };
      await Promise.all(writers.map(([which, run]) => write(stores[which === 0 ? 0 : 1], run)));
      const all = await collect(stores[0].readAll());
      expect(idsOf(all).toSorted()).toEqual(stored.toSorted());
      expect(await collect(stores[1].readAll())).toEqual(all);
      const next = new Map<string, bigint>();
      for (const [index, { stream, revision, position }] of all.entries()) {
        expect([position.commit, revision]).toEqual([BigInt(index + 1), next.get(stream) ?? 0n]);
        next.set(stream, revision + 1n);
      }
      await Promise.all(stores.map((store) => store.close()));
      folder.remove();
    }),
    { numRuns: 25 },
  );
});

test("any JSON comes back as it went in", async () => {
  const store = openAt(":memory:");
  let expected: ExpectedRevision = "no_stream";
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), async (value) => {
      const data = JSON.parse(JSON.stringify(value)) as JsonObject;
      ({ revision: expected } = await store.append("json-1", expected, [anEvent(data)]));
      expect((await store.readLast("json-1"))?.data).toEqual(data);
    }),
    { numRuns: 300 },
  );
  await store.close();
});

test("a subscription that is cut anywhere and resumed gives each event once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 40 }), fc.nat(5), async (streams, every) => {
      const store = openAt(":memory:");
      const given: string[] = [];
      let after: Parameters<EventStore["subscribeToAll"]>[0]["after"];
      const lengths = [0, 0, 0, 0];
      for (const [index, stream] of streams.entries()) {
        const length = lengths[stream] ?? 0;
        await store.append(`stream-${stream}`, revisionOf(length), someEvents(1));
        lengths[stream] = length + 1;
        if (index % (every + 1) !== 0) continue;
        const { batches } = await followUntil(store, { after, streamPrefix: "stream-1" }, (_, batch) => batch.caughtUp);
        given.push(...batches.flatMap((batch) => idsOf(batch.events)));
        after = batches.at(-1)?.position;
      }
      const { events } = await followUntil(store, { after, streamPrefix: "stream-1" }, (_, batch) => batch.caughtUp);
      expect([...given, ...idsOf(events)]).toEqual(idsOf(await collect(store.readStream("stream-1"))));
      await store.close();
    }),
    { numRuns: 100 },
  );
});
