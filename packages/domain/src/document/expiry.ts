import type { DocumentEvent, Requester, WithdrawalReason } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { hasEnded, requestedDocument } from "./lookup.ts";
import type { Document } from "./state.ts";

/** How often a document's time may be changed: each change is an event. */
const MAX_CHANGES = 100;

/** When a document ended that was taken back: whenever it is recorded that its time was over, it ended then. */
export const takenBackAt = <At extends string | null>(
  reason: WithdrawalReason,
  { expiresAt }: { expiresAt: string | null },
  recordedAt: At,
): At | string => (reason === "expired" ? expiresAt : null) ?? recordedAt;

/** The event that the document's time is over, where it is and no event says so yet; else nothing. */
export const unrecordedExpiry = (document: Document): DocumentEvent[] => {
  if (document.status !== "withdrawn" || document.takenBack.isRecorded) return [];
  const bulkId = document.file === null ? (document.bulk?.bulkId ?? null) : null;
  return [{ type: "DocumentWithdrawn", data: { reason: "expired", bulkId, by: null }, personal: null }];
};

/**
 * Ends a document whose time is over, once; nothing before, and nothing when it ended otherwise first.
 * @param document as it is now
 * @throws {DomainError} unknown_document
 */
export const expireDocument = (document: Document): DocumentEvent[] => unrecordedExpiry(requestedDocument(document));

/** Another time until which the document can be signed. */
export interface ChangeExpiry {
  /** UTC in ISO 8601. */
  expiresAt: string;
  by: Requester;
}

/**
 * Sets until when an open document can be signed; nothing when it says so already.
 * @throws {DomainError} unknown_document; document_ended; expiry_changed_too_often
 */
export const changeExpiry = (document: Document, { expiresAt, by }: ChangeExpiry): DocumentEvent[] => {
  const requested = requestedDocument(document);
  if (hasEnded(requested)) throw new DomainError("document_ended", "the document has ended");
  if (requested.expiresAt === expiresAt) return [];
  if (requested.expiryChanges >= MAX_CHANGES) {
    throw new DomainError("expiry_changed_too_often", "its time was changed too often");
  }
  return [{ type: "DocumentExpiryChanged", data: { expiresAt, by }, personal: null }];
};
