import type { DocumentEvent, Medium } from "@rubrica/events";
import { type AnswerEvent, lastAnswerAfter, MAX_ANSWERS } from "../standing/last-answer.ts";
import { hasEnded, requestedDocument } from "./lookup.ts";
import { messageFailed, messageSent, needsNoMessage, type Retry } from "./messages.ts";
import type { Document, Message, Signer } from "./state.ts";
import { comeOutOfTurn } from "./turns.ts";

/**
 * What the messaging provider tells of a message after it took it: may come twice, late, out of order, or never.
 * `messageId`, where the provider gives it back, names the message before its sending was recorded. `medium`: whose
 * provider tells.
 */
export type RecordNotice = { providerMessageId: string; messageId?: string | undefined; medium: Medium } & (
  | { notice: "sent" | "delivered" | "read" }
  | ({ notice: "failed" } & Retry)
  /** `at`: when the signer answered, UTC in ISO 8601. */
  | { notice: "answered"; answer: "continue" | "no_continue"; at: string }
);

const messageOf = (
  document: Document,
  { providerMessageId, messageId }: RecordNotice,
): { signer: Signer; message: Message } | undefined => {
  for (const signer of requestedDocument(document).signers) {
    const message = Object.values(signer.messages).find(
      (candidate) => candidate.providerMessageIds.includes(providerMessageId) || candidate.messageId === messageId,
    );
    if (message) return { signer, message };
  }
  return undefined;
};

/** The copy of a message that a notice is about: each time that a provider takes one, it has an id there. */
interface Copy {
  providerMessageId: string;
  medium: Medium;
}

/** Any notice proves that the provider took the message, should the record of that have been cut off. */
const sentEvents = (signer: Signer, message: Message, { providerMessageId, medium }: Copy): DocumentEvent[] =>
  message.providerMessageIds.includes(providerMessageId)
    ? []
    : [messageSent(signer, message, providerMessageId, medium)];

/** Whether the message is tried by another medium since: a late notice of the former one changes nothing of that. */
const wasLeft = (message: Message, { medium }: Copy): boolean => message.medium !== medium;

/** "Delivered" may never come: having read or answered the message proves it. */
const deliveredEvents = (signer: Signer, message: Message, copy: Copy): DocumentEvent[] => {
  const { messageId, kind, delivered: known } = message;
  const data = { signerId: signer.signerId, kind, messageId, providerMessageId: copy.providerMessageId };
  return [
    ...sentEvents(signer, message, copy),
    ...(known ? [] : [{ type: "MessageDelivered", data, personal: null } as const]),
  ];
};

const readEvents = (signer: Signer, message: Message, copy: Copy): DocumentEvent[] => {
  if (message.read) return [];
  const { kind, messageId } = message;
  const data = { signerId: signer.signerId, kind, messageId, providerMessageId: copy.providerMessageId };
  return [...deliveredEvents(signer, message, copy), { type: "MessageRead", data, personal: null }];
};

/**
 * Whether an answer changes anything, or is the first of its kind, be it late. One that was known, or given before another that
 * is, changes nothing: notices come twice, and in any order. They are counted, so that nobody writes without an end.
 */
const isNewAnswer = (signer: Signer, { answer, at }: Extract<RecordNotice, { notice: "answered" }>): boolean => {
  const { wantsLink, hasRefused, answerCount, lastAnswer, refused, turn } = signer;
  if (answerCount >= MAX_ANSWERS) return false;
  if (!(answer === "continue" ? wantsLink : hasRefused)) return true;
  if (lastAnswer !== null && lastAnswer.at !== null && at <= lastAnswer.at) return false;
  return answer === "continue" ? lastAnswer?.isRefusal === true || turn === "queued" : !refused;
};

/**
 * - The last answer counts: who continued may refuse, and continue again.
 * - Pressing a button again is nothing.
 * - Who continues while they wait to be asked anew had the phone's turn before: they get the link at once, without it.
 */
const answeredEvents = (
  document: Document,
  signer: Signer,
  message: Message,
  notice: Extract<RecordNotice, { notice: "answered" }>,
): DocumentEvent[] => {
  const { providerMessageId, answer, at: answeredAt } = notice;
  if (message.kind !== "template" && message.kind !== "reminder") return [];
  if (!isNewAnswer(signer, notice)) return [];
  const data = { signerId: signer.signerId, providerMessageId, answeredAt };
  const given: AnswerEvent =
    answer === "continue"
      ? { type: "TemplateAnswered", data, personal: null }
      : { type: "ContinueRefused", data: { ...data, explained: false }, personal: null };
  const isLast = lastAnswerAfter(signer.lastAnswer, given) !== signer.lastAnswer;
  // From what was answered before another answer, by who has signed or after the end, nothing follows.
  const isFollowed = isLast && !signer.signed && !hasEnded(document);
  const isOutOfTurn = isFollowed && answer === "continue" && signer.turn === "queued";
  const news: DocumentEvent =
    given.type === "ContinueRefused" ? { ...given, data: { ...given.data, explained: isFollowed } } : given;
  return [
    ...(message.isFormer ? [] : deliveredEvents(signer, message, notice)),
    news,
    ...(isOutOfTurn ? [comeOutOfTurn(signer)] : []),
  ];
};

/**
 * A failure counts for the copy that was sent last, unless the message got through after all, or another medium is tried.
 * One of a copy that nobody knew of counts unless another copy was taken: whichever of its notices comes first.
 */
const failedEvents = (
  document: Document,
  signer: Signer,
  message: Message,
  { providerMessageId, medium, ...retry }: Extract<RecordNotice, { notice: "failed" }>,
): DocumentEvent[] => {
  const copy = { providerMessageId, medium };
  if (message.delivered || wasLeft(message, copy) || needsNoMessage(document, signer, message.kind)) return [];
  const news = sentEvents(signer, message, copy);
  const isLast =
    news.length > 0
      ? message.state !== "sent"
      : message.state === "sent" && message.providerMessageIds.at(-1) === providerMessageId;
  if (!isLast) return [];
  // A reminder is not repeated: the next one is as likely to come through.
  const isTakenReminder = message.kind === "reminder" && message.state === "sent";
  const isOver = isTakenReminder || message.state === "undeliverable";
  const event = messageFailed(signer, message, isOver ? { ...retry, permanent: true, media: [] } : retry);
  return [...news, isTakenReminder ? { ...event, data: { ...event.data, wasTaken: true } } : event];
};

/**
 * Records what the provider told. Nothing for a message that is not this document's, or of a link that was replaced, and for
 * what is known already.
 */
export const recordNotice = (document: Document, notice: RecordNotice): DocumentEvent[] => {
  const found = messageOf(document, notice);
  if (!found) return [];
  const { signer, message } = found;
  if (message.linkNumber !== signer.linkNumber) return [];
  if (message.isFormer && notice.notice !== "answered") return [];
  switch (notice.notice) {
    case "sent":
      return wasLeft(message, notice) ? [] : sentEvents(signer, message, notice);
    case "delivered":
      return message.delivered ? [] : deliveredEvents(signer, message, notice);
    case "read":
      return readEvents(signer, message, notice);
    case "failed":
      return failedEvents(document, signer, message, notice);
    case "answered":
      return answeredEvents(document, signer, message, notice);
    default:
      return notice satisfies never;
  }
};
