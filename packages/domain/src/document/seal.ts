import type { DocumentEvent, DocumentEventOf } from "@rubrica/events";
import { retryAt } from "../backoff.ts";
import { DomainError } from "../decider.ts";
import { documentKinds } from "../obligations/document-kinds.ts";
import { isSealDue } from "../standing/due.ts";
import { requestedDocument } from "./lookup.ts";
import type { CompletedDocument, Document } from "./state.ts";

const completedDocument = (document: Document): CompletedDocument => {
  const requested = requestedDocument(document);
  if (requested.status !== "completed") throw new DomainError("document_open", "not every signer has signed");
  return requested;
};

/** The document is sealed, once, its file is durable; not once it was erased. @throws {DomainError} document_open */
export const recordSealed = (document: Document, seal: DocumentEventOf<"DocumentSealed">["data"]): DocumentEvent[] => {
  if (!isSealDue(completedDocument(document))) return [];
  const { file, level, shortfall, certificateSha256, ownAuthority, timestamp, sendCopies, toComplete, provenUntil } =
    seal;
  const identity = { certificateSha256, ownAuthority };
  const data = { file, level, shortfall, ...identity, timestamp, sendCopies, toComplete, provenUntil };
  return [{ type: "DocumentSealed", data, personal: null }];
};

/**
 * Sealing did not succeed, for the `attempt`th time; it is tried again for as long as it takes. Nothing once it is sealed
 * or erased, or where this attempt is recorded already.
 * `now` in milliseconds since the UNIX epoch, `jitter` a fraction in [0, 1).
 * @throws {DomainError} document_open
 */
export const recordSealingFailed = (
  document: Document,
  { attempt, reason, now, jitter }: { attempt: number; reason: string; now: number; jitter: number },
): DocumentEvent[] => {
  const completed = completedDocument(document);
  if (!isSealDue(completed) || attempt !== completed.sealingAttempts + 1) return [];
  const nextAttemptAt = retryAt(documentKinds.seal.retries, { attempt, now, jitter });
  return [{ type: "SealingFailed", data: { attempt, reason, nextAttemptAt }, personal: null }];
};
