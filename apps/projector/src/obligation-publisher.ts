import { type ObligationKind, obligationSubject } from "@rubrica/domain";
import { BusFullError, type MessageBus } from "@rubrica/message-bus";
import {
  bulkObligations,
  type DocumentChange,
  OBLIGATIONS_DUE_FIELD,
  obligations,
  type ReadModelStore,
} from "@rubrica/read-models";
import { isoTime, type Runtime } from "@rubrica/runtime";
import {
  beginPublishing,
  failPublishing,
  type OpenObligation,
  OpenObligations,
  recordKey,
} from "./open-obligations.ts";

/** How often what is known is looked through for what fell due. */
const SWEEP_MS = 250;
/** How often the read model is looked through: for what a rebuild brought, or what fell due long after it was opened. */
const SCAN_MS = 60_000;
/** A bus may drop an id that it saw within this time. */
const BUS_MEMORY_MS = 120_000;
/**
 * What falls due later than this is left to a later scan. Longer than the bus remembers: the number of an obligation that
 * is forgotten meanwhile starts anew.
 */
const HORIZON_MS = SCAN_MS + BUS_MEMORY_MS;
const FIRST_SCAN_RECORDS = 1_000;

/** Where obligations are kept: those of documents, and those of bulk calls. */
const collections: readonly string[] = [obligations.name, bulkObligations.name];

export interface ObligationPublisherOptions {
  readModels: Pick<ReadModelStore, "findUpTo">;
  bus: Pick<MessageBus, "publish">;
  runtime: Runtime;
  /** Resolves when the projection has caught up. */
  caughtUp: Promise<void>;
  /** Told of what failed; it is tried again all the same. */
  onError: (error: unknown) => void;
}

/**
 * Publishes what is due and not closed, again and again until an event closes it: when it falls due, then after 30 s,
 * doubling to 10 min.
 */
export interface ObligationPublisher {
  /** To be told of every change of a collection's records, by the projection that writes them. */
  changed(collection: string, changes: readonly DocumentChange[]): void;
  /** Publishes obligations of these kinds, those that have a subscriber, until `signal` is aborted. To be called once. */
  run(kinds: readonly ObligationKind[], signal: AbortSignal): Promise<void>;
}

/**
 * What is open is kept in memory, told by the projection, so that a change costs what it changes, however much is open;
 * the read model itself is read at the start and once a minute. What was published is remembered in memory only, so that
 * after a crash all of it is published once more. Nothing is published before the projection has caught up: a rebuild
 * sends nothing.
 */
export const createObligationPublisher = (options: ObligationPublisherOptions): ObligationPublisher => {
  const changedKeys = new Set<string>();
  let open: OpenObligations | undefined;
  let waking = new AbortController();

  return {
    changed(collection, changes) {
      if (!open || !collections.includes(collection)) return;
      open.take(collection, changes);
      for (const { id } of changes) changedKeys.add(recordKey(collection, id));
      waking.abort();
    },

    async run(kinds, signal) {
      const { clock } = options.runtime;
      await Promise.race([options.caughtUp, aborted(signal)]);
      open = new OpenObligations(new Set(kinds));
      signal.addEventListener("abort", () => waking.abort(), { once: true });
      const round = publishingRound(options, open);
      while (!signal.aborted) {
        waking = new AbortController();
        const keys = [...changedKeys];
        changedKeys.clear();
        try {
          await round(keys);
        } catch (error) {
          options.onError(error);
        }
        await clock.wait(SWEEP_MS, { signal: waking.signal, background: true });
      }
    },
  };
};

/** Publishes what is due of the records named, and of all once a sweep is due. */
const publishingRound = ({ readModels, bus, runtime }: ObligationPublisherOptions, open: OpenObligations) => {
  // Part of the message's id: a bus drops an id that it saw a moment ago, also from before a restart.
  const run = runtime.ids.uuidv7();
  let nextScanAtMs = 0;
  let nextSweepAtMs = 0;
  const limits = new Map(collections.map((collection) => [collection, FIRST_SCAN_RECORDS]));

  const scanCollection = async (collection: string, until: string): Promise<void> => {
    for (let limit = limits.get(collection) ?? FIRST_SCAN_RECORDS; ; limit *= 2) {
      const found = await readModels.findUpTo(collection, OBLIGATIONS_DUE_FIELD, until, limit);
      open.take(collection, found);
      limits.set(collection, limit);
      if (found.length < limit) return;
    }
  };

  const scan = async (nowMs: number): Promise<void> => {
    open.beginScan();
    for (const collection of collections) await scanCollection(collection, isoTime(nowMs + HORIZON_MS));
    open.endScan();
    nextScanAtMs = nowMs + SCAN_MS;
  };

  const publishAll = async (due: Iterable<OpenObligation>, nowMs: number): Promise<void> => {
    const full = new Set<ObligationKind>();
    for (const one of due) {
      const { id, kind } = one.body.obligation;
      if (full.has(kind)) continue;
      beginPublishing(one, nowMs);
      try {
        await bus.publish({ id: `${id}:${run}:${one.count}`, subject: obligationSubject(kind), body: one.body });
      } catch (error) {
        failPublishing(one, nowMs);
        // It is found by the next sweep; one kind's jam is no other's.
        if (!(error instanceof BusFullError)) throw error;
        full.add(kind);
      }
    }
  };

  return async (changedKeys: readonly string[]): Promise<void> => {
    const nowMs = runtime.clock.now();
    if (nowMs >= nextScanAtMs) {
      await scan(nowMs);
      nextSweepAtMs = nowMs;
    }
    if (nowMs < nextSweepAtMs) return publishAll(open.due(nowMs, changedKeys), nowMs);
    nextSweepAtMs = nowMs + SWEEP_MS;
    await publishAll(open.due(nowMs), nowMs);
  };
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
