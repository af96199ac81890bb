import {
  claimTurn,
  type Document,
  giveTurn,
  holdsTurn,
  leaveLine,
  queueSigner,
  releaseReason,
  requestedDocument,
  type Signer,
  signerOf,
} from "@rubrica/domain";
import type { ReleaseReason } from "@rubrica/events";
import type { CommandContext } from "@rubrica/journal";
import { type Handlers, stepOf } from "./handlers.ts";

/** Whether the signer may be sent a message now, or which document holds the phone's turn. */
export type TurnOutcome = { queued: false } | { queued: true; behindDocumentId: string };

/** A signer's turn as the document's events tell it: held back once, or not. */
export const turnAt = ({ queuedBehind }: Signer): TurnOutcome =>
  queuedBehind === null ? { queued: false } : { queued: true, behindDocumentId: queuedBehind };

/**
 * Claims the signer's phone for the document: takes the turn, or a place in line behind who has it. Nothing for a signer
 * who would have to leave the line at once: one who signed, can't be reached, or whose document has ended.
 *
 * Writes the phone line first, then the document; cut in between, the obligation to claim stays open and doing it again
 * finishes it.
 */
export const claimSignersTurn = async (
  handlers: Handlers,
  documentId: string,
  signerId: string,
  context: CommandContext,
): Promise<TurnOutcome> => claimTurnOf(handlers, await handlers.documents.load(documentId), signerId, context);

/** As {@link claimSignersTurn}, by the document as it was just found. */
export const claimTurnOf = async (
  { documents, lines }: Handlers,
  document: Document,
  signerId: string,
  context: CommandContext,
): Promise<TurnOutcome> => {
  const { documentId } = requestedDocument(document);
  const signer = signerOf(document, signerId);
  if (releaseReason(document, signerId) !== null) return turnAt(signer);
  const { lineId } = signer;
  if (lineId === null) return { queued: false };
  const line = await lines.handle(lineId, claimTurn, { documentId, signerId }, stepOf(context, "claim", signerId));
  const { holder } = line.state;
  if (!holder || holdsTurn(line.state, { documentId, signerId })) {
    await documents.handle(documentId, giveTurn, { signerId }, stepOf(context, "turn", signerId));
    return { queued: false };
  }
  const behindDocumentId = holder.documentId;
  const step = stepOf(context, "queue", signerId);
  const queued = await documents.handle(documentId, queueSigner, { signerId, behindDocumentId }, step);
  // The document's events have the last word: the turn may have come meanwhile.
  return turnAt(signerOf(queued.state, signerId));
};

/** Tells the document that the line gave the signer the turn. */
export const announceTurn = async (
  { documents }: Handlers,
  documentId: string,
  signerId: string,
  context: CommandContext,
): Promise<void> => {
  await documents.handle(documentId, giveTurn, { signerId }, stepOf(context, "turn", signerId));
};

/** Gives up the signer's turn, or place in line; the next in line has the turn with the same append. */
export const releaseTurn = async (
  { documents, lines }: Handlers,
  documentId: string,
  signerId: string,
  reason: ReleaseReason,
  context: CommandContext,
): Promise<void> => {
  const { lineId } = signerOf(await documents.load(documentId), signerId);
  if (lineId === null) return;
  await lines.handle(lineId, leaveLine, { documentId, signerId, reason }, stepOf(context, "leave", signerId));
};

/** Gives up the signer's turn, or place in line, once they need it no more: they signed, can't be reached, or the document has ended. */
export const releaseSignersTurn = async (
  handlers: Handlers,
  documentId: string,
  signerId: string,
  context: CommandContext,
): Promise<void> => {
  const reason = releaseReason(await handlers.documents.load(documentId), signerId);
  if (reason) await releaseTurn(handlers, documentId, signerId, reason, context);
};
