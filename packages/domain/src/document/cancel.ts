import type { DocumentEvent, Requester } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { hasEnded, requestedDocument } from "./lookup.ts";
import { bulkToPrepare } from "./prepare.ts";
import type { Document } from "./state.ts";

/** What canceling a document takes. */
export interface CancelDocument {
  /** The account and the key that cancel it. */
  by: Requester;
  /** Why, in their words; null when they give no reason. */
  text: string | null;
}

/**
 * Cancels an open document, which ends it for all its signers; nothing when it was canceled before.
 * @throws {DomainError} unknown_document; document_ended once it has ended otherwise, sealed or not
 */
export const cancelDocument = (document: Document, { by, text }: CancelDocument): DocumentEvent[] => {
  const requested = requestedDocument(document);
  if (requested.status === "withdrawn" && requested.withdrawal === "canceled") return [];
  if (hasEnded(requested)) throw new DomainError("document_ended", "the document has ended");
  const data = { reason: "canceled", bulkId: bulkToPrepare(requested), by } as const;
  return [{ type: "DocumentWithdrawn", data, personal: text === null ? null : { text } }];
};
