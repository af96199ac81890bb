import type { DocumentEvent, DocumentEventOf, Provider } from "@rubrica/events";
import { retryAt } from "../backoff.ts";
import { documentKinds } from "../obligations/document-kinds.ts";
import { isEvidenceDue } from "../standing/due.ts";
import { concludedDocument } from "./lookup.ts";
import type { ConcludedDocument, Document, Signer } from "./state.ts";

type FetchedFiles = DocumentEventOf<"EvidenceFetched">["data"]["files"];

/** The signers of whom the identity provider keeps evidence, in signing order. */
export const signersWithEvidence = ({ signers }: ConcludedDocument): Signer[] =>
  signers.filter(({ checkedByProvider }) => checkedByProvider).sort((a, b) => a.order - b.order);

/**
 * The identity provider's files were fetched and are durable, once the document ended. Nothing where it keeps none.
 * @throws {DomainError} document_open
 */
export const recordEvidence = (
  document: Document,
  { files, provider }: { files: FetchedFiles; provider: Provider },
): DocumentEvent[] =>
  isEvidenceDue(concludedDocument(document))
    ? [{ type: "EvidenceFetched", data: { provider, files: [...files] }, personal: null }]
    : [];

/**
 * The identity provider's files could not be fetched, for the `attempt`th time; it is tried again for as long as it takes.
 * Nothing once they were, once the document was erased, or where this attempt is recorded already.
 * `now` in milliseconds since the UNIX epoch, `jitter` a fraction in [0, 1).
 * @throws {DomainError} document_open
 */
export const recordEvidenceFailure = (
  document: Document,
  { attempt, reason, now, jitter }: { attempt: number; reason: string; now: number; jitter: number },
): DocumentEvent[] => {
  const ended = concludedDocument(document);
  if (!isEvidenceDue(ended) || attempt !== ended.evidenceFailures + 1) return [];
  const nextAttemptAt = retryAt(documentKinds["fetch-evidence"].retries, { attempt, now, jitter });
  return [{ type: "EvidenceFetchFailed", data: { attempt, reason, nextAttemptAt }, personal: null }];
};
