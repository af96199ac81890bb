import type { WithdrawalReason } from "@rubrica/events";
import type { LastAnswer } from "./last-answer.ts";
import type { Photos } from "./photo-progress.ts";

/** How far one of the messages to a signer has come. */
export type MessageProgress = "unsent" | "sent" | "given_up";

/** The identity provider's evidence: it keeps none, it keeps some, fetching that has failed a few times, or it was fetched. */
export type EvidenceProgress = "none" | "kept" | "delayed" | "fetched";

/** Whether the document still names people, names nobody any more, or was forgotten: its key destroyed, its files removed, its providers asked. */
export type Erasure = "none" | "erased" | "forgotten";

/** What of a signer decides about what is due. */
export type SignerStanding = {
  signerId: string;
  /** Place in the signing order, from 0. */
  order: number;
  /** Those of one group are asked together, once those of the groups before have signed; from 0. */
  group: number;
  /** Whether the signer may be sent messages: not yet, held back by another document, or yes. */
  turn: "waiting" | "queued" | "came";
  /** They are sent the link without having their phone's turn; where they are on its line, they leave it. */
  isOutOfTurn: boolean;
  /** The template or the link was sent to them, since they were corrected last, and did not fail. A resend leaves it as it is. */
  reached: boolean;
  /** They were before all was to be sent anew last. */
  reachedBefore: boolean;
  template: MessageProgress;
  link: MessageProgress;
  copy: MessageProgress;
  cancellation: MessageProgress;
  refusal: MessageProgress;
  reminder: MessageProgress;
  /** Whether the time of their next reminder has still to be said, was said, or there is no next one. */
  nextReminder: "unknown" | "scheduled" | "none";
  /** That time, as it was reckoned last, UTC in ISO 8601; null where it was not. */
  reminderDueAt: string | null;
  /** How often they were reminded, or could not be. */
  reminders: number;
  /** A message could not be delivered for good: the turn is given up, the link stays valid. */
  undeliverable: boolean;
  /** Null before they answered, since they were corrected. */
  lastAnswer: LastAnswer | null;
  /** They chose to continue, whatever they answered since. */
  wantsLink: boolean;
  /** Their last answer, since all was to be sent anew, is that they do not continue. */
  refused: boolean;
  /** They are sent the message that says what follows from that refusal. */
  refusalExplained: boolean;
  /** The first message is known to have reached them. */
  delivered: boolean;
  /** Since when they do nothing: their refusal, or else that the first message reached them. UTC in ISO 8601; null before either, and while its event is not stored. */
  heldSince: string | null;
  /** The signing page was opened. */
  opened: boolean;
  /** Why they should give their phone's turn up by now; left out where they may keep it, and where the time is not known. */
  holdOver?: "refused" | "unanswered";
  /** How far the validation of their uploads has come. The record of obligations leaves out those that are not validated, the document has them all. */
  photos: Photos;
  signed: boolean;
};

/**
 * What of a document decides about what is due. A document that is decided about and the record of its obligations both have
 * it, and ask the rules of `due.ts`: what is owed is what a decider takes, and the other way round. `evolve-standing.ts`
 * folds it for both, but for `status` and `photos`, which each folds by itself. What the time alone tells (that the
 * document's is over, `holdOver`) has a document by `documentAt`, and the record not at all.
 */
export type Standing = {
  status: "preparing" | "pending" | "completed" | "rejected" | "failed" | "withdrawn";
  /** Why it was taken back; null where it was not. */
  withdrawal: WithdrawalReason | null;
  /** There is a PDF that can be signed, or could. */
  hasFile: boolean;
  erasure: Erasure;
  /** Days after its end at which it is erased; null: it is kept until somebody asks. */
  retentionDays: number | null;
  /** Until when it can be signed, UTC in ISO 8601; null: for as long as it takes. */
  expiresAt: string | null;
  /** Hours for which who chose not to continue keeps their phone's turn. */
  refusalHours: number;
  /** Hours after which who does not answer gives their phone's turn up; null: as long as it takes. */
  silenceHours: number | null;
  /** How often signers are reminded at most. */
  maxReminders: number;
  sendMessages: boolean;
  sealed: boolean;
  /** What is to be done of the seal, now or later; null for nothing, or once that was given up. */
  augmentation: "complete" | "renew" | null;
  /** Signers who were reached by message are told where the signed copy is. */
  copies: boolean;
  evidence: EvidenceProgress;
  /** The legal report could be built. */
  reported: boolean;
  signers: readonly SignerStanding[];
};
