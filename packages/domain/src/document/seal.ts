import type { DocumentEvent } from "@rubrica/events";
import { delays, nextAttemptAt } from "../backoff.ts";
import { DomainError } from "../decider.ts";
import { endedDocument, requestedDocument } from "./lookup.ts";
import type { CompletedDocument, Document, DocumentEventOf } from "./state.ts";

/** Pauses after the first, second … attempt to seal that failed; the last one repeats for ever. */
export const sealingRetryDelaysMs = delays([5, "s"], [30, "s"], [2, "min"], [10, "min"], [30, "min"], [1, "h"]);

const completedDocument = (document: Document): CompletedDocument => {
  const requested = requestedDocument(document);
  if (requested.status !== "completed") throw new DomainError("document_open", "not every signer has signed");
  return requested;
};

/** The document is sealed, once; its file is durable. @throws {DomainError} document_open */
export const recordSealed = (document: Document, seal: DocumentEventOf<"DocumentSealed">["data"]): DocumentEvent[] => {
  if (completedDocument(document).seal) return [];
  const { file, level, shortfall, certificateSha256 } = seal;
  return [{ type: "DocumentSealed", data: { file, level, shortfall, certificateSha256 }, personal: null }];
};

/**
 * Sealing did not succeed; it is tried again for as long as it takes. Nothing once it is sealed.
 * `now` in milliseconds since the UNIX epoch, `jitter` a fraction in [0, 1).
 * @throws {DomainError} document_open
 */
export const recordSealingFailed = (
  document: Document,
  { reason, now, jitter }: { reason: string; now: number; jitter: number },
): DocumentEvent[] => {
  const { seal, sealingAttempts } = completedDocument(document);
  if (seal) return [];
  const attempt = sealingAttempts + 1;
  const due = nextAttemptAt(sealingRetryDelaysMs, Math.min(attempt, sealingRetryDelaysMs.length), now, jitter);
  if (due === null) throw new Error("the schedule of sealing is empty");
  return [{ type: "SealingFailed", data: { attempt, reason, nextAttemptAt: due }, personal: null }];
};

/** The legal report could be built, once, after the document's end and its seal. @throws {DomainError} document_open */
export const recordReport = (document: Document, { sizeBytes }: { sizeBytes: number }): DocumentEvent[] => {
  const ended = endedDocument(document);
  if (ended.status === "completed" && !ended.seal) throw new DomainError("document_open", "it is not sealed yet");
  return ended.reportGenerated ? [] : [{ type: "ReportGenerated", data: { sizeBytes }, personal: null }];
};
