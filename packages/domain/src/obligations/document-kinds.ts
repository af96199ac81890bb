import { hasSealedFile } from "@rubrica/events";
import { delays, retriedForever } from "../backoff.ts";
import {
  isAugmentationDue,
  isErasureDue,
  isEvidenceDue,
  isExpiryDue,
  isForgettingDue,
  isPreparationDue,
  isReportDue,
  isSealDue,
} from "../standing/due.ts";
import { DAY_MS, GRACE_MS, type Kind, later } from "./kind.ts";
import { type ObligingEvent, postponed } from "./record.ts";

/** A row that can't be prepared for a reason that may pass is given up after so many attempts. Its subscriber counts them: no event does. */
export const PREPARATION_ATTEMPTS = 2;

/**
 * After so many failed attempts to seal, for whatever reason, which takes about a quarter of an hour, a missing timestamp no
 * longer keeps a document from being sealed, where RENEW_TIMESTAMPS is set: the timestamp is added later.
 */
export const TIMESTAMP_ATTEMPTS = 4;

/** `complete-seal` waits for so long: what the seal lacks was not available a moment ago. */
const COMPLETE_SEAL_AFTER_MS = 10 * 60_000;

/** A timestamp is renewed so long before the first of its certificates ends; one that is short, after two thirds of its time. */
const RENEWED_BEFORE_MS = 90 * DAY_MS;

/** Pauses between attempts to augment a seal. */
const augmentationDelaysMs = delays([10, "min"], [1, "h"], [6, "h"], [24, "h"]);

/**
 * What completing a seal and renewing its timestamp share: each augmentation owes the next one, with its own id and
 * time.
 */
const augmentation: Pick<Kind, "restartsWith" | "after"> = {
  restartsWith: ({ type }) => type === "SealAugmented",
  after: (open, event) => (event.type === "SealAugmentationFailed" ? postponed(open, event) : open),
};

/** What a document owes as a whole. */
export const documentKinds = {
  prepare: { isOwed: isPreparationDue, limits: { inAll: 24, anAccount: 6 } },
  seal: {
    isOwed: isSealDue,
    limits: { inAll: 24, anAccount: 8 },
    retries: retriedForever([5, "s"], [30, "s"], [2, "min"], [10, "min"], [30, "min"], [1, "h"]),
    after: (open, event) => (event.type === "SealingFailed" ? postponed(open, event) : open),
  },
  "complete-seal": {
    ...augmentation,
    isOwed: (standing) => isAugmentationDue(standing) && standing.augmentation === "complete",
    dueAt: ({ event: { metadata } }) => later(metadata.at, COMPLETE_SEAL_AFTER_MS),
    // For about two months; then the seal stays as it is.
    retries: { delaysMs: augmentationDelaysMs, maxAttempts: 60 },
  },
  "renew-timestamp": {
    ...augmentation,
    isOwed: (standing) => isAugmentationDue(standing) && standing.augmentation === "renew",
    dueAt: ({ event }) => renewedAt(event),
    // Until what it proves has ended: the decider knows when.
    retries: { delaysMs: augmentationDelaysMs, maxAttempts: Number.POSITIVE_INFINITY },
  },
  "fetch-evidence": {
    isOwed: isEvidenceDue,
    limits: { inAll: 16, anAccount: 4 },
    retries: retriedForever([5, "s"], [30, "s"], [2, "min"], [10, "min"], [30, "min"], [1, "h"]),
    after: (open, event) => (event.type === "EvidenceFetchFailed" ? postponed(open, event) : open),
  },
  report: { isOwed: isReportDue, limits: { inAll: 16, anAccount: 8 } },
  expire: {
    isOwed: isExpiryDue,
    dueAt: ({ event: { data, metadata } }) => ("expiresAt" in data ? data.expiresAt : null) ?? metadata.at,
    after: (open, { type, data, metadata }) =>
      type === "DocumentExpiryChanged" ? { ...open, dueAt: data.expiresAt, since: metadata.at } : open,
  },
  erase: {
    isOwed: isErasureDue,
    dueAt: ({ record, event: { metadata } }) => later(metadata.at, (record?.retentionDays ?? 0) * DAY_MS),
  },
  // The command that erases goes on to forget.
  forget: {
    isOwed: isForgettingDue,
    dueAt: ({ event: { metadata } }) => later(metadata.at, GRACE_MS),
  },
  refund: { isOwed: (record) => record.status === "failed" && !record.refunded },
} satisfies Readonly<Record<string, Kind>>;

/** When a timestamp is to be renewed, of when it was made and when the first of its certificates ends (ISO 8601, UTC). */
export const renewalDueAt = (provenAt: string, provenUntil: string): string => {
  const [from, until] = [Date.parse(provenAt), Date.parse(provenUntil)];
  const share = from + Math.max(0, until - from) * (2 / 3);
  return new Date(Math.round(Math.max(share, until - RENEWED_BEFORE_MS))).toISOString();
};

/** When the timestamp that an event added is to be renewed; the event's own time where there is nothing to renew. */
const renewedAt = (event: ObligingEvent): string => {
  const { at } = event.metadata;
  if (!hasSealedFile(event)) return at;
  const { timestamp, provenUntil } = event.data;
  return provenUntil === null ? at : renewalDueAt(timestamp?.at ?? at, provenUntil);
};
