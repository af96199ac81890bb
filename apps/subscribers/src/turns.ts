import { announceTurn, claimTurnById, type Handlers, leaveFormerLines, releaseTurnIfDue } from "@rubrica/commands";
import type { signerKinds } from "@rubrica/domain";
import { contextOf, type Subscriber, signerIdOf } from "./subscriber.ts";

const CONCURRENCY = 16;

const commands = {
  "claim-turn": claimTurnById,
  "announce-turn": announceTurn,
  "release-turn": releaseTurnIfDue,
  // Due when the time of the hold is over: then the turn is released as any other.
  "end-refusal": releaseTurnIfDue,
  "end-silence": releaseTurnIfDue,
  "leave-line": leaveFormerLines,
} satisfies Partial<Record<keyof typeof signerKinds, unknown>>;

/** Claims, announces and releases the turns of phones, and leaves lines of phones that are a signer's no more. */
export const turnSubscribers = (handlers: Handlers): Subscriber[] =>
  (Object.keys(commands) as (keyof typeof commands)[]).map((kind) => ({
    kind,
    concurrency: CONCURRENCY,
    async meet(published) {
      await commands[kind](handlers, published.documentId, signerIdOf(published), contextOf(published, "turns"));
    },
  }));
