import {
  type DocumentEventOf,
  type DomainEvent,
  isMessageTaken,
  isPhotoEvent,
  isPhotoUploaded,
  type MessageKind,
} from "@rubrica/events";
import type { Dated } from "../decider.ts";
import { isAsking } from "./due.ts";
import { isRefusalExplained, lastAnswerAfter } from "./last-answer.ts";
import type { SignerStanding, Standing } from "./standing.ts";

/** After so many failures to fetch the evidence, the report no longer waits for it. */
const EVIDENCE_ATTEMPTS = 4;

/** {@link Standing} without what is kept elsewhere: signers have a fold of their own, a document's status tells its type. */
type Details = Omit<Standing, "status" | "signers">;

type Event = Dated<DomainEvent>;
type RequestedData = DocumentEventOf<"DocumentRequested">["data"];

/** How a document stands when it was requested. */
export const requestedStanding = (data: RequestedData): Details => ({
  withdrawal: null,
  hasFile: data.file !== null,
  erasure: "none",
  retentionDays: data.retentionDays,
  expiresAt: data.expiresAt,
  refusalHours: data.refusalHours,
  silenceHours: data.silenceHours,
  maxReminders: data.reminders?.max ?? 0,
  sendMessages: data.sendMessages,
  sealed: false,
  augmentation: null,
  copies: false,
  evidence: "none",
  reported: false,
});

const notAsked = {
  turn: "waiting",
  isOutOfTurn: false,
  template: "unsent",
  link: "unsent",
  refusal: "unsent",
  reminder: "unsent",
  nextReminder: "unknown",
  undeliverable: false,
  refused: false,
  refusalExplained: false,
  delivered: false,
  heldSince: null,
} as const satisfies Partial<SignerStanding>;

const notReached = { reached: false, reachedBefore: false, wantsLink: false, lastAnswer: null, reminders: 0 } as const;

/** How a signer stands when they were requested. */
export const requestedSignerStanding = ({
  signerId,
  order,
  group,
}: Pick<SignerStanding, "signerId" | "order" | "group">): SignerStanding => ({
  signerId,
  order,
  group,
  ...notAsked,
  ...notReached,
  copy: "unsent",
  cancellation: "unsent",
  reminderDueAt: null,
  opened: false,
  photos: { selfie: [], idFront: [], idBack: [] },
  signed: false,
});

/** A document's status after one more event. Where the status tells the document's type, `evolve.ts` makes that type. */
export const statusAfter = (status: Standing["status"], { type }: Event): Standing["status"] => {
  switch (type) {
    case "DocumentPrepared":
      return "pending";
    case "PreparationFailed":
      return "failed";
    case "DocumentCompleted":
      return "completed";
    case "Rejected":
      return "rejected";
    case "DocumentWithdrawn":
      return "withdrawn";
    default:
      return status;
  }
};

/** What is to be done of a seal from now on. */
const owedAugmentation = ({
  toComplete,
  provenUntil,
}: Pick<DocumentEventOf<"DocumentSealed">["data"], "toComplete" | "provenUntil">): Standing["augmentation"] => {
  if (toComplete) return "complete";
  return provenUntil === null ? null : "renew";
};

/** A document after one more event, its signers and its status apart. */
export const detailsAfter = <Document extends Details>(document: Document, event: Event): Document => {
  switch (event.type) {
    case "DocumentPrepared":
      return { ...document, hasFile: true };
    case "DocumentExpiryChanged":
      return { ...document, expiresAt: event.data.expiresAt };
    case "DocumentWithdrawn":
      return { ...document, withdrawal: event.data.reason };
    case "DocumentErased":
      return { ...document, erasure: "erased" };
    case "DocumentForgotten":
      return { ...document, erasure: "forgotten" };
    case "DocumentSealed":
      return { ...document, sealed: true, copies: event.data.sendCopies, augmentation: owedAugmentation(event.data) };
    case "SealAugmented":
      return { ...document, augmentation: owedAugmentation(event.data) };
    case "SealAugmentationFailed":
      return event.data.nextAttemptAt === null ? { ...document, augmentation: null } : document;
    case "EvidenceFetched":
      return { ...document, evidence: "fetched" };
    case "EvidenceFetchFailed":
      return event.data.attempt >= EVIDENCE_ATTEMPTS ? { ...document, evidence: "delayed" } : document;
    case "ReportGenerated":
      return { ...document, reported: true };
    default:
      return isProvidersWord(event) && document.evidence === "none" ? { ...document, evidence: "kept" } : document;
  }
};

/** Whether the identity provider said something of a signer: it keeps evidence of it. */
export const isProvidersWord = (event: Event): boolean =>
  isPhotoEvent(event) && !isPhotoUploaded(event) && event.type !== "IdentityProviderFailed";

/** The signers after one more event, which is about one of them, or about the document. */
export const signersAfter = <Signer extends SignerStanding>(
  signers: readonly Signer[],
  event: Event,
): readonly Signer[] =>
  signers.map((signer) =>
    "signerId" in event.data && event.data.signerId !== signer.signerId ? signer : signerAfter(signer, event),
  );

const signerAfter = <Signer extends SignerStanding>(signer: Signer, event: Event): Signer => {
  switch (event.type) {
    case "SignerQueued":
      return { ...signer, turn: "queued" };
    case "SignerTurnCame":
      return { ...signer, turn: "came", isOutOfTurn: event.data.lineId === null };
    case "ResendRequested":
      return { ...signer, ...notAsked, reachedBefore: signer.reached };
    case "SignerCorrected":
      return { ...signer, ...notAsked, ...notReached };
    case "DocumentExpiryChanged":
      return signer.nextReminder === "none" ? { ...signer, nextReminder: "unknown" } : signer;
    case "ReminderScheduled": {
      const { dueAt } = event.data;
      const nextReminder = dueAt === null ? "none" : "scheduled";
      return { ...signer, nextReminder, reminderDueAt: dueAt, reminder: "unsent" };
    }
    case "TemplateAnswered":
      return standingAfterContinuing(signer, event);
    case "ContinueRefused":
      return standingAfterRefusing(signer, event);
    case "SigningPageOpened":
      return { ...signer, opened: true };
    case "DocumentSigned":
      return { ...signer, signed: true };
    case "ReminderSent":
      return standingAfterReminder(standingAfterSending(signer, event));
    case "MessageDelivered":
      return standingAfterArrival(standingAfterSending(signer, event), event);
    case "MessageFailed":
      return standingAfterFailure(signer, event);
    default:
      return isMessageTaken(event) ? standingAfterSending(signer, event) : signer;
  }
};

/** The last answer counts. A signer who continues again is sent the link again. */
const standingAfterContinuing = <Signer extends SignerStanding>(
  signer: Signer,
  event: Dated<DocumentEventOf<"TemplateAnswered">>,
): Signer => {
  const lastAnswer = lastAnswerAfter(signer.lastAnswer, event);
  const anew = signer.wantsLink ? ({ link: "unsent" } as const) : {};
  const after = { ...signer, ...anew, lastAnswer, wantsLink: true };
  return lastAnswer === signer.lastAnswer ? after : { ...after, refused: false, refusalExplained: false };
};

/** A refusal that was given before the signer's last answer, and told later, changes nothing. */
const standingAfterRefusing = <Signer extends SignerStanding>(
  signer: Signer,
  event: Dated<DocumentEventOf<"ContinueRefused">>,
): Signer => {
  const lastAnswer = lastAnswerAfter(signer.lastAnswer, event);
  if (lastAnswer === signer.lastAnswer) return signer;
  const refusalExplained = isRefusalExplained(event, signer.wantsLink);
  return { ...signer, lastAnswer, refused: true, refusalExplained, heldSince: event.metadata?.at ?? null };
};

const standingAfterSending = <Signer extends SignerStanding>(
  signer: Signer,
  { data: { kind } }: { data: { kind: MessageKind } },
): Signer => ({
  ...signer,
  [kind]: "sent",
  ...(isAsking(kind) ? { reached: true } : {}),
});

const standingAfterArrival = <Signer extends SignerStanding>(
  signer: Signer,
  { data: { kind }, metadata }: Dated<DocumentEventOf<"MessageDelivered">>,
): Signer =>
  kind === "template" ? { ...signer, delivered: true, heldSince: signer.heldSince ?? metadata?.at ?? null } : signer;

const standingAfterFailure = <Signer extends SignerStanding>(
  signer: Signer,
  { data: { kind, nextAttemptAt, wasTaken } }: DocumentEventOf<"MessageFailed">,
): Signer => {
  // The next one may be scheduled by now.
  if (kind === "reminder" && wasTaken) return signer;
  // It may have been taken by the provider before.
  const reached = isAsking(kind) ? signer.delivered || signer.reachedBefore : signer.reached;
  if (nextAttemptAt !== null) return { ...signer, reached, [kind]: "unsent" };
  const after = { ...signer, reached, [kind]: "given_up" };
  if (kind === "reminder") return standingAfterReminder(after);
  return isAsking(kind) ? { ...after, undeliverable: true } : after;
};

const standingAfterReminder = <Signer extends SignerStanding>(signer: Signer): Signer => ({
  ...signer,
  nextReminder: "unknown",
  reminders: signer.reminders + 1,
});
