import { nextSigner, type RequestDocument, requestDocument } from "@rubrica/domain";
import type { FileStore } from "@rubrica/file-store";
import type { CommandContext } from "@rubrica/journal";
import { type Handlers, stepOf } from "./handlers.ts";
import { claimSignersTurn, type TurnOutcome } from "./turns.ts";

/** A document to accept: its PDF as bytes. */
export type DocumentToAccept = Omit<RequestDocument, "file"> & { bytes: Uint8Array };

/** What came of it. */
export interface AcceptedDocument {
  /** UTC, ISO 8601. */
  createdAt: string;
  /** The first signer's turn; later signers are evaluated when their turn comes. */
  turn: TurnOutcome & { signerId: string };
}

/**
 * Accepts a document: its file durable, then DocumentRequested, then the first signer's claim on the phone line. Wherever
 * it is cut, what remains is an obligation that follows from what was written.
 *
 * @throws {KeyDestroyedError} when the document was forgotten already.
 */
export const acceptDocument = async (
  handlers: Handlers,
  files: FileStore,
  { bytes, ...request }: DocumentToAccept,
  context: CommandContext,
): Promise<AcceptedDocument> => {
  const { documentId } = request;
  const file = await files.put(documentId, bytes, "application/pdf");
  const step = stepOf(context, "request");
  const { state } = await handlers.documents.handle(documentId, requestDocument, { ...request, file }, step);
  const first = nextSigner(state);
  if (state.status === "none" || state.requestedAt === null || !first) throw new Error("the request was not stored");
  const turn = request.sendMessages
    ? await claimSignersTurn(handlers, documentId, first.signerId, context)
    : { queued: false as const };
  return { createdAt: state.requestedAt, turn: { ...turn, signerId: first.signerId } };
};
