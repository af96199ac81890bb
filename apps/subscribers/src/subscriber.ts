import type { Continuity } from "@rubrica/commands";
import type {
  AnyPublishedObligation,
  ObligationKind,
  PublishedBulkObligation,
  PublishedHeadsObligation,
  PublishedNoticesObligation,
  PublishedObligation,
} from "@rubrica/domain";
import { streamName } from "@rubrica/events";
import type { CommandContext } from "@rubrica/journal";
import { type Clock, WAIT_ENDED } from "@rubrica/runtime";

/**
 * Meets one kind of obligation. Safe to repeat and to cut anywhere: it looks first at what was done, and the event of its
 * outcome closes the obligation. Where it rejects, the obligation stays open and is published again: after 30 s,
 * doubling to 10 min, or at the time that an event of the failure gives.
 */
export interface Subscriber<Published = PublishedObligation> {
  kind: ObligationKind;
  /** How many are met at a time. */
  concurrency: number;
  /** After so long the work counts as hanging, and another process is given it. Default: 2 min. */
  longestMs?: number;
  meet(published: Published): Promise<void>;
}

/** A subscriber to what a document owes, a bulk call does, notices do, or the log as a whole. */
export type AnySubscriber =
  | Subscriber
  | Subscriber<PublishedBulkObligation>
  | Subscriber<PublishedNoticesObligation>
  | Subscriber<PublishedHeadsObligation>;

/**
 * A subscriber that first checks that the stream was not cut: where it was, nothing is done, since what the lost events
 * tell of would be done a second time.
 */
export const withContinuity = (continuity: Pick<Continuity, "check">, subscriber: AnySubscriber): AnySubscriber => {
  // A kind's obligations are all of documents, of bulk calls, of notices, or of the log.
  const meet = subscriber.meet as Subscriber<AnyPublishedObligation>["meet"];
  return {
    ...subscriber,
    async meet(published: AnyPublishedObligation) {
      const stream = streamOf(published);
      if (stream !== undefined) await continuity.check(stream);
      await meet(published);
    },
  } as AnySubscriber;
};

const streamOf = (published: AnyPublishedObligation): string | undefined => {
  if ("documentId" in published) return streamName("document", published.documentId);
  return "bulkId" in published ? streamName("bulk", published.bulkId) : undefined;
};

/** The context of the commands that meet an obligation: the command's id is the obligation's. */
export const contextOf = (
  { obligation, accountId }: Pick<PublishedObligation, "obligation" | "accountId">,
  service: string,
): CommandContext => ({
  commandId: obligation.id,
  accountId,
  actor: `service/${service}`,
  correlationId: obligation.id,
  causationId: obligation.id,
});

/** The signer that an obligation is about. */
export const signerIdOf = ({ obligation }: PublishedObligation): string => {
  if (!obligation.signerId) throw new Error(`an obligation of kind ${obligation.kind} names no signer`);
  return obligation.signerId;
};

/**
 * Meets each obligation once at a time: one that is published again while it is still being met, because that takes long,
 * has the outcome of the attempt under way. One that was postponed meanwhile, to another time, is met anew after it: the
 * attempt under way knows nothing of that. Best effort: it knows of this process only, and what is at stake outside of it
 * (a message sent twice) is what obligations promise anyway, at least once.
 */
export const onceAtATime = (meet: Subscriber["meet"]): Subscriber["meet"] => {
  const inFlight = new Map<string, { dueAt: string; attempt: Promise<void> }>();
  return (published) => {
    const { id, dueAt } = published.obligation;
    const underWay = inFlight.get(id);
    if (underWay?.dueAt === dueAt) return underWay.attempt;
    const meeting = underWay ? Promise.allSettled([underWay.attempt]).then(() => meet(published)) : meet(published);
    const attempt = meeting.finally(() => {
      if (inFlight.get(id)?.attempt === attempt) inFlight.delete(id);
    });
    inFlight.set(id, { dueAt, attempt });
    return attempt;
  };
};

/** How long a process may be silent about what it works at before another one is given it. */
export const ACK_WAIT_MS = 30_000;
const HEARTBEAT_MS = 10_000;
const LONGEST_MS = 120_000;
/** Time for work that waits for helper processes, or has many steps. */
export const LONG_WORK_MS = 900_000;

/** Does the work, and extends its time meanwhile, up to `longestMs`. */
export const withHeartbeat = async (
  clock: Clock,
  extend: () => void,
  work: () => Promise<void>,
  longestMs = LONGEST_MS,
): Promise<void> => {
  const ended = new AbortController();
  const beat = async (): Promise<void> => {
    for (let passedMs = 0; passedMs < longestMs; passedMs += HEARTBEAT_MS) {
      await clock.wait(HEARTBEAT_MS, { signal: ended.signal, background: true });
      if (ended.signal.aborted) return;
      extend();
    }
  };
  const beating = beat();
  try {
    await work();
  } finally {
    ended.abort(WAIT_ENDED);
    await beating;
  }
};
