import type { Obligation, ObligationKind, PublishedObligation } from "@rubrica/domain";
import { derivedId, sample } from "@rubrica/events";
import { BusFullError, type BusMessage } from "@rubrica/message-bus";
import {
  type DocumentChange,
  laneOf,
  noticesObligations,
  type ObligationsCollection,
  type OpenObligationRecord,
  obligations,
  openEmbeddedReadModelStore,
  owedId,
  owedKey,
  type Part,
} from "@rubrica/read-models";
import { isoTime } from "@rubrica/runtime";
import { testRuntime } from "@rubrica/runtime/testing";
import { createObligationPublisher } from "../src/obligation-publisher.ts";

const START_MS = Date.UTC(2026, 0, 1);

/** An obligation that falls due so many milliseconds after the clock's start, by an event of that start. */
export const owed = (id: string, dueInMs = 0, kind: ObligationKind = "send-template"): Obligation => ({
  id,
  kind,
  signerId: null,
  webhookType: null,
  dueAt: isoTime(START_MS + dueInMs),
  since: isoTime(START_MS),
  attempts: 0,
  reason: null,
});

/** The read model, the bus and the clock that a publisher stands between. */
export const openWorld = () => {
  const runtime = testRuntime();
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const kept = new Map<string, Obligation[]>();
  const published: BusMessage[] = [];
  const full = new Set<string>();
  const errors: unknown[] = [];
  const world = {
    reads: 0,
    /** Thrown by the next publishing, once. */
    failure: undefined as Error | undefined,
  };
  let commit = 0n;

  /** An owner's records, as the projection writes them when so much is open; `tookMs`: what receivers took last. */
  const write = async (
    name: string,
    open: readonly Obligation[],
    { accountId = sample.accountId, collection = obligations as ObligationsCollection, tookMs = 80 } = {},
  ): Promise<DocumentChange> => {
    commit += 1n;
    const id = derivedId(name);
    const owner =
      collection === obligations
        ? { documentId: id }
        : collection === noticesObligations
          ? { noticesId: id }
          : { bulkId: id };
    const gone = (kept.get(name) ?? []).filter((before) => !open.some((one) => one.id === before.id));
    const parts: Part[] = [
      ...gone.map((obligation) => ({ id: owedId(obligation.id), document: null })),
      ...open.map((obligation) => {
        const due = owedKey(obligation.kind, laneOf({ accountId, obligation }), obligation.dueAt, obligation.id);
        const document: OpenObligationRecord = { ...owner, accountId, obligation, due };
        return { id: owedId(obligation.id), document };
      }),
    ];
    kept.set(name, [...open]);
    const position = { commit, prepare: commit };
    const webhooks = [...gone, ...open].map((obligation) => ({
      obligation,
      isOver: gone.includes(obligation),
      tookMs,
    }));
    const change = { id, position, document: { ...owner, open, webhooks }, parts };
    await store.apply([{ generation: await store.liveGeneration(collection), changes: [change] }], position);
    return change;
  };

  const bus = {
    async publish(message: BusMessage) {
      if (full.has(message.subject)) throw new BusFullError(message.subject);
      if (world.failure) {
        const error = world.failure;
        world.failure = undefined;
        throw error;
      }
      published.push(message);
    },
  };

  /** Starts a publisher, as a start of the service does. */
  const start = (
    caughtUp: Promise<void> = Promise.resolve(),
    kinds: ObligationKind[] = ["send-template", "seal", "webhook"],
  ) => {
    const ending = new AbortController();
    const publisher = createObligationPublisher({
      readModels: {
        checkpointOf: (collection) => store.checkpointOf(collection),
        findRange(collection, field, range) {
          world.reads += 1;
          return store.findRange(collection, field, range);
        },
      },
      bus,
      runtime,
      caughtUp,
      onError: (error) => errors.push(error),
    });
    const running = publisher.run(kinds, ending.signal);
    return {
      tell: (change: DocumentChange) => publisher.changed("obligations", [change]),
      /** The projection writes records, and tells of them. */
      change: async (name: string, open: readonly Obligation[], accountId = sample.accountId, tookMs = 80) => {
        publisher.changed("obligations", [await write(name, open, { accountId, tookMs })]);
      },
      stop: async () => {
        ending.abort();
        await running;
      },
    };
  };

  return {
    world,
    runtime,
    store,
    write,
    full,
    errors,
    published,
    start,
    /** The obligations that were published since the last call, by id. */
    news: async (): Promise<string[]> => {
      await settled();
      return published.splice(0).map(({ body }) => (body as unknown as PublishedObligation).obligation.id);
    },
    /** Lets time pass in steps of a sweep. */
    pass: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 250) {
        await settled();
        runtime.clock.advance(Math.min(250, ms - passed));
      }
      await settled();
    },
  };
};

/** Everything that is ready to run has run. */
export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
};
