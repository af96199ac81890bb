import type { DocumentEventOf } from "@rubrica/events";
import type { Dated } from "../decider.ts";
import { lastAnswerAfter } from "../standing/last-answer.ts";
import type { Message, Signer } from "./state.ts";

/** The signer with their messages (some, or all) marked as former: later events about those no longer count. */
export const former = (signer: Signer, which: (message: Message) => boolean = () => true): Signer => ({
  ...signer,
  messages: Object.fromEntries(
    Object.entries(signer.messages).map(([messageId, message]) => [
      messageId,
      which(message) ? { ...message, isFormer: true } : message,
    ]),
  ),
});

/**
 * A signer after they chose to continue; how they stand apart. One who does so again, after a refusal or while they wait in
 * line, is sent the link again.
 */
export const ownAfterContinuing = (signer: Signer, event: Dated<DocumentEventOf<"TemplateAnswered">>): Signer => ({
  ...(signer.wantsLink ? former(signer, ({ kind }) => kind === "link") : signer),
  answerCount: signer.answerCount + 1,
  continuedAnew: true,
  // The link is sent when the answer becomes known, however late that is: a reminder must not come at the same time.
  continuedAt: event.metadata?.at ?? event.data.answeredAt ?? null,
});

/**
 * A signer after they chose not to continue; how they stand apart. A refusal that was given before their last answer, and
 * told later, is only counted.
 */
export const ownAfterRefusing = (signer: Signer, event: Dated<DocumentEventOf<"ContinueRefused">>): Signer => {
  const counted = { ...signer, hasRefused: true, answerCount: signer.answerCount + 1 };
  if (lastAnswerAfter(signer.lastAnswer, event) === signer.lastAnswer) return counted;
  // A message that explains a former refusal and was not delivered is begun anew.
  const isUnsent = ({ kind, state }: Message): boolean =>
    kind === "refusal" && state !== "sent" && state !== "undeliverable";
  return former(counted, isUnsent);
};
