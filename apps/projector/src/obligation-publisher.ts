import { obligationSubject, type PublishedObligation } from "@rubrica/domain";
import type { MessageBus } from "@rubrica/message-bus";
import {
  OBLIGATIONS_DUE_FIELD,
  type ObligationsDocument,
  obligations,
  type ReadModelStore,
} from "@rubrica/read-models";
import { isoTime, type Runtime } from "@rubrica/runtime";

const IDLE_POLL_MS = 250;
const RECORDS_A_ROUND = 500;
const FIRST_REPUBLISH_MS = 30_000;
const MAX_REPUBLISH_MS = 600_000;

interface Publication {
  number: number;
  dueAt: string;
  republishAtMs: number;
}

export interface ObligationPublisherOptions {
  readModels: ReadModelStore;
  bus: MessageBus;
  runtime: Runtime;
  /** Resolves at the next progress of the projection, or when the signal is aborted. */
  nextProgress: (signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
  /** Told of a round that failed; the next one is tried all the same. */
  onError: (error: unknown) => void;
}

/**
 * Publishes what is due and not closed, again and again until an event closes it: at once when it is due, then after
 * 30 s, doubling to 10 min. What was published is remembered in memory only, so that after a crash all of it is
 * published once more. Start it when the projection has caught up: a rebuild must send nothing.
 *
 * Runs until `signal` is aborted.
 */
export const publishObligations = async (options: ObligationPublisherOptions): Promise<void> => {
  const { runtime, signal, onError } = options;
  const round = publishingRound(options);
  while (!signal.aborted) {
    const progress = options.nextProgress(signal);
    try {
      await round();
    } catch (error) {
      onError(error);
    }
    await Promise.race([progress, runtime.clock.wait(IDLE_POLL_MS, { signal, background: true })]);
  }
};

const publishingRound = ({ readModels, bus, runtime }: ObligationPublisherOptions) => {
  // Part of the message's id: a bus drops an id that it saw within two minutes, also from before a restart.
  const run = runtime.ids.uuidv7();
  let published = new Map<string, Publication>();

  return async (): Promise<void> => {
    const nowMs = runtime.clock.now();
    const now = isoTime(nowMs);
    // What is in flight stays due until it is closed: it must not crowd out what comes after it.
    const limit = published.size + RECORDS_A_ROUND;
    const records = await readModels.findUpTo<ObligationsDocument>(obligations.name, OBLIGATIONS_DUE_FIELD, now, limit);
    const stillDue = new Map<string, Publication>();
    for (const { document } of records) {
      for (const obligation of document.open.filter(({ dueAt }) => dueAt <= now)) {
        const before = published.get(obligation.id);
        if (before && before.dueAt === obligation.dueAt && nowMs < before.republishAtMs) {
          stillDue.set(obligation.id, before);
          continue;
        }
        const number = (before?.number ?? 0) + 1;
        const pauseMs = Math.min(FIRST_REPUBLISH_MS * 2 ** (number - 1), MAX_REPUBLISH_MS);
        stillDue.set(obligation.id, { number, dueAt: obligation.dueAt, republishAtMs: nowMs + pauseMs });
        const { documentId, accountId } = document;
        const body: PublishedObligation = { obligation, documentId, accountId };
        const id = `${obligation.id}:${run}:${number}`;
        await bus.publish({ id, subject: obligationSubject(obligation.kind), body });
      }
    }
    published = stillDue;
  };
};
