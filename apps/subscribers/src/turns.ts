import { announceTurn, claimSignersTurn, type Handlers, leaveFormerLines, releaseSignersTurn } from "@rubrica/commands";
import { contextOf, type Subscriber, signerIdOf } from "./subscriber.ts";

const CONCURRENCY = 16;

/** Claims, announces and releases the turns of phones, and leaves lines of phones that are a signer's no more. */
export const turnSubscribers = (handlers: Handlers): Subscriber[] => [
  // "end-refusal" and "end-silence" are due when the time of the hold is over: then the turn is released as any other.
  ...(["release-turn", "end-refusal", "end-silence"] as const).map((kind) => releasing(handlers, kind)),
  {
    kind: "leave-line",
    concurrency: CONCURRENCY,
    async meet(published) {
      await leaveFormerLines(handlers, published.documentId, signerIdOf(published), contextOf(published, "turns"));
    },
  },
  {
    kind: "claim-turn",
    concurrency: CONCURRENCY,
    async meet(published) {
      await claimSignersTurn(handlers, published.documentId, signerIdOf(published), contextOf(published, "turns"));
    },
  },
  {
    kind: "announce-turn",
    concurrency: CONCURRENCY,
    async meet(published) {
      await announceTurn(handlers, published.documentId, signerIdOf(published), contextOf(published, "turns"));
    },
  },
];

const releasing = (handlers: Handlers, kind: Subscriber["kind"]): Subscriber => ({
  kind,
  concurrency: CONCURRENCY,
  async meet(published) {
    await releaseSignersTurn(handlers, published.documentId, signerIdOf(published), contextOf(published, "turns"));
  },
});
