import type { DocumentEventOf } from "@rubrica/events";
import type { Dated } from "../decider.ts";

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
