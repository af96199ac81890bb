import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

/** The hash before a stream's first event. */
export const GENESIS_HASH = "0".repeat(64);

/** An event as it is stored, apart from its position: what its hash covers. */
export interface HashedEvent {
  stream: string;
  revision: bigint;
  type: string;
  data: unknown;
  /** Encrypted, as stored; null where there is none. */
  personal: string | null;
  metadata: Record<string, unknown>;
}

/**
 * SHA-256 (hex) over the RFC 8785 canonical JSON of the event as stored and the previous event's hash.
 * The metadata's own `hash` and `previousHash` are left out of `metadata`; the position never enters, since it changes
 * when a store is copied.
 */
export const eventHash = (event: HashedEvent, previousHash: string): string => {
  const { hash: _hash, previousHash: _previousHash, ...metadata } = event.metadata;
  const canonical = canonicalize({
    stream: event.stream,
    revision: Number(event.revision),
    type: event.type,
    schemaVersion: metadata.schemaVersion,
    data: event.data,
    personal: event.personal,
    metadata,
    previousHash,
  });
  if (canonical === undefined) throw new Error("an event is not representable as JSON");
  return createHash("sha256").update(canonical).digest("hex");
};

/** Where a stream's chain is broken: the first event whose hash or link is not what it must be; undefined when it holds. */
export const findBrokenLink = (events: Iterable<HashedEvent>): { revision: bigint } | undefined => {
  let previousHash = GENESIS_HASH;
  let expectedRevision = 0n;
  for (const event of events) {
    const { hash } = event.metadata;
    const holds =
      event.revision === expectedRevision &&
      event.metadata.previousHash === previousHash &&
      hash === eventHash(event, previousHash);
    if (!holds || typeof hash !== "string") return { revision: event.revision };
    previousHash = hash;
    expectedRevision += 1n;
  }
  return undefined;
};
