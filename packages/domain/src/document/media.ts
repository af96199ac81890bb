import type { Medium, MessageKind } from "@rubrica/events";
import type { Message, Signer } from "./state.ts";

/** The media by which signers are reached here, in the order in which they are tried; at least one. */
export type Media = readonly [Medium, ...Medium[]];

/** Whether signers can answer by a button. Where they can't, the first message has the link. */
export const hasButtons = (medium: Medium): boolean => medium === "wpp";

const reaches = (medium: Medium, { person }: Signer): boolean => medium !== "email" || Boolean(person?.email);

/**
 * The medium of a message, or null when none reaches the signer. In this order: the one that it was tried by before;
 * for the link, the one with the button that the signer pressed; for what is told after the end, the one that reached
 * them last; else the first that reaches them.
 */
export const mediumFor = (
  signer: Signer,
  kind: MessageKind,
  message: Message | undefined,
  media: Media,
): Medium | null => {
  const reaching = media.filter((medium) => reaches(medium, signer));
  const reachedBy = Object.values(signer.messages).findLast(
    ({ state, linkNumber }) => state === "sent" && linkNumber === signer.linkNumber,
  )?.medium;
  const byKind = {
    template: undefined,
    link: reaching.find(hasButtons),
    copy: reachedBy,
    cancellation: reachedBy,
    refusal: reachedBy,
    reminder: reachedBy,
  };
  const preferred = message?.medium ?? byKind[kind];
  if (preferred !== undefined && reaching.includes(preferred)) return preferred;
  return reaching[0] ?? null;
};

/** What is tried once `medium` has failed for good; null when nothing is left. */
export const nextMedium = (signer: Signer, medium: Medium, media: readonly Medium[]): Medium | null =>
  media.slice(media.indexOf(medium) + 1).find((next) => reaches(next, signer)) ?? null;
