import { type Handlers, releaseTurnIfDue } from "@rubrica/commands";
import type { CommandContext } from "@rubrica/journal";
import type { FastifyBaseLogger } from "fastify";

/** Whose turns are over. */
export interface TurnsOver {
  documentId: string;
  signerIds: readonly string[];
}

/**
 * Gives up turns before the request is answered that ended them, so that the next document for these phones finds them
 * free. Never rejects: what was signed is signed, and what fails here stays an obligation.
 */
export const giveUpTurns = async (
  handlers: Handlers,
  { documentId, signerIds }: TurnsOver,
  context: CommandContext,
  log: FastifyBaseLogger,
): Promise<void> => {
  try {
    for (const signerId of signerIds) await releaseTurnIfDue(handlers, documentId, signerId, context);
  } catch (error) {
    log.warn({ err: error }, "a turn is given up later");
  }
};
