import {
  type Document,
  type RequestDocument,
  type RequestedDocument,
  requestDocument,
  type Signer,
} from "@rubrica/domain";
import { ConflictError } from "@rubrica/event-store";
import type { CommandContext } from "@rubrica/journal";
import type { FileStore } from "@rubrica/storage";
import { type Handlers, stepOf } from "./handlers.ts";
import { claimTurnOfLoaded, likelyTurn, type TurnOutcome, turnAtRequest } from "./turns.ts";

/** A document to accept: its PDF as it is to be signed, and as it was sent; null where that is the same. */
export interface DocumentToAccept extends Omit<RequestDocument, "file" | "sentFile"> {
  bytes: Uint8Array;
  sentBytes: Uint8Array | null;
}

/** What came of it; the same whenever it is asked for. */
export interface AcceptedDocument {
  document: RequestedDocument;
  /** UTC, ISO 8601. */
  createdAt: string;
  /** The turns of the first group's signers as they were at the request; later signers are evaluated when their turn comes. */
  turns: readonly (TurnOutcome & { signerId: string })[];
}

/**
 * Accepts a document: its files durable, then DocumentRequested, then the claims of the first group's signers on their phones' lines. Wherever
 * it is cut, what remains is an obligation that follows from what was written. Doing it again with the document's id
 * finishes what was cut; what was asked for the first time stands.
 *
 * @throws {KeyDestroyedError} when the document was forgotten already.
 */
export const acceptDocument = async (
  handlers: Handlers,
  files: FileStore,
  { bytes, sentBytes, ...request }: DocumentToAccept,
  context: CommandContext,
): Promise<AcceptedDocument> => {
  const { documentId } = request;
  const keep = (pdf: Uint8Array) => files.put(documentId, pdf, "application/pdf");
  const [file, otherFile] = await Promise.all([keep(bytes), sentBytes && keep(sentBytes)]);
  const step = stepOf(context, "request");
  const { state } = await handlers.documents.handle(
    documentId,
    requestDocument,
    { ...request, file, sentFile: otherFile ?? file },
    step,
  );
  const accepted = await outcomeOf(handlers, state, context);
  if (!accepted) throw new Error("the request was not stored");
  return accepted;
};

/**
 * What came of a document's request, its first signers' claims made if they were not yet; undefined when the document was
 * never requested.
 */
export const acceptedDocument = async (
  handlers: Handlers,
  documentId: string,
  context: CommandContext,
): Promise<AcceptedDocument | undefined> => outcomeOf(handlers, await handlers.documents.load(documentId), context);

const outcomeOf = async (
  handlers: Handlers,
  document: Document,
  context: CommandContext,
): Promise<AcceptedDocument | undefined> => {
  if (document.status === "none" || document.requestedAt === null) return undefined;
  const first = document.signers.filter(({ group }) => group === 0).toSorted((a, b) => a.order - b.order);
  const turns = await Promise.all(
    first.map(async (signer) => ({
      ...(await firstTurn(handlers, document, signer, context)),
      signerId: signer.signerId,
    })),
  );
  return { document, createdAt: document.requestedAt, turns };
};

const firstTurn = async (
  handlers: Handlers,
  document: RequestedDocument,
  first: Signer,
  context: CommandContext,
): Promise<TurnOutcome> => {
  const isOpen = document.status === "pending" && first.turn === "waiting" && !first.signed;
  // After a resend or a correction, that command claims the phone.
  if (!document.sendMessages || !isOpen || first.claims.length > 1) return turnAtRequest(first);
  try {
    return await claimTurnOfLoaded(handlers, document, first.signerId, context);
  } catch (error) {
    // Every attempt lost the append to other claims of the phone: the obligation to claim it stays open, and is met
    // soon.
    if (error instanceof ConflictError) return likelyTurn(handlers, document.documentId, first.lineId);
    throw error;
  }
};
