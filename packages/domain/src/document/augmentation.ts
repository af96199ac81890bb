import type { DocumentEvent, DocumentEventOf } from "@rubrica/events";
import { retryAtMost } from "../backoff.ts";
import { DomainError } from "../decider.ts";
import { documentKinds, renewalDueAt } from "../obligations/document-kinds.ts";
import { isAugmentationDue } from "../standing/due.ts";
import { requestedDocument } from "./lookup.ts";
import type { Document, Seal } from "./state.ts";

/**
 * What is to be done of the document's seal at a time (milliseconds since the UNIX epoch), and its file; null for nothing.
 */
export const augmentationAt = (document: Document, now: number): { kind: "complete" | "renew"; seal: Seal } | null => {
  if (document.status !== "completed" || !document.seal || !isAugmentationDue(document)) return null;
  const { seal, augmentation: kind } = document;
  const { provenAt, provenUntil } = seal;
  if (kind === "renew" && provenAt && provenUntil && Date.parse(renewalDueAt(provenAt, provenUntil)) > now) return null;
  return kind && { kind, seal };
};

/**
 * The sealed file was augmented, and the new one is durable. No event where another augmentation replaced the file
 * meanwhile, or the document was erased. `from`: the SHA-256 of the file that was augmented. @throws {DomainError} document_open
 */
export const recordAugmented = (
  document: Document,
  { from, ...data }: DocumentEventOf<"SealAugmented">["data"] & { from: string },
): DocumentEvent[] => {
  const seal = sealToAugment(document, data.kind);
  return seal?.file.sha256 === from ? [{ type: "SealAugmented", data, personal: null }] : [];
};

/** Whether the certificate of the seal's last timestamp has expired: another timestamp would prove nothing any more. `now` as for {@link augmentationAt}. */
export const hasTimestampExpired = ({ provenUntil }: Seal, now: number): boolean =>
  provenUntil !== null && Date.parse(provenUntil) <= now;

/** An attempt to augment that failed. */
export interface AugmentationFailure {
  kind: "complete" | "renew";
  attempt: number;
  reason: string;
  /** It can never succeed. */
  isFinal: boolean;
  /** Milliseconds since the UNIX epoch. */
  now: number;
  /** A fraction in [0, 1). */
  jitter: number;
}

/**
 * Augmenting did not succeed, for the `attempt`th time; it is given up where it never can, or was tried too often. No event
 * once it succeeded, or where this attempt is recorded already. @throws {DomainError} document_open
 */
export const recordAugmentationFailed = (document: Document, failure: AugmentationFailure): DocumentEvent[] => {
  const { kind, attempt, reason, isFinal, now, jitter } = failure;
  const seal = sealToAugment(document, kind);
  if (!seal || attempt !== seal.failures + 1) return [];
  const { retries } = documentKinds[kind === "complete" ? "complete-seal" : "renew-timestamp"];
  const isOver = isFinal || (kind === "renew" && hasTimestampExpired(seal, now));
  const nextAttemptAt = isOver ? null : retryAtMost(retries, { attempt, now, jitter });
  const data = { kind, attempt, reason, nextAttemptAt };
  return [{ type: "SealAugmentationFailed", data, personal: null }];
};

const sealToAugment = (document: Document, kind: "complete" | "renew"): Seal | null => {
  const requested = requestedDocument(document);
  if (requested.status !== "completed") throw new DomainError("document_open", "not every signer has signed");
  return isAugmentationDue(requested) && requested.augmentation === kind ? requested.seal : null;
};
