import type { ObligationKind, PublishedObligation } from "@rubrica/domain";
import type { CommandContext } from "@rubrica/journal";

/**
 * Meets one kind of obligation. Safe to repeat and to cut anywhere: it looks first at what was done, and the event of its
 * outcome closes the obligation. One that rejects is published again.
 */
export interface Subscriber {
  kind: ObligationKind;
  /** How many are met at a time. */
  concurrency: number;
  meet(published: PublishedObligation): Promise<void>;
}

/** The context of the commands that meet an obligation: the command's id is the obligation's. */
export const contextOf = ({ obligation, accountId }: PublishedObligation, service: string): CommandContext => ({
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
