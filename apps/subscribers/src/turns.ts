import { announceTurn, claimSignersTurn, type Handlers, releaseSignersTurn } from "@rubrica/commands";
import { contextOf, type Subscriber, signerIdOf } from "./subscriber.ts";

const CONCURRENCY = 16;

/** Claims, announces and releases the turns of phones. */
export const turnSubscribers = (handlers: Handlers): Subscriber[] => [
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
  {
    kind: "release-turn",
    concurrency: CONCURRENCY,
    async meet(published) {
      await releaseSignersTurn(handlers, published.documentId, signerIdOf(published), contextOf(published, "turns"));
    },
  },
];
