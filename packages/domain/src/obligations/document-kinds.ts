import { renewalDueAt } from "../document/augmentation.ts";
import {
  isAugmentationDue,
  isErasureDue,
  isEvidenceDue,
  isExpiryDue,
  isForgettingDue,
  isPreparationDue,
  isReportDue,
  isSealDue,
} from "../document/due.ts";
import { DAY_MS, GRACE_MS, type Kind, later } from "./kind.ts";
import { type ObligingEvent, postponed } from "./record.ts";

/** What a seal lacks could not be had a moment ago: `complete-seal` waits for so long. */
const COMPLETE_SEAL_AFTER_MS = 10 * 60_000;

/** What is made up of a seal: each augmentation owes the next one, of its own time. */
const augmentation: Pick<Kind, "isAnewWith" | "after"> = {
  isAnewWith: ({ type }) => type === "SealAugmented",
  after: (open, event) => (event.type === "SealAugmentationFailed" ? postponed(open, event) : open),
};

/** What a document owes as a whole. */
export const documentKinds = {
  prepare: { isOwed: (record) => isPreparationDue(record) },
  seal: {
    isOwed: (record) => isSealDue(record),
    after: (open, event) => (event.type === "SealingFailed" ? postponed(open, event) : open),
  },
  "complete-seal": {
    ...augmentation,
    isOwed: (record) => isAugmentationDue(record) && record.augmentation === "complete",
    dueAt: ({ event: { metadata } }) => later(metadata.at, COMPLETE_SEAL_AFTER_MS),
  },
  "renew-timestamp": {
    ...augmentation,
    isOwed: (record) => isAugmentationDue(record) && record.augmentation === "renew",
    dueAt: ({ event }) => renewedAt(event),
  },
  "fetch-evidence": {
    isOwed: (record) => isEvidenceDue(record),
    after: (open, event) => (event.type === "EvidenceFetchFailed" ? postponed(open, event) : open),
  },
  report: { isOwed: (record) => isReportDue(record) },
  expire: {
    isOwed: (record) => isExpiryDue(record),
    dueAt: ({ event: { data, metadata } }) => ("expiresAt" in data ? data.expiresAt : null) ?? metadata.at,
    after: (open, { type, data, metadata }) =>
      type === "DocumentExpiryChanged" ? { ...open, dueAt: data.expiresAt, since: metadata.at } : open,
  },
  erase: {
    isOwed: (record) => isErasureDue(record),
    dueAt: ({ record, event: { metadata } }) => later(metadata.at, (record?.retentionDays ?? 0) * DAY_MS),
  },
  // Whoever erases goes on to forget.
  forget: {
    isOwed: (record) => isForgettingDue(record),
    dueAt: ({ event: { metadata } }) => later(metadata.at, GRACE_MS),
  },
  refund: { isOwed: (record) => record.status === "failed" && !record.refunded },
} satisfies Readonly<Record<string, Kind>>;

/** Before the certificate ends by which a document timestamp proves the seal. */
const renewedAt = (event: ObligingEvent): string => {
  const { at } = event.metadata;
  if (event.type !== "DocumentSealed" && event.type !== "SealAugmented") return at;
  const { timestamp, provenUntil } = event.data;
  return provenUntil === null ? at : renewalDueAt(timestamp?.at ?? at, provenUntil);
};
