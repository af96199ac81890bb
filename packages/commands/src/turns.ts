import {
  claimTurn,
  type Document,
  holdsTurn,
  isTurnToBeClaimed,
  leaveLine,
  type PhoneLine,
  recordQueued,
  recordTurnCome,
  releaseReason,
  requestedDocument,
  type Signer,
  signerOf,
} from "@rubrica/domain";
import { ConflictError } from "@rubrica/event-store";
import type { ReleaseReason } from "@rubrica/events";
import type { CommandContext } from "@rubrica/journal";
import { documentIfReadable, type Handlers, stepOf } from "./handlers.ts";

/** Whether the signer may be sent a message now, or which document holds the phone's turn. */
export type TurnOutcome = { queued: false } | { queued: true; behindDocumentId: string };

/** What a claim of a signer's phone came to, as the document's events tell it: held back, or not. */
const turnOf = (claim: Signer["claims"][number] | undefined): TurnOutcome =>
  claim?.queuedBehind ? { queued: true, behindDocumentId: claim.queuedBehind } : { queued: false };

/** A signer's turn as it was with the request. */
export const turnAtRequest = ({ claims }: Signer): TurnOutcome => turnOf(claims[0]);

/**
 * Claims the signer's phone for the document: takes the turn, or a place in line behind who has it. Nothing for a signer
 * who would have to leave the line at once: one who signed, can't be reached, or whose document has ended.
 *
 * Writes the phone line first, then the document; cut in between, the obligation to claim stays open and doing it again
 * finishes it.
 */
export const claimTurnById = async (
  handlers: Handlers,
  documentId: string,
  signerId: string,
  context: CommandContext,
): Promise<TurnOutcome> => claimTurnOfLoaded(handlers, await handlers.documents.load(documentId), signerId, context);

/** As {@link claimTurnById}, of a document that is loaded already. */
export const claimTurnOfLoaded = async (
  { documents, lines }: Handlers,
  document: Document,
  signerId: string,
  context: CommandContext,
): Promise<TurnOutcome> => {
  const { documentId } = requestedDocument(document);
  const signer = signerOf(document, signerId);
  const reason = releaseReason(document, signerId);
  // A signer whose hold is over while they wait still claims, and releases the phone later: else the claim would stay
  // owed.
  if (reason !== null && reason !== "refused" && reason !== "unanswered") return turnOf(signer.claims.at(-1));
  const { lineId, linkNumber, turn } = signer;
  // A signer whose turn came may have released the phone since. The bus may deliver this claim twice: it must not take
  // the phone from the next one.
  if (lineId === null || turn === "came") return { queued: false };
  const line = await lines.handle(lineId, claimTurn, { documentId, signerId }, stepOf(context, "claim", signerId));
  const state = await withoutEndedHolder({ documents, lines }, lineId, line.state, documentId, context);
  if (!state.holder || holdsTurn(state, { documentId, signerId })) {
    await documents.handle(documentId, recordTurnCome, { signerId, linkNumber }, stepOf(context, "turn", signerId));
    return { queued: false };
  }
  const behindDocumentId = state.holder.documentId;
  const step = stepOf(context, "queue", signerId);
  const command = { signerId, linkNumber, behindDocumentId };
  const queued = await documents.handle(documentId, recordQueued, command, step);
  // The turn may have come meanwhile: answer what the document's events say.
  return turnOf(signerOf(queued.state, signerId).claims.at(-1));
};

/**
 * The line, after its holder left it where that document has expired without an event that says so yet: nobody waits
 * behind a document that has ended.
 */
const withoutEndedHolder = async (
  { documents, lines }: Pick<Handlers, "documents" | "lines">,
  lineId: string,
  line: PhoneLine,
  claimingId: string,
  context: CommandContext,
): Promise<PhoneLine> => {
  if (!line.holder || line.holder.documentId === claimingId) return line;
  const { documentId, signerIds } = line.holder;
  const held = await documentIfReadable({ documents }, documentId);
  if (held?.status !== "withdrawn" || held.takenBack.isRecorded) return line;
  let left = line;
  for (const signerId of signerIds) {
    const leaving = { documentId, signerId, reason: "document_ended" as const };
    left = (await lines.handle(lineId, leaveLine, leaving, stepOf(context, "leave", documentId, signerId))).state;
  }
  return left;
};

/** The turn that a claim would get by who has the phone now. */
export const likelyTurn = async (
  { lines }: Handlers,
  documentId: string,
  lineId: string | null,
): Promise<TurnOutcome> => {
  const holder = lineId === null ? null : (await lines.load(lineId)).holder;
  if (!holder || holder.documentId === documentId) return { queued: false };
  return { queued: true, behindDocumentId: holder.documentId };
};

/**
 * Takes the signer off the lines that they were on before they were corrected, then claims their phone if it is their turn.
 * Returns the outcome of the claim that `claimId` names: the same, however often it is called.
 * @param claimId what asked for it: a resend's id, or a correction's
 */
export const claimAnew = async (
  handlers: Handlers,
  documentId: string,
  signerId: string,
  claimId: string,
  context: CommandContext,
): Promise<TurnOutcome> => {
  const document = await handlers.documents.load(documentId);
  await leaveFormerLines(handlers, documentId, signerId, context);
  try {
    if (isTurnToBeClaimed(document, signerId)) await claimTurnOfLoaded(handlers, document, signerId, context);
  } catch (error) {
    // Every attempt lost the append to other claims of the phone: the obligation to claim it stays open.
    if (!(error instanceof ConflictError)) throw error;
    return likelyTurn(handlers, documentId, signerOf(document, signerId).lineId);
  }
  const { claims } = signerOf(await handlers.documents.load(documentId), signerId);
  return turnOf(claims.find(({ id }) => id === claimId));
};

/** Tells the document that the line gave the signer the turn; nothing where they were given another line since. */
export const announceTurn = async (
  { documents, lines }: Handlers,
  documentId: string,
  signerId: string,
  context: CommandContext,
): Promise<void> => {
  const { lineId, linkNumber } = signerOf(await documents.load(documentId), signerId);
  // Only a correction can have given them a line that is not known to be theirs.
  const isOnIt = linkNumber === 0 || lineId === null || holdsTurn(await lines.load(lineId), { documentId, signerId });
  if (!isOnIt) return;
  await documents.handle(documentId, recordTurnCome, { signerId, linkNumber }, stepOf(context, "turn", signerId));
};

/** Leaves every line that the signer was on before they were corrected; each phone is handed over with the same append. */
export const leaveFormerLines = async (
  { documents, lines }: Handlers,
  documentId: string,
  signerId: string,
  context: CommandContext,
): Promise<void> => {
  const { formerLineIds } = signerOf(await documents.load(documentId), signerId);
  for (const lineId of formerLineIds) {
    const left = { documentId, signerId, reason: "corrected" as const };
    await lines.handle(lineId, leaveLine, left, stepOf(context, "leave", lineId, signerId));
  }
};

/**
 * Gives up the signer's turn, or place in line, whether that is due or not. The phone is handed over with the same append:
 * see `leaveLine`.
 */
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
export const releaseTurnIfDue = async (
  handlers: Handlers,
  documentId: string,
  signerId: string,
  context: CommandContext,
): Promise<void> => {
  const reason = releaseReason(await handlers.documents.load(documentId), signerId);
  if (reason) await releaseTurn(handlers, documentId, signerId, reason, context);
};
