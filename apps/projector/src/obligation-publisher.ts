import type { ObligationKind } from "@rubrica/domain";
import type { MessageBus } from "@rubrica/message-bus";
import {
  type DocumentChange,
  type ObligationsDocument,
  type OpenObligationRecord,
  obligationIdOf,
  obligationsCollections,
  type ReadModelStore,
} from "@rubrica/read-models";
import { type Runtime, WAIT_ENDED } from "@rubrica/runtime";
import { type ObligationChange, Rounds, SWEEP_MS } from "./publishing/round.ts";

/** Changes that wait at most: what is told beyond them is found by a scan. */
const MAX_CHANGES = 10_000;

export interface ObligationPublisherOptions {
  readModels: Pick<ReadModelStore, "findRange" | "checkpointOf">;
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
  /** To be told of every change of a collection's records, by the projection that writes them, if it is in this process. */
  changed(collection: string, changes: readonly DocumentChange[]): void;
  /** Publishes obligations of these kinds, those that have a subscriber, until `signal` is aborted. To be called once. */
  run(kinds: readonly ObligationKind[], signal: AbortSignal): Promise<void>;
}

/**
 * What is owed stays in the read model. A cursor for each kind and lane goes through it, one after the other; a lane is an account,
 * for webhooks one receiver of an account. Memory holds one entry a lane, and what is under way, which is bounded by kind,
 * account and lane. What the projection tells of is published at once when a slot is free. Nothing is published before the
 * projection has caught up: a rebuild sends nothing.
 */
export const createObligationPublisher = (options: ObligationPublisherOptions): ObligationPublisher => {
  let waiting: ObligationChange[] = [];
  let isRunning = false;
  let waking = new AbortController();
  const takeChanges = (): readonly ObligationChange[] => {
    const taken = waiting;
    waiting = [];
    return taken;
  };

  return {
    changed(collection, changes) {
      if (!isRunning || !obligationsCollections.some(({ name }) => name === collection)) return;
      if (waiting.length < MAX_CHANGES) waiting.push(...changes.flatMap(changesOf));
      waking.abort(WAIT_ENDED);
    },

    async run(kinds, signal) {
      await Promise.race([options.caughtUp, aborted(signal)]);
      isRunning = true;
      signal.addEventListener("abort", () => waking.abort(WAIT_ENDED), { once: true });
      const rounds = new Rounds(options, kinds);
      while (!signal.aborted) {
        waking = new AbortController();
        try {
          await rounds.run(takeChanges, signal);
        } catch (error) {
          options.onError(error);
          waking = new AbortController();
        }
        await options.runtime.clock.wait(SWEEP_MS, { signal: waking.signal, background: true });
      }
    },
  };
};

const changesOf = ({ document: record, parts }: DocumentChange): ObligationChange[] => {
  // Records of bulk calls, notices and heads have no webhooks.
  const { webhooks = [] } = (record ?? {}) as Partial<ObligationsDocument>;
  return (parts ?? []).flatMap(({ id, document }) => {
    const obligationId = obligationIdOf(id);
    if (obligationId === undefined) return [];
    const { tookMs = null } = webhooks.find(({ obligation }) => obligation.id === obligationId) ?? {};
    return [{ obligationId, record: document as OpenObligationRecord | null, tookMs }];
  });
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
