import { z } from "zod";
import { defineEvent, type EventContent, type EventOf } from "./define.ts";
import { sample, Uuid } from "./shared.ts";

const turn = { documentId: Uuid, signerId: Uuid };
const turnSample = { documentId: sample.documentId, signerId: sample.signerId };

/** The phone's one active document is this one now. */
export const TurnTaken = defineEvent({
  type: "TurnTaken",
  data: z.strictObject(turn),
  personal: null,
  example: { data: turnSample, personal: null },
});

/** The phone has another active document: this one waits in line. */
export const TurnQueued = defineEvent({
  type: "TurnQueued",
  data: z.strictObject({ ...turn, behindDocumentId: Uuid }),
  personal: null,
  example: { data: { ...turnSample, behindDocumentId: sample.otherDocumentId }, personal: null },
});

const ReleaseReason = z.enum([
  "signed",
  "document_ended",
  "undeliverable",
  "refused",
  "unanswered",
  "corrected",
  "continued",
]);
/**
 * Why a turn ended or a place in line was given up; "refused" and "unanswered": and the time for that was over; "corrected":
 * the signer has another phone; "continued": they chose to continue while they waited to be asked anew, and have the link.
 */
export type ReleaseReason = z.infer<typeof ReleaseReason>;

/** Before a refusal's hold had an end, before signers were corrected, and before some continued in line, there were fewer reasons. */
const sameReasons = (content: EventContent): EventContent => content;
const fewerReasons = { version: 4, upcasts: { 1: sameReasons, 2: sameReasons, 3: sameReasons } };

/** The turn is free; the same append gives it to the next in line with TurnTaken. */
export const TurnReleased = defineEvent({
  type: "TurnReleased",
  ...fewerReasons,
  data: z.strictObject({ ...turn, reason: ReleaseReason }),
  personal: null,
  example: { data: { ...turnSample, reason: "signed" }, personal: null },
});

/** A place in line was given up before its turn came. */
export const TurnWithdrawn = defineEvent({
  type: "TurnWithdrawn",
  ...fewerReasons,
  data: z.strictObject({ ...turn, reason: ReleaseReason }),
  personal: null,
  example: { data: { ...turnSample, reason: "signed" }, personal: null },
});

export const phoneLineEvents = [TurnTaken, TurnQueued, TurnReleased, TurnWithdrawn] as const;
export type PhoneLineEvent = EventOf<(typeof phoneLineEvents)[number]>;
