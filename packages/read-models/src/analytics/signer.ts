import { evolvePhotos, isAsking, type PhotoProgress, type Photos, progressOf } from "@rubrica/domain";
import { isPhotoEvent, type Medium, photoKinds } from "@rubrica/events";
import { countryOfPhone } from "@rubrica/identity";
import type { JournalEvent } from "@rubrica/journal";

/** What is known of a signer; names nobody. */
export type AnalyticSigner = {
  signerId: string;
  order: number;
  medium: Medium | null;
  country: string | null;
  queuedAt: string | null;
  turnAt: string | null;
  askedAt: string | null;
  reachedAt: string | null;
  continuedAt: string | null;
  refusedAt: string | null;
  linkSentAt: string | null;
  openedAt: string | null;
  identifiedAt: string | null;
  signedAt: string | null;
  rejectedAt: string | null;
  withdrawnAt: string | null;
  unreachableAt: string | null;
  photos: Photos<PhotoProgress>;
  mrzAttempts: number;
  mrzOutcome: "approved" | "rejected" | null;
  providerFailures: number;
};

export const requestedSigner = (
  { signerId, order }: { signerId: string; order: number },
  country: string | null,
): AnalyticSigner => ({
  signerId,
  order,
  medium: null,
  country,
  queuedAt: null,
  turnAt: null,
  askedAt: null,
  reachedAt: null,
  continuedAt: null,
  refusedAt: null,
  linkSentAt: null,
  openedAt: null,
  identifiedAt: null,
  signedAt: null,
  rejectedAt: null,
  withdrawnAt: null,
  unreachableAt: null,
  photos: { selfie: [], idFront: [], idBack: [] },
  mrzAttempts: 0,
  mrzOutcome: null,
  providerFailures: 0,
});

/** The signer after one more event of theirs; the same object where it changes nothing. */
export const signerAfter = (signer: AnalyticSigner, event: JournalEvent, identityRequired: boolean): AnalyticSigner => {
  const { at } = event.metadata;
  switch (event.type) {
    case "SignerQueued":
      return { ...signer, queuedAt: at };
    case "SignerTurnCame":
      return { ...signer, turnAt: at };
    case "ResendRequested":
      return { ...signer, refusedAt: null, unreachableAt: null };
    case "SignerCorrected":
      return withCorrection(signer, event);
    case "TemplateAnswered":
      return { ...signer, continuedAt: signer.continuedAt ?? at };
    case "ContinueRefused":
      return { ...signer, refusedAt: at };
    case "SigningPageOpened":
      return signer.openedAt ? signer : { ...signer, openedAt: at };
    case "DocumentSigned":
      return { ...signer, signedAt: at };
    case "Rejected":
      return { ...signer, rejectedAt: at };
    default:
      return isPhotoEvent(event) ? withPhotos(signer, event, identityRequired) : withMessage(signer, event);
  }
};

/** Who is corrected is asked anew, by another link: what came of the former one is not theirs. */
const withCorrection = (
  signer: AnalyticSigner,
  { personal }: Extract<JournalEvent, { type: "SignerCorrected" }>,
): AnalyticSigner => ({
  ...signer,
  country: personal === null ? null : countryOfPhone(personal.after.phone),
  askedAt: null,
  reachedAt: null,
  continuedAt: null,
  refusedAt: null,
  linkSentAt: null,
  unreachableAt: null,
});

const withMessage = (signer: AnalyticSigner, event: JournalEvent): AnalyticSigner => {
  const { at } = event.metadata;
  switch (event.type) {
    case "MessageSent": {
      const { medium, withLink } = event.data;
      const linkSentAt = signer.linkSentAt ?? (withLink ? at : null);
      return { ...signer, medium, askedAt: signer.askedAt ?? at, linkSentAt };
    }
    case "SignatureLinkSent":
      return { ...signer, linkSentAt: signer.linkSentAt ?? at };
    case "MessageDelivered":
    case "MessageRead":
      return isAsking(event.data.kind) && !signer.reachedAt ? { ...signer, reachedAt: at } : signer;
    case "MessageFailed":
      return isAsking(event.data.kind) && event.data.nextAttemptAt === null ? { ...signer, unreachableAt: at } : signer;
    default:
      return signer;
  }
};

const withPhotos = (
  signer: AnalyticSigner,
  event: Parameters<typeof evolvePhotos>[1] & JournalEvent,
  identityRequired: boolean,
): AnalyticSigner => {
  const photos = evolvePhotos(signer.photos, event, progressOf);
  const approved = photoKinds.every((kind) => photos[kind].at(-1)?.validation === "approved");
  const identifiedAt = identityRequired && approved ? (signer.identifiedAt ?? event.metadata.at) : null;
  const after = { ...signer, photos, identifiedAt };
  if (event.type === "MrzValidated") {
    return { ...after, mrzAttempts: signer.mrzAttempts + 1, mrzOutcome: event.data.result };
  }
  return event.type === "IdentityProviderFailed" ? { ...after, providerFailures: signer.providerFailures + 1 } : after;
};

/** How far a signer came, by numbers that the declaration of `furthest` explains. A step counts those before it. */
export const furthestOf = (signer: AnalyticSigner): number => {
  if (signer.signedAt) return 5;
  if (signer.identifiedAt) return 4;
  if (signer.openedAt || Object.values(signer.photos).some(({ length }) => length > 0)) return 3;
  if (signer.continuedAt) return 2;
  return signer.reachedAt || signer.refusedAt ? 1 : 0;
};

const stateByStep = ["asked", "reached", "continued", "opened", "identified", "signed"] as const;

/** Where a signer stands. Who opened the page is reached, whatever became of messages. */
export const signerStateOf = (signer: AnalyticSigner, sendsMessages: boolean): string => {
  const furthest = furthestOf(signer);
  if (signer.signedAt) return "signed";
  if (signer.rejectedAt) return "rejected";
  if (furthest < 3 && signer.unreachableAt) return "unreachable";
  const asked = sendsMessages ? signer.askedAt : signer.turnAt;
  return furthest > 0 || asked ? (stateByStep[furthest] ?? "asked") : "queued";
};
