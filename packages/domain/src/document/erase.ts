import { type DocumentEvent, type ErasureCause, photoKinds } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { isForgettingDue } from "../standing/due.ts";
import { unrecordedExpiry } from "./expiry.ts";
import { hasEnded, requestedDocument } from "./lookup.ts";
import { bulkToPrepare } from "./prepare.ts";
import type { Document, RequestedDocument } from "./state.ts";

/** What erasing a document takes. */
export interface EraseDocument {
  cause: ErasureCause;
  /** What is kept of a signer's `id_custom`, so that whoever knows it still finds the document. */
  customIdHmac(accountId: string, idCustom: string): string;
}

/**
 * Erases the document's people, once; an open document is taken back first, in the same append.
 * @throws {DomainError} unknown_document
 */
export const eraseDocument = (document: Document, { cause, customIdHmac }: EraseDocument): DocumentEvent[] => {
  const requested = requestedDocument(document);
  if (requested.erasure !== "none" || requested.requestedAt === null) return [];
  const customIds = requested.signers.flatMap(({ signerId, person }) =>
    person ? [{ signerId, hmac: customIdHmac(requested.accountId, person.idCustom) }] : [],
  );
  const erased = {
    type: "DocumentErased",
    data: { cause, requestedAt: requested.requestedAt, customIds },
    personal: null,
  } as const;
  if (hasEnded(requested)) return [...unrecordedExpiry(requested), erased];
  const withdrawn = { reason: "erasure", bulkId: bulkToPrepare(requested), by: null } as const;
  return [{ type: "DocumentWithdrawn", data: withdrawn, personal: null }, erased];
};

/** What providers may know of a document: messages by their ids, and whose photos they looked at. */
export const knownToProviders = (document: RequestedDocument): { messageIds: string[]; signerIds: string[] } => ({
  messageIds: document.signers.flatMap(({ messages }) => Object.keys(messages)),
  // A check that was cut left no event: only the uploaded photos tell that there may have been one.
  signerIds: document.signers.flatMap(({ signerId, photos }) =>
    document.validatePhotos && photoKinds.every((kind) => photos[kind].length > 0) ? [signerId] : [],
  ),
});

/** The key of an erased document was destroyed, its files were removed, and providers were asked to forget it. @throws {DomainError} unknown_document, document_not_erased */
export const recordForgotten = (document: Document): DocumentEvent[] => {
  const requested = requestedDocument(document);
  if (requested.erasure === "none") throw new DomainError("document_not_erased", "what is forgotten is erased first");
  return isForgettingDue(requested) ? [{ type: "DocumentForgotten", data: {}, personal: null }] : [];
};
