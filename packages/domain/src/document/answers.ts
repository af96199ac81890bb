import type { Dated } from "../decider.ts";
import { former } from "./former-messages.ts";
import type { DocumentEventOf, Message, Signer } from "./state.ts";

/** The last of a signer's answers to the message that asks, by when they were given. */
export type LastAnswer = {
  isRefusal: boolean;
  /** When it was given, UTC in ISO 8601, or recorded where nobody kept that; null while such an event is not stored. */
  at: string | null;
  /** It was kept when it was given. */
  isTimed: boolean;
};

/** An event of an answer. */
export type AnswerEvent = Dated<DocumentEventOf<"TemplateAnswered" | "ContinueRefused">>;

/** How many answers of a signer count, before all is to be sent anew: of either kind, so that the last one decides. */
export const MAX_ANSWERS = 100;

/**
 * The last answer after one more. The same object where the new one was given earlier and only told later. Where the
 * time of one of the two was not kept, the one that was recorded later counts as the later one.
 */
export const lastAnswerAfter = (last: LastAnswer | null, { type, data, metadata }: AnswerEvent): LastAnswer => {
  const { answeredAt } = data;
  if (last?.isTimed && last.at !== null && answeredAt !== undefined && answeredAt < last.at) return last;
  const at = answeredAt ?? metadata?.at ?? null;
  return { isRefusal: type === "ContinueRefused", at, isTimed: answeredAt !== undefined };
};

/**
 * Whether a signer is told what follows from their refusal. An event without `answeredAt` is of an older release, which
 * sent no such message to signers who had continued: they get none now either.
 */
export const isRefusalExplained = (
  { data: { explained, answeredAt } }: Extract<AnswerEvent, { type: "ContinueRefused" }>,
  hasContinued: boolean,
): boolean => explained && (answeredAt !== undefined || !hasContinued);

/** A signer who chose to continue. One who does so again, after a refusal or while they wait in line, is sent the link again. */
export const continued = (signer: Signer, event: Dated<DocumentEventOf<"TemplateAnswered">>): Signer => ({
  ...(signer.wantsLink ? former(signer, ({ kind }) => kind === "link") : signer),
  answerCount: signer.answerCount + 1,
  continuedAnew: true,
  // The link is sent when the answer becomes known, however late that is: a reminder must not come at the same time.
  continuedAt: event.metadata?.at ?? event.data.answeredAt ?? null,
});

/** A signer who chose not to continue. A refusal that was given before their last answer, and told later, is only counted. */
export const refused = (signer: Signer, event: Dated<DocumentEventOf<"ContinueRefused">>): Signer => {
  const counted = { ...signer, hasRefused: true, answerCount: signer.answerCount + 1 };
  if (lastAnswerAfter(signer.lastAnswer, event) === signer.lastAnswer) return counted;
  // A message that explains a former refusal and was not delivered is begun anew.
  const isUnsent = ({ kind, state }: Message): boolean =>
    kind === "refusal" && state !== "sent" && state !== "undeliverable";
  return former(counted, isUnsent);
};
