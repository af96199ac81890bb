import {
  isAugmentationDue,
  isErasureDue,
  isEvidenceDue,
  isExpiryDue,
  isForgettingDue,
  isHoldEndDue,
  isIdentityCheckDue,
  isMessageDue,
  isPreparationDue,
  isReminderScheduleDue,
  isReportDue,
  isSealDue,
  isTurnDue,
  releaseReasonOf,
  type SignerStanding,
  type Standing,
} from "../document/due.ts";
import { photosToCheck } from "../document/photo-progress.ts";
import type { ObligationsRecord, SignerProgress } from "./record.ts";

/** A record, and how the document stands by it. */
interface Known {
  record: ObligationsRecord;
  standing: Standing;
}

/** What a document owes as a whole. */
const owedByDocument = {
  prepare: ({ standing }: Known) => isPreparationDue(standing),
  seal: ({ standing }: Known) => isSealDue(standing),
  "complete-seal": ({ standing }: Known) => isAugmentationDue(standing) && standing.augmentation === "complete",
  "renew-timestamp": ({ standing }: Known) => isAugmentationDue(standing) && standing.augmentation === "renew",
  "fetch-evidence": ({ standing }: Known) => isEvidenceDue(standing),
  report: ({ standing }: Known) => isReportDue(standing),
  expire: ({ standing }: Known) => isExpiryDue(standing),
  erase: ({ standing }: Known) => isErasureDue(standing),
  forget: ({ standing }: Known) => isForgettingDue(standing),
  refund: ({ record }: Known) => record.status === "failed" && !record.refunded,
};

type Line = Pick<SignerProgress, "line" | "lines">;

/** What it owes about each signer. Turns come and go with the events of the phones' lines, which deciders don't know. */
const owedAboutSigner = {
  "check-identity": ({ standing }: Known, signer: SignerStanding) => isIdentityCheckDue(standing, signer),
  "claim-turn": ({ standing }: Known, signer: SignerStanding) =>
    isTurnDue(standing, signer) && signer.turn === "waiting",
  "announce-turn": ({ standing }: Known, signer: SignerStanding, { line }: Line) =>
    isTurnDue(standing, signer) && line === "holds",
  "release-turn": ({ standing }: Known, signer: SignerStanding, { line }: Line) =>
    line !== "off" && releaseReasonOf(standing, signer) !== null,
  "leave-line": (_known: Known, _signer: SignerStanding, { lines }: Line) =>
    lines !== null && Object.keys(lines.on).some((lineId) => lineId !== lines.own),
  "send-template": ({ standing }: Known, signer: SignerStanding) => isMessageDue(standing, signer, "template"),
  "send-link": ({ standing }: Known, signer: SignerStanding) => isMessageDue(standing, signer, "link"),
  "send-copy": ({ standing }: Known, signer: SignerStanding) => isMessageDue(standing, signer, "copy"),
  "send-cancellation": ({ standing }: Known, signer: SignerStanding) => isMessageDue(standing, signer, "cancellation"),
  "send-refusal": ({ standing }: Known, signer: SignerStanding) => isMessageDue(standing, signer, "refusal"),
  "schedule-reminder": ({ standing }: Known, signer: SignerStanding) => isReminderScheduleDue(standing, signer),
  "send-reminder": ({ standing }: Known, signer: SignerStanding) => isMessageDue(standing, signer, "reminder"),
  "end-refusal": ({ standing }: Known, signer: SignerStanding, { line }: Line) =>
    line !== "off" && isHoldEndDue(standing, signer, "refusal"),
  "end-silence": ({ standing }: Known, signer: SignerStanding, { line }: Line) =>
    line !== "off" && isHoldEndDue(standing, signer, "silence"),
};

/** What is owed now: a kind, and the signer whom it is about, or null. */
export interface Owed {
  kind: keyof typeof owedByDocument | keyof typeof owedAboutSigner;
  signerId: string | null;
}

const kindsOf = <Kind extends string>(table: Record<Kind, unknown>): Kind[] => Object.keys(table) as Kind[];

/** How a document stands, by its record of obligations. */
export const recordedStanding = (record: ObligationsRecord): Standing => ({
  ...record,
  signers: record.signers.map((signer) => ({
    ...signer,
    uncheckedPhotos: photosToCheck(signer.photos) !== null,
    holdOver: null,
  })),
});

/**
 * All that is owed by what is known of a document, webhooks apart. Derived anew from each event on, so that it does not
 * matter in which order a document's own events and those of the phones' lines come: what is owed is open, what is not
 * is closed.
 */
export const owedBy = (record: ObligationsRecord): Owed[] => {
  const known = { record, standing: recordedStanding(record) };
  const owed: Owed[] = kindsOf(owedByDocument)
    .filter((kind) => owedByDocument[kind](known))
    .map((kind) => ({ kind, signerId: null }));
  for (const [index, signer] of known.standing.signers.entries()) {
    const line: Line = record.signers[index] ?? { line: "off", lines: null };
    for (const kind of kindsOf(owedAboutSigner))
      if (owedAboutSigner[kind](known, signer, line)) owed.push({ kind, signerId: signer.signerId });
  }
  return owed;
};
