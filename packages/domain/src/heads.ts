import type { CommittedHead, HeadsEvent, TreeHead } from "@rubrica/events";
import type { Fold } from "./decider.ts";

/** The heads of the log, as their stream tells of them. */
export interface Heads {
  /** The last one; null before the first. */
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

/** Commits a head that goes on from the newest one; no event where another process committed one first. */
export const commitHead = ({ newest }: Heads, head: CommittedHead): HeadsEvent[] => {
  const goesOn = newest?.size === head.previous?.size && newest?.root === head.previous?.root;
  return goesOn && head.size > (newest?.size ?? 0) ? [{ type: "HeadsCommitted", data: head, personal: null }] : [];
};

/** Asks for a head now. */
export const requestHead = (_heads: Heads, _command: object): HeadsEvent[] => [
  { type: "HeadRequested", data: {}, personal: null },
];

/** Records that what a head tells of is lost, and how many streams ended earlier than was known. */
export const acceptLoss = (_heads: Heads, loss: { head: TreeHead | null; streams: number }): HeadsEvent[] => [
  { type: "LossAccepted", data: loss, personal: null },
];
