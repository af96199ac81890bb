import {
  type Document,
  type RequestDocument,
  type RequestedDocument,
  requestDocument,
  type Signer,
  type SignerToRequest,
} from "@rubrica/domain";
import { ConflictError } from "@rubrica/event-store";
import type { CommandContext } from "@rubrica/journal";
import type { FileStore } from "@rubrica/storage";
import { type Handlers, stepOf } from "./handlers.ts";
import { giveLine, type LineStores } from "./phone-lines.ts";
import { claimTurnOfLoaded, likelyTurn, type TurnOutcome, turnAtRequest } from "./turns.ts";

/** A signer to be, with what the account's phone is looked up by. */
export type SignerToAccept = Omit<SignerToRequest, "lineId"> & { phoneLookup: string };

/** A document to accept: its PDF as it is to be signed, and as it was sent; null where that is the same. */
export interface DocumentToAccept extends Omit<RequestDocument, "file" | "sentFile" | "signers"> {
  bytes: Uint8Array;
  sentBytes: Uint8Array | null;
  signers: readonly SignerToAccept[];
}

/** Where a document is kept, and what its commands go through. */
export interface AcceptingStores extends LineStores {
  handlers: Handlers;
  files: Pick<FileStore, "put">;
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
 * Accepts a document: its files and lines durable, then DocumentRequested, then the claims of the first group's
 * signers on their phones' lines. Wherever it is cut, what remains is an obligation that follows from what was
 * written. Doing it again with the document's id finishes what was cut; what was asked for the first time stands.
 *
 * @throws {KeyDestroyedError} when the document was forgotten already.
 */
export const acceptDocument = async (
  stores: AcceptingStores,
  { bytes, sentBytes, ...request }: DocumentToAccept,
  context: CommandContext,
): Promise<AcceptedDocument> => {
  const { handlers, files } = stores;
  const { documentId, sendMessages } = request;
  const keep = (pdf: Uint8Array) => files.put(documentId, pdf, "application/pdf");
  const onLine = async ({ phoneLookup, ...signer }: SignerToAccept) => ({
    ...signer,
    lineId: sendMessages ? await giveLine(stores, phoneLookup, documentId) : null,
  });
  // Together: the document's key and the lines are made durable by the same sync.
  const [file, otherFile, signers] = await Promise.all([
    keep(bytes),
    sentBytes && keep(sentBytes),
    Promise.all(request.signers.map(onLine)),
  ]);
  const command = { ...request, signers, file, sentFile: otherFile ?? file };
  const { state } = await handlers.documents.handle(documentId, requestDocument, command, stepOf(context, "request"));
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
