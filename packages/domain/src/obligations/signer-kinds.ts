import { isPhotoUploaded, type MessageKind } from "@rubrica/events";
import { retriedForever, retriedOnceAfterEach } from "../backoff.ts";
import {
  isHoldEndDue,
  isIdentityCheckDue,
  isMessageDue,
  isReminderScheduleDue,
  isTurnDue,
  releaseReasonOf,
} from "../standing/due.ts";
import { GRACE_MS, HOUR_MS, isAskedAnew, type Kind, later } from "./kind.ts";
import { type ObligingEvent, type OpenObligation, postponed, type SignerProgress } from "./record.ts";

type SignerKind = Kind<[SignerProgress]>;

/** 5 s later if the command that wrote the event does this itself; else at once. */
const dueAfterWriter = ({ metadata: { at } }: ObligingEvent, isDoneByWriter: boolean): string =>
  isDoneByWriter ? later(at, GRACE_MS) : at;

const messageAttempted = <Open extends OpenObligation>(open: Open, event: ObligingEvent): Open => {
  if (event.type === "MessageAttempted" && event.data.messageId === open.id)
    return { ...open, attempts: event.data.attempt };
  return event.type === "MessageFailed" && event.data.messageId === open.id ? postponed(open, event) : open;
};

/** To send a message of a kind. */
const sending = (message: MessageKind) =>
  ({
    isOwed: (standing, signer) => isMessageDue(standing, signer, message),
    // By one medium; then the next one is tried, or the message given up.
    retries: retriedOnceAfterEach([10, "s"], [1, "min"], [5, "min"], [30, "min"], [2, "h"], [6, "h"]),
    after: messageAttempted,
    // One that failed after the provider took it is owed again, as the message that it was.
    idBy: (event) => (event.type === "MessageFailed" ? event.data.messageId : undefined),
  }) satisfies SignerKind;

/** To give a phone to others, once the signer has done nothing for the request's hours. */
const endingHold = (hold: "refusal" | "silence"): SignerKind => ({
  isOwed: (standing, signer) => signer.line !== "off" && isHoldEndDue(standing, signer, hold),
  // Since they refused, or the first message reached them; also where they got the phone's turn later.
  dueAt: ({ record, signer, event: { type, metadata } }) => {
    const since = type === "ContinueRefused" ? metadata.at : (signer?.heldSince ?? metadata.at);
    const hours = hold === "refusal" ? record?.refusalHours : record?.silenceHours;
    return later(since, (hours ?? 0) * HOUR_MS);
  },
  restartsWith: isAskedAnew,
});

/** What a document owes about each of its signers. */
export const signerKinds = {
  "check-identity": {
    isOwed: isIdentityCheckDue,
    limits: { inAll: 32, anAccount: 8 },
    retries: retriedForever([5, "s"], [15, "s"], [30, "s"], [1, "min"], [2, "min"], [5, "min"], [10, "min"]),
    // A check that failed is postponed; photos taken anew are checked at once.
    after: (open, event) => {
      if (event.type === "IdentityProviderFailed") return postponed(open, event);
      if (!isPhotoUploaded(event)) return open;
      const { at } = event.metadata;
      return { ...open, attempts: 0, reason: null, dueAt: at, since: at };
    },
  },
  // The commands that request, resend and correct go on to claim the turn.
  "claim-turn": {
    isOwed: (standing, signer) => isTurnDue(standing, signer) && signer.turn === "waiting",
    dueAt: ({ event }) => dueAfterWriter(event, event.type === "DocumentRequested" || isAskedAnew(event)),
  },
  // A command that finds the phone free goes on to announce the turn.
  "announce-turn": {
    isOwed: (standing, signer) => isTurnDue(standing, signer) && signer.line === "holds",
    dueAt: ({ event, signer }) => dueAfterWriter(event, signer?.line !== "queued"),
  },
  "release-turn": {
    isOwed: (standing, signer) => signer.line !== "off" && releaseReasonOf(standing, signer) !== null,
  },
  // The command that corrects goes on to leave the former phone's line.
  "leave-line": {
    isOwed: (_standing, { lines }) => lines !== null && Object.keys(lines.on).some((lineId) => lineId !== lines.own),
    dueAt: ({ event }) => dueAfterWriter(event, event.type === "SignerCorrected"),
  },
  "send-template": { ...sending("template"), restartsWith: isAskedAnew },
  // A signer who chooses to continue again is sent the link again.
  "send-link": {
    ...sending("link"),
    restartsWith: (event) => isAskedAnew(event) || event.type === "TemplateAnswered",
  },
  "send-copy": sending("copy"),
  "send-cancellation": sending("cancellation"),
  "send-refusal": { ...sending("refusal"), restartsWith: isAskedAnew },
  "schedule-reminder": { isOwed: isReminderScheduleDue },
  "send-reminder": {
    ...sending("reminder"),
    // As scheduled; another event may open it again (who refused continues after all): then as it was scheduled last.
    dueAt: ({ signer, event: { type, data, metadata } }) =>
      (type === "ReminderScheduled" ? data.dueAt : signer?.reminderDueAt) ?? metadata.at,
    restartsWith: (event) => isAskedAnew(event) || event.type === "ReminderScheduled",
  },
  "end-refusal": endingHold("refusal"),
  "end-silence": endingHold("silence"),
} satisfies Readonly<Record<string, SignerKind>>;
