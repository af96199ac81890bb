import type { DocumentEvent } from "@rubrica/events";
import { delays, nextAttemptAt } from "../backoff.ts";
import { DomainError } from "../decider.ts";
import { isAugmentationDue } from "./due.ts";
import { requestedDocument } from "./lookup.ts";
import type { Standing } from "./standing.ts";
import type { Document, DocumentEventOf, Seal } from "./state.ts";

const DAY_MS = 86_400_000;
/** A timestamp is renewed so long before the first of its certificates ends; one that is short, after two thirds of its time. */
const RENEWED_BEFORE_MS = 90 * DAY_MS;
/** How often what a seal lacks is asked for before it stays as it is: for about two months. */
const MAX_ATTEMPTS = 60;

/** Pauses after the first, second … attempt to augment that failed; the last one repeats. */
export const augmentationRetryDelaysMs = delays([10, "min"], [1, "h"], [6, "h"], [24, "h"]);

/** What is to be done of a seal from now on. */
export const owedAugmentation = ({
  toComplete,
  provenUntil,
}: Pick<Seal, "toComplete" | "provenUntil">): Standing["augmentation"] => {
  if (toComplete) return "complete";
  return provenUntil === null ? null : "renew";
};

/** When a timestamp is to be renewed, of when it was made and when the first of its certificates ends (ISO 8601, UTC). */
export const renewalDueAt = (provenAt: string, provenUntil: string): string => {
  const [from, until] = [Date.parse(provenAt), Date.parse(provenUntil)];
  const share = from + Math.max(0, until - from) * (2 / 3);
  return new Date(Math.round(Math.max(share, until - RENEWED_BEFORE_MS))).toISOString();
};

/**
 * What is to be done of the document's seal at a time (milliseconds since the UNIX epoch), and its file; null for nothing.
 */
export const augmentationDue = (document: Document, now: number): { kind: "complete" | "renew"; seal: Seal } | null => {
  if (document.status !== "completed" || !document.seal || !isAugmentationDue(document)) return null;
  const { seal, augmentation: kind } = document;
  const { provenAt, provenUntil } = seal;
  if (kind === "renew" && provenAt && provenUntil && Date.parse(renewalDueAt(provenAt, provenUntil)) > now) return null;
  return kind && { kind, seal };
};

/**
 * The sealed file was augmented, and the new one is durable. Nothing where another one was meanwhile, or the document was
 * erased. `from`: the SHA-256 of the file that was augmented. @throws {DomainError} document_open
 */
export const recordAugmented = (
  document: Document,
  { from, ...data }: DocumentEventOf<"SealAugmented">["data"] & { from: string },
): DocumentEvent[] => {
  const seal = owingSeal(document, data.kind);
  return seal?.file.sha256 === from ? [{ type: "SealAugmented", data, personal: null }] : [];
};

/** Whether what proves the seal has ended, so that another timestamp would prove nothing any more. `now` as for {@link augmentationDue}. */
export const isProofOver = ({ provenUntil }: Seal, now: number): boolean =>
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
 * Augmenting did not succeed, for the `attempt`th time; it is given up where it never can, or was tried too often. Nothing
 * once it did, or where this attempt is recorded already. @throws {DomainError} document_open
 */
export const recordAugmentationFailed = (document: Document, failure: AugmentationFailure): DocumentEvent[] => {
  const { kind, attempt, reason, isFinal, now, jitter } = failure;
  const seal = owingSeal(document, kind);
  if (!seal || attempt !== seal.failures + 1) return [];
  const pauses = augmentationRetryDelaysMs;
  const next = nextAttemptAt(pauses, Math.min(attempt, pauses.length), now, jitter);
  const isOver = isFinal || (kind === "complete" ? attempt >= MAX_ATTEMPTS : isProofOver(seal, now));
  const data = { kind, attempt, reason, nextAttemptAt: isOver ? null : next };
  return [{ type: "SealAugmentationFailed", data, personal: null }];
};

const owingSeal = (document: Document, kind: "complete" | "renew"): Seal | null => {
  const requested = requestedDocument(document);
  if (requested.status !== "completed") throw new DomainError("document_open", "not every signer has signed");
  return isAugmentationDue(requested) && requested.augmentation === kind ? requested.seal : null;
};
