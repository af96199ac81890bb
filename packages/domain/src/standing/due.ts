import type { MessageKind, ReleaseReason } from "@rubrica/events";
import { photosToCheck } from "./photo-progress.ts";
import type { SignerStanding, Standing } from "./standing.ts";

/** Whether a message asks for the signature. The failure of any other kind gives up no turn, and calls nobody back. */
export const isAsking = (kind: MessageKind): kind is "template" | "link" => kind === "template" || kind === "link";

/** Whether a message is of use after the document's end. */
export const isToldAfterwards = (kind: MessageKind): boolean => kind === "copy" || kind === "cancellation";

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

/** Whether the signer is to be told how the document ended. Only signers who were asked by message are. */
const isOwedAfterwards = (standing: Standing, { reached }: SignerStanding): boolean =>
  standing.sendMessages && isFollowedUp(standing) && reached;

/** Whether the signer may be reminded: they were asked, and their last answer is not that they do not continue. */
const isReminded = (standing: Standing, signer: SignerStanding): boolean => {
  const wasAsked = standing.sendMessages && signer.turn === "came" && (signer.template === "sent" || signer.wantsLink);
  return isAwaited(standing, signer) && wasAsked && !signer.refused;
};

/** Whether a ReminderScheduled is owed: the time of the signer's next reminder. */
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
  // Signers who chose to continue need no template, not even when all is to be sent anew.
  const wanted = signer.turn === "came" && signer.wantsLink === (kind === "link");
  return standing.sendMessages && isAwaited(standing, signer) && wanted && signer[kind] === "unsent";
};

/** Why the signer should not be on their phone's line (any more), or null when they may be. */
export const releaseReasonOf = ({ status }: Standing, signer: SignerStanding): ReleaseReason | null => {
  if (signer.signed) return "signed";
  if (status !== "preparing" && status !== "pending") return "document_ended";
  if (signer.undeliverable) return "undeliverable";
  return signer.isOutOfTurn ? "continued" : (signer.holdOver ?? null);
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
  isAwaited(standing, signer) && photosToCheck(signer.photos) !== null;

/** Whether the document is to be stamped and sealed. */
export const isSealDue = (standing: Standing): boolean =>
  isFollowedUp(standing) && standing.status === "completed" && !standing.sealed;

/** Whether it is owed that the sealed document is augmented, now or later (`augmentationAt` tells which); an erased one is not. */
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
