import type { ObligationKind, PublishedBulkObligation, PublishedObligation } from "@rubrica/domain";
import type { CommandContext } from "@rubrica/journal";

/**
 * Meets one kind of obligation. Safe to repeat and to cut anywhere: it looks first at what was done, and the event of its
 * outcome closes the obligation. One that rejects is published again.
 */
export interface Subscriber<Published = PublishedObligation> {
  kind: ObligationKind;
  /** How many are met at a time. */
  concurrency: number;
  meet(published: Published): Promise<void>;
}

/** A subscriber to what a document owes, or to what a bulk call does. */
export type AnySubscriber = Subscriber | Subscriber<PublishedBulkObligation>;

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
 * is left to the attempt under way. Best effort: it knows of this process only, and what is at stake outside of it (a
 * message sent twice) is what obligations promise anyway, at least once.
 */
export const onceAtATime = (meet: Subscriber["meet"]): Subscriber["meet"] => {
  const inFlight = new Set<string>();
  return async (published) => {
    const { id } = published.obligation;
    if (inFlight.has(id)) return;
    inFlight.add(id);
    try {
      await meet(published);
    } finally {
      inFlight.delete(id);
    }
  };
};
