import type { DocumentEvent, MessageKind, Provider } from "@rubrica/events";
import { delays, nextAttemptAt } from "../backoff.ts";
import { DomainError } from "../decider.ts";
import { isMessageDue } from "./due.ts";
import { hasEnded, signerOf, signersStanding } from "./lookup.ts";
import type { Document, Message, Signer } from "./state.ts";

/** Pauses after the first, second … attempt to send a message that failed; after the last attempt it is given up. */
export const messageRetryDelaysMs = delays([10, "s"], [1, "min"], [5, "min"], [30, "min"], [2, "h"], [6, "h"]);

const MAX_ATTEMPTS = messageRetryDelaysMs.length + 1;

/** Which message to which signer. `messageId` is the id of the obligation to send it. */
export interface MessageNamed {
  signerId: string;
  kind: MessageKind;
  messageId: string;
}

/** Which attempt at which message. */
export interface MessageAttempt extends MessageNamed {
  /** From 1. */
  attempt: number;
  /** Who is to send it. */
  provider: Provider;
}

/** When a failed message is tried again: `now` in milliseconds since the UNIX epoch, `jitter` a fraction in [0, 1). */
export interface Retry {
  reason: string;
  /** Trying again is of no use. */
  permanent: boolean;
  now: number;
  jitter: number;
  /** The shortest pause that the provider wants, in milliseconds. */
  pauseMs?: number | undefined;
}

/** Whether no message to the signer is of use any more. */
export const needsNoMessage = (document: Document, signer: Signer): boolean =>
  signer.signed !== null || hasEnded(document);

/**
 * Begins an attempt to send: the message may be given to the provider once MessageAttempted is stored, and only then.
 * Nothing when it was sent, was given up, or is of no use any more, nor when this attempt was begun before: whoever did is
 * at it. When every attempt was cut before its outcome was
 * known, MessageFailed comes instead of one more attempt.
 * @throws {DomainError} message_not_due: a template before the signer's turn, a link before they chose to continue.
 */
export const attemptMessage = (
  document: Document,
  { signerId, kind, messageId, attempt, provider }: MessageAttempt,
): DocumentEvent[] => {
  const signer = signerOf(document, signerId);
  if (needsNoMessage(document, signer)) return [];
  const { standing, signerStanding } = signersStanding(document, signerId);
  if (signerStanding[kind] !== "unsent") return [];
  if (!isMessageDue(standing, signerStanding, kind)) {
    throw new DomainError("message_not_due", `the ${kind} message is not due`);
  }
  if (attempt !== (signer.messages[messageId]?.attempts ?? 0) + 1) return [];
  const named = { signerId, kind, messageId };
  if (attempt > MAX_ATTEMPTS) {
    const data = { ...named, attempt: MAX_ATTEMPTS, reason: "attempts_exhausted", nextAttemptAt: null };
    return [{ type: "MessageFailed", data, personal: null }];
  }
  return [{ type: "MessageAttempted", data: { ...named, attempt, provider }, personal: null }];
};

const attemptedMessage = (signer: Signer, messageId: string): Message => {
  const message = signer.messages[messageId];
  if (!message) throw new DomainError("unknown_message", "no attempt to send the message was recorded");
  return message;
};

/** That the provider took a message, by its kind's name. */
export const messageSent = (signer: Signer, message: Message, providerMessageId: string): DocumentEvent => ({
  type: message.kind === "template" ? "MessageSent" : "SignatureLinkSent",
  data: {
    signerId: signer.signerId,
    kind: message.kind,
    messageId: message.messageId,
    providerMessageId,
    attempt: message.attempts,
  },
  personal: null,
});

/** That a message did not get through, with the time of the next attempt. */
export const messageFailed = (
  signer: Signer,
  { kind, messageId, attempts }: Message,
  { reason, permanent, now, jitter, pauseMs }: Retry,
): DocumentEvent => ({
  type: "MessageFailed",
  data: {
    signerId: signer.signerId,
    kind,
    messageId,
    attempt: attempts,
    reason,
    nextAttemptAt: permanent ? null : nextAttemptAt(messageRetryDelaysMs, attempts, now, jitter, pauseMs),
  },
  personal: null,
});

/**
 * The provider took the message. A message that it took twice is recorded twice: the signer may answer either copy.
 * @throws {DomainError} unknown_message when it was not attempted.
 */
export const recordMessageSent = (
  document: Document,
  { signerId, messageId, providerMessageId }: MessageNamed & { providerMessageId: string },
): DocumentEvent[] => {
  const signer = signerOf(document, signerId);
  const message = attemptedMessage(signer, messageId);
  return message.providerMessageIds.includes(providerMessageId)
    ? []
    : [messageSent(signer, message, providerMessageId)];
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
  if (message.state !== "attempted" || needsNoMessage(document, signer)) return [];
  return [messageFailed(signer, message, retry)];
};
