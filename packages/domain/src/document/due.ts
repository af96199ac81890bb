import type { MessageKind, ReleaseReason, WithdrawalReason } from "@rubrica/events";
import { photosToCheck } from "./photo-progress.ts";
import type { Erasure, Message, RequestedDocument, Signer } from "./state.ts";

/** How far one of the messages to a signer has come. */
export type MessageProgress = "unsent" | "sent" | "given_up";

/** The identity provider's evidence: it keeps none, it keeps some, fetching that has failed {@link EVIDENCE_ATTEMPTS} times, or it was fetched. */
export type EvidenceProgress = "none" | "kept" | "delayed" | "fetched";

/** How often the evidence is asked for before the report goes without it. */
export const EVIDENCE_ATTEMPTS = 4;

/** What of a signer decides about what is due. */
export interface SignerStanding {
  signerId: string;
  /** Place in the signing order, from 0; those of one group are asked together. */
  order: number;
  group: number;
  turn: "waiting" | "queued" | "came";
  /** They are sent the link without having their phone's turn; where they are on its line, they leave it. */
  isOutOfTurn: boolean;
  /** The template or the link was sent to them, since they were corrected last. A resend leaves it as it is. */
  reached: boolean;
  template: MessageProgress;
  link: MessageProgress;
  copy: MessageProgress;
  cancellation: MessageProgress;
  refusal: MessageProgress;
  reminder: MessageProgress;
  /** Whether the time of their next reminder has still to be said, was said, or there is no next one. */
  nextReminder: "unknown" | "scheduled" | "none";
  /** How often they were reminded, or could not be. */
  reminders: number;
  /** A message could not be delivered for good. */
  undeliverable: boolean;
  /** They chose to continue, whatever they answered since. */
  wantsLink: boolean;
  /** Their last answer is that they do not continue; of it they are told what follows. */
  refused: boolean;
  refusalExplained: boolean;
  /** The first message is known to have reached them. */
  delivered: boolean;
  /** The signing page was opened. */
  opened: boolean;
  /** Why they should give their phone's turn up by now; null where they may keep it. Always null by the record of obligations, which does not know the time. */
  holdOver: "refused" | "unanswered" | null;
  /** The identity provider's word on the last photos is awaited. */
  uncheckedPhotos: boolean;
  signed: boolean;
}

/**
 * What of a document decides about what is due. The decider's state and the record of obligations both give it, and
 * both ask what follows: what is owed is what a decider takes, and the other way round.
 */
export interface Standing {
  status: "preparing" | "pending" | "completed" | "rejected" | "failed" | "withdrawn";
  /** Why it was taken back; null where it was not. */
  withdrawal: WithdrawalReason | null;
  /** There is a PDF that can be signed, or could. */
  hasFile: boolean;
  erasure: Erasure;
  /** Days after its end at which it is to be erased, or null. */
  retentionDays: number | null;
  /** Until when it can be signed, UTC in ISO 8601; null: for as long as it takes. */
  expiresAt: string | null;
  /** Hours after which who does not answer gives their phone's turn up; null: as long as it takes. */
  silenceHours: number | null;
  /** How often signers are reminded at most. */
  maxReminders: number;
  sendMessages: boolean;
  sealed: boolean;
  /** What is to be done of the seal, now or later. */
  augmentation: "complete" | "renew" | null;
  /** Signers who were reached by message are told where the signed copy is. */
  copies: boolean;
  evidence: EvidenceProgress;
  reported: boolean;
  signers: readonly SignerStanding[];
}

/** Whether a message asks for the signature. The failure of any other kind gives up no turn, and calls nobody back. */
export const isAsking = (kind: MessageKind): kind is "template" | "link" => kind === "template" || kind === "link";

/** Whether a message is of use after the document's end. */
export const isToldAfterwards = (kind: MessageKind): boolean => kind === "copy" || kind === "cancellation";

const messageProgress = (messages: readonly Message[], kind: MessageKind): MessageProgress => {
  const last = messages.findLast((message) => message.kind === kind && !message.isFormer);
  if (last?.state === "sent") return "sent";
  return last?.state === "undeliverable" ? "given_up" : "unsent";
};

const nextReminderOf = ({ nextReminder }: Signer): SignerStanding["nextReminder"] => {
  if (nextReminder === null) return "unknown";
  return nextReminder.dueAt === null ? "none" : "scheduled";
};

const signerStanding = (signer: Signer): SignerStanding => {
  const {
    signerId,
    order,
    group,
    turn,
    isOutOfTurn,
    undeliverable,
    answers,
    photos,
    signed,
    refused,
    refusalExplained,
    holdOver,
  } = signer;
  const messages = Object.values(signer.messages);
  return {
    signerId,
    order,
    group,
    turn,
    isOutOfTurn,
    reached: messages.some(
      ({ kind, providerMessageIds, linkNumber }) =>
        isAsking(kind) && providerMessageIds.length > 0 && linkNumber === signer.linkNumber,
    ),
    template: messageProgress(messages, "template"),
    link: messageProgress(messages, "link"),
    copy: messageProgress(messages, "copy"),
    cancellation: messageProgress(messages, "cancellation"),
    refusal: messageProgress(messages, "refusal"),
    reminder: messageProgress(messages, "reminder"),
    nextReminder: nextReminderOf(signer),
    reminders: signer.reminders,
    undeliverable,
    wantsLink: answers.continue,
    refused,
    refusalExplained,
    delivered: signer.deliveredAt !== null,
    opened: signer.pageOpenings > 0,
    holdOver,
    uncheckedPhotos: photosToCheck(photos) !== null,
    signed: signed !== null,
  };
};

const evidenceProgress = (document: RequestedDocument): EvidenceProgress => {
  if ("evidence" in document && document.evidence) return "fetched";
  if ("evidenceFailures" in document && document.evidenceFailures >= EVIDENCE_ATTEMPTS) return "delayed";
  return document.signers.some(({ checkedByProvider }) => checkedByProvider) ? "kept" : "none";
};

/** How a document stands, as the decider knows it. */
export const standingOf = (document: RequestedDocument): Standing => ({
  status: document.status,
  withdrawal: document.status === "withdrawn" ? document.withdrawal.reason : null,
  hasFile: "file" in document && document.file !== null,
  erasure: document.erasure,
  retentionDays: document.retentionDays,
  expiresAt: document.expiresAt,
  silenceHours: document.silenceHours,
  maxReminders: document.reminders?.max ?? 0,
  sendMessages: document.sendMessages,
  sealed: document.status === "completed" && document.seal !== null,
  augmentation: document.status === "completed" ? (document.seal?.owes ?? null) : null,
  copies: document.status === "completed" && document.seal?.sendCopies === true,
  evidence: evidenceProgress(document),
  reported: "reportGenerated" in document && document.reportGenerated,
  signers: document.signers.map(signerStanding),
});

/** Whether its end has consequences (a seal, messages, a report): it had a PDF, was signed by all, rejected or taken back, and is not erased. */
const isFollowedUp = ({ status, erasure, withdrawal, hasFile }: Standing): boolean => {
  const wasTakenBack = status === "withdrawn" && withdrawal !== "erasure" && hasFile;
  return (status === "completed" || status === "rejected" || wasTakenBack) && erasure === "none";
};

const isOpen = ({ status }: Standing): boolean => status === "preparing" || status === "pending";

const isAwaited = ({ status }: Standing, { signed }: SignerStanding): boolean => status === "pending" && !signed;

/** Whether nobody of a group before the signer's has still to sign. */
export const isOfNextGroup = (
  signers: readonly { group: number; signed: unknown }[],
  { group }: { group: number },
): boolean => signers.every((other) => other.signed || other.group >= group);

/** Whether the PDF is to be made. */
export const isPreparationDue = ({ status }: Standing): boolean => status === "preparing";

/** Whether the signer's phone is to be claimed, and they are to be told that their turn came once it is theirs. */
export const isTurnDue = (standing: Standing, signer: SignerStanding): boolean =>
  standing.sendMessages &&
  isAwaited(standing, signer) &&
  signer.turn !== "came" &&
  isOfNextGroup(standing.signers, signer);

/** Whether the signer is to be told afterwards: by message alone, as they were asked. */
const isOwedAfterwards = (standing: Standing, { reached }: SignerStanding): boolean =>
  standing.sendMessages && isFollowedUp(standing) && reached;

/** Whether the signer may be reminded: they were asked, and their last answer is not that they do not continue. */
const isReminded = (standing: Standing, signer: SignerStanding): boolean => {
  const wasAsked = standing.sendMessages && signer.turn === "came" && (signer.template === "sent" || signer.wantsLink);
  return isAwaited(standing, signer) && wasAsked && !signer.refused;
};

/** Whether the time of the signer's next reminder is to be said. */
export const isReminderScheduleDue = (standing: Standing, signer: SignerStanding): boolean =>
  isReminded(standing, signer) && signer.reminders < standing.maxReminders && signer.nextReminder === "unknown";

/** Whether the signer is to be sent a message. */
export const isMessageDue = (standing: Standing, signer: SignerStanding, kind: MessageKind): boolean => {
  if (kind === "copy") return standing.copies && isOwedAfterwards(standing, signer) && signer.copy === "unsent";
  if (kind === "cancellation") {
    const wasCanceled = standing.withdrawal === "canceled";
    return wasCanceled && isOwedAfterwards(standing, signer) && signer.cancellation === "unsent";
  }
  if (kind === "refusal") {
    const isToldOf = signer.refused && signer.refusalExplained && signer.refusal === "unsent";
    return standing.sendMessages && isAwaited(standing, signer) && isToldOf;
  }
  if (kind === "reminder") {
    return isReminded(standing, signer) && signer.nextReminder === "scheduled" && signer.reminder === "unsent";
  }
  // Who continued needs no template, also where all is to be sent anew.
  const wanted = signer.turn === "came" && signer.wantsLink === (kind === "link");
  return standing.sendMessages && isAwaited(standing, signer) && wanted && signer[kind] === "unsent";
};

/** Why the signer should not be on their phone's line (any more), or null when they may be. */
export const releaseReasonOf = ({ status }: Standing, signer: SignerStanding): ReleaseReason | null => {
  if (signer.signed) return "signed";
  if (status !== "preparing" && status !== "pending") return "document_ended";
  if (signer.undeliverable) return "undeliverable";
  return signer.isOutOfTurn ? "continued" : signer.holdOver;
};

/** Why a signer gives their phone's turn up after a time: they refused, or are silent on a message that reached them. Null for neither. */
export const holdOf = ({
  refused,
  wantsLink,
  delivered,
  opened,
}: Pick<SignerStanding, "refused" | "wantsLink" | "delivered" | "opened">): "refusal" | "silence" | null => {
  if (refused) return "refusal";
  if (wantsLink) return null;
  return delivered && !opened ? "silence" : null;
};

/** Whether a signer's hold is to end by itself, once its time is over; not where they should leave the line for another reason. */
export const isHoldEndDue = (standing: Standing, signer: SignerStanding, hold: "refusal" | "silence"): boolean => {
  const leavesAnyway = signer.undeliverable || signer.isOutOfTurn;
  if (!isAwaited(standing, signer) || leavesAnyway || holdOf(signer) !== hold) return false;
  return hold === "refusal" || standing.silenceHours !== null;
};

/** Whether the identity provider is to be asked about the signer's photos. */
export const isIdentityCheckDue = (standing: Standing, signer: SignerStanding): boolean =>
  isAwaited(standing, signer) && signer.uncheckedPhotos;

/** Whether the document is to be stamped and sealed. */
export const isSealDue = (standing: Standing): boolean =>
  isFollowedUp(standing) && standing.status === "completed" && !standing.sealed;

/** Whether the sealed document is to be augmented, now or later; an erased one is not. */
export const isAugmentationDue = (standing: Standing): boolean =>
  isFollowedUp(standing) && standing.augmentation !== null;

/** Whether the identity provider's files are to be fetched. */
export const isEvidenceDue = (standing: Standing): boolean =>
  isFollowedUp(standing) && (standing.evidence === "kept" || standing.evidence === "delayed");

/** The report comes after the seal and the provider's evidence; for evidence that is `delayed` it does not wait. */
export const isReportDue = (standing: Standing): boolean =>
  isFollowedUp(standing) && !isSealDue(standing) && standing.evidence !== "kept" && !standing.reported;

/** Whether the document is to be ended once its time is over. */
export const isExpiryDue = (standing: Standing): boolean => standing.expiresAt !== null && isOpen(standing);

/** Whether the document is to be erased once its time is over, which begins with its end. */
export const isErasureDue = (standing: Standing): boolean =>
  standing.retentionDays !== null && !isOpen(standing) && standing.erasure === "none";

/** Whether the key of an erased document is to be destroyed, and its files removed. */
export const isForgettingDue = ({ erasure }: Standing): boolean => erasure === "erased";
