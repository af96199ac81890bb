import type { CommittedHead, HeadsEvent, TreeHead } from "@rubrica/events";
import type { Fold } from "./decider.ts";

/** The heads of the log, as their stream tells of them. */
export interface Heads {
  /** The last one, whoever wrote it: only its signature tells. Null before the first. */
  newest: CommittedHead | null;
}

const evolve = (heads: Heads, event: HeadsEvent): Heads => {
  switch (event.type) {
    case "HeadsCommitted":
      return { newest: event.data };
    case "LossAccepted":
      // The events under the newest head may be gone: the next head is made over the log as it is.
      return { newest: null };
    case "HeadRequested":
      return heads;
    default:
      return event satisfies never;
  }
};

export const headsFold: Fold<Heads, HeadsEvent> = { initial: { newest: null }, evolve };

/**
 * Commits a head; no event where another process committed one first.
 * @param seen the last head when this one was begun
 */
export const commitHead = (
  { newest }: Heads,
  { head, seen }: { head: CommittedHead; seen: TreeHead | null },
): HeadsEvent[] => {
  const goesOn = newest?.size === seen?.size && newest?.root === seen?.root;
  return goesOn && head.size > (head.previous?.size ?? 0)
    ? [{ type: "HeadsCommitted", data: head, personal: null }]
    : [];
};

/** Asks for a head now. */
export const requestHead = (_heads: Heads, _command: object): HeadsEvent[] => [
  { type: "HeadRequested", data: {}, personal: null },
];

/** Records that what a head tells of is lost, and how many streams ended earlier than was known. */
export const acceptLoss = (_heads: Heads, loss: { head: TreeHead | null; streams: number }): HeadsEvent[] => [
  { type: "LossAccepted", data: loss, personal: null },
];
