import type { DocumentEvent, DocumentEventOf, Medium, MessageKind, Provider } from "@rubrica/events";
import { retryAtMost } from "../backoff.ts";
import { DomainError } from "../decider.ts";
import { signerKinds } from "../obligations/signer-kinds.ts";
import { isMessageDue, isToldAfterwards } from "../standing/due.ts";
import { hasEnded, requestedDocument, signerOf } from "./lookup.ts";
import { hasButtons, type Media, mediumFor, nextMedium } from "./media.ts";
import { putOff } from "./reminders.ts";
import type { Document, Message, Signer } from "./state.ts";

/** How a message of a kind is tried again by one medium. */
const retriesOf = (kind: MessageKind) => signerKinds[`send-${kind}` as const].retries;

/** Which message to which signer. `messageId` is the id of the obligation to send it. */
export interface MessageNamed {
  signerId: string;
  kind: MessageKind;
  messageId: string;
}

/** Which attempt at which message. `now` in milliseconds since the UNIX epoch. */
export interface MessageAttempt extends MessageNamed {
  /** From 1. */
  attempt: number;
  media: Media;
  /** Who is to send it, by the medium. */
  providerBy(medium: Medium): Provider;
  /** The signer's, IANA, where the request names none: reminders keep to the day. */
  timeZone?: string;
  now: number;
}

/** When a failed message is tried again: `now` in milliseconds since the UNIX epoch, `jitter` a fraction in [0, 1). */
export interface Retry {
  reason: string;
  /** Trying again by the same medium is of no use. */
  permanent: boolean;
  media: readonly Medium[];
  now: number;
  jitter: number;
  /** The shortest pause that the provider wants, in milliseconds. */
  pauseMs?: number | undefined;
}

/**
 * Whether a message to the signer is of no use any more. What is told after the end is of use as long as the document
 * names people.
 */
export const needsNoMessage = (document: Document, signer: Signer, kind: MessageKind): boolean =>
  isToldAfterwards(kind) ? requestedDocument(document).erasure !== "none" : signer.signed || hasEnded(document);

/**
 * Begins an attempt to send: the message may be given to the provider once MessageAttempted is stored, and only then.
 * Nothing when it was sent, was given up, or is of no use any more, nor when this attempt was begun before: whoever did is
 * at it. A reminder is put off from the night to the day, and where the signer was sent something or continued meanwhile. When
 * every attempt by a medium was cut before its outcome was known, or none reaches the signer, MessageFailed comes instead of
 * one more attempt.
 * @throws {DomainError} message_not_due: a template before the signer's turn, a link before they chose to continue, a copy
 * before the seal, a cancellation before it was canceled, or either to who was reached by no message.
 */
export const attemptMessage = (
  document: Document,
  { signerId, kind, messageId, attempt, media, providerBy, timeZone = "UTC", now }: MessageAttempt,
): DocumentEvent[] => {
  const signer = signerOf(document, signerId);
  const message = signer.messages[messageId];
  // A message that was replaced by a new one is of no use, even before the new one is due.
  if (message?.isFormer || needsNoMessage(document, signer, kind)) return [];
  if (signer[kind] !== "unsent") return [];
  if (!isMessageDue(requestedDocument(document), signer, kind)) {
    throw new DomainError("message_not_due", `the ${kind} message is not due`);
  }
  if (kind === "reminder" && now < Date.parse(signer.reminderDueAt ?? "")) {
    throw new DomainError("message_not_due", "its time has not come");
  }
  if (attempt !== (message?.attempts ?? 0) + 1) return [];
  const later = kind === "reminder" ? putOff(requestedDocument(document), { signerId, timeZone, now }) : [];
  if (later.length > 0) return later;
  const named = { signerId, kind, messageId };
  const medium = mediumFor(signer, kind, message, media);
  if (medium === null) {
    const data = { ...named, medium: media[0], attempt, reason: "no_address", nextAttemptAt: null, nextMedium: null };
    return [{ type: "MessageFailed", data, personal: null }];
  }
  if (message?.medium === medium && message.attempts - message.formerAttempts >= retriesOf(kind).maxAttempts) {
    return [messageFailed(signer, message, { reason: "attempts_exhausted", permanent: true, media, now, jitter: 0 })];
  }
  const data = { ...named, medium, attempt, provider: providerBy(medium) };
  return [{ type: "MessageAttempted", data, personal: null }];
};

const attemptedMessage = (signer: Signer, messageId: string): Message => {
  const message = signer.messages[messageId];
  if (!message) throw new DomainError("unknown_message", "no attempt to send the message was recorded");
  return message;
};

/** That the provider of a medium took a message, by its kind's name. */
export const messageSent = (
  signer: Signer,
  { kind, messageId, attempts: attempt }: Message,
  providerMessageId: string,
  medium: Medium,
): DocumentEvent => {
  const data = { signerId: signer.signerId, messageId, providerMessageId, medium, attempt };
  switch (kind) {
    case "template":
      return { type: "MessageSent", data: { ...data, kind, withLink: !hasButtons(medium) }, personal: null };
    case "link":
      return { type: "SignatureLinkSent", data: { ...data, kind }, personal: null };
    case "copy":
      return { type: "SignedCopySent", data: { ...data, kind }, personal: null };
    case "reminder": {
      const withLink = signer.wantsLink || !hasButtons(medium);
      return { type: "ReminderSent", data: { ...data, kind, withLink }, personal: null };
    }
    case "refusal":
      return { type: "RefusalExplained", data: { ...data, kind }, personal: null };
    case "cancellation":
      return { type: "CancellationSent", data: { ...data, kind }, personal: null };
    default:
      return kind satisfies never;
  }
};

/** That a message did not get through, with the next attempt: later by the same medium, or at once by the next one. */
export const messageFailed = (
  signer: Signer,
  { kind, messageId, attempts, formerAttempts, medium }: Message,
  { reason, permanent, media, now, jitter, pauseMs }: Retry,
): DocumentEventOf<"MessageFailed"> => {
  const failed = { attempt: attempts - formerAttempts, now, jitter, notBeforeMs: pauseMs };
  const later = permanent ? null : retryAtMost(retriesOf(kind), failed);
  // The refusal's explanation is about the buttons: a medium without buttons would not help.
  const others = kind === "refusal" ? null : nextMedium(signer, medium, media);
  const next = later === null ? others : medium;
  return {
    type: "MessageFailed",
    data: {
      signerId: signer.signerId,
      kind,
      messageId,
      medium,
      attempt: attempts,
      reason,
      nextAttemptAt: later ?? (next === null ? null : new Date(now).toISOString()),
      nextMedium: next,
    },
    personal: null,
  };
};

/**
 * The provider took the message. A message that it took twice is recorded twice: the signer may answer either copy. So is
 * another attempt at which it says that it has the message already.
 * @throws {DomainError} unknown_message when it was not attempted.
 */
export const recordMessageSent = (
  document: Document,
  { signerId, messageId, providerMessageId }: MessageNamed & { providerMessageId: string },
): DocumentEvent[] => {
  const signer = signerOf(document, signerId);
  const message = attemptedMessage(signer, messageId);
  return message.isFormer || (message.state !== "attempted" && message.providerMessageIds.includes(providerMessageId))
    ? []
    : [messageSent(signer, message, providerMessageId, message.medium)];
};

/**
 * The provider did not take the message. Nothing when this attempt's outcome is known, or no message is of use.
 * @throws {DomainError} unknown_message when it was not attempted.
 */
export const recordMessageFailed = (
  document: Document,
  { signerId, messageId, ...retry }: MessageNamed & Retry,
): DocumentEvent[] => {
  const signer = signerOf(document, signerId);
  const message = attemptedMessage(signer, messageId);
  if (message.isFormer || message.state !== "attempted" || needsNoMessage(document, signer, message.kind)) return [];
  return [messageFailed(signer, message, retry)];
};
