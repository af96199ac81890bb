import type { Obligation, ObligationKind, PublishedObligation } from "@rubrica/domain";
import { derivedId, sample } from "@rubrica/events";
import { BusFullError, type BusMessage } from "@rubrica/message-bus";
import type {
  BulkObligationsDocument,
  DocumentChange,
  ObligationsDocument,
  ReadModelStore,
  StoredDocument,
} from "@rubrica/read-models";
import { isoTime } from "@rubrica/runtime";
import { testRuntime } from "@rubrica/runtime/testing";
import { createObligationPublisher } from "../src/index.ts";

/** An obligation that falls due so many milliseconds after the clock's start. */
export const owed = (id: string, dueInMs = 0, kind: ObligationKind = "send-template"): Obligation => ({
  id,
  kind,
  signerId: null,
  webhookType: null,
  dueAt: isoTime(Date.UTC(2026, 0, 1) + dueInMs),
  attempts: 0,
});

/** The read model, the bus and the clock that a publisher stands between. */
export const openWorld = () => {
  const runtime = testRuntime();
  const stored = new Map<string, StoredDocument<ObligationsDocument>>();
  /** Bulk calls' records; they are as they are. */
  const bulks: StoredDocument<BulkObligationsDocument>[] = [];
  const published: BusMessage[] = [];
  const full = new Set<string>();
  const errors: unknown[] = [];
  const world = {
    scans: 0,
    /** Thrown by the next publishing, once. */
    failure: undefined as Error | undefined,
  };
  let commit = 0n;

  /** A document's record, as the projection writes it when so much is open. */
  const write = (document: string, ...open: Obligation[]): DocumentChange => {
    commit += 1n;
    const dueTimes = open.map(({ dueAt }) => dueAt).sort();
    const record: ObligationsDocument = {
      documentId: derivedId(document),
      accountId: sample.accountId,
      channel: "v2",
      sendMessages: true,
      hasWebhook: false,
      status: "pending",
      sealed: false,
      evidence: "none",
      reported: false,
      refunded: false,
      signers: [],
      open,
      nextDueAt: dueTimes[0] ?? null,
    };
    const change = { id: record.documentId, position: { commit, prepare: commit }, document: record };
    stored.set(change.id, change);
    return change;
  };

  const readModels: Pick<ReadModelStore, "findUpTo"> = {
    async findUpTo(collection, _field, value, limit) {
      if (collection === "bulk-obligations") return bulks.slice(0, limit) as never;
      world.scans += 1;
      const due = [...stored.values()].filter(({ document }) => document.nextDueAt && document.nextDueAt <= value);
      due.sort((a, b) => ((a.document.nextDueAt ?? "") < (b.document.nextDueAt ?? "") ? -1 : 1));
      return due.slice(0, limit) as never;
    },
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
  const start = (caughtUp: Promise<void> = Promise.resolve(), kinds: ObligationKind[] = ["send-template", "seal"]) => {
    const ending = new AbortController();
    const publisher = createObligationPublisher({
      readModels,
      bus,
      runtime,
      caughtUp,
      onError: (error) => errors.push(error),
    });
    const running = publisher.run(kinds, ending.signal);
    return {
      tell: (change: DocumentChange) => publisher.changed("obligations", [change]),
      /** The projection writes a record, and tells of it. */
      change: (document: string, ...open: Obligation[]) => publisher.changed("obligations", [write(document, ...open)]),
      stop: async () => {
        ending.abort();
        await running;
      },
    };
  };

  return {
    world,
    write,
    bulks,
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
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
};
