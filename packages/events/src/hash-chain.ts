import { hash as digest } from "node:crypto";
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
  return digest("sha256", canonical);
};

/** Whether an event has its own hash. What no JSON has, as half a character, or is too deep to be gone through, has none. */
export const hasItsHash = (event: HashedEvent, previousHash: string): boolean => {
  try {
    return event.metadata.hash === eventHash(event, previousHash);
  } catch {
    return false;
  }
};

/** Checks events against the chains of their streams, in the order of each stream; any number of streams at once. */
export class ChainVerifier {
  readonly #ends = new Map<string, { revision: bigint; hash: string }>();

  /** How many streams were seen. */
  get streams(): number {
    return this.#ends.size;
  }

  /** Whether the event is the one that its stream's chain goes on with; the next one is compared with it then. */
  verify(event: HashedEvent): boolean {
    const end = this.#ends.get(event.stream);
    const previousHash = end?.hash ?? GENESIS_HASH;
    const isNext =
      event.revision === (end ? end.revision + 1n : 0n) &&
      event.metadata.previousHash === previousHash &&
      hasItsHash(event, previousHash);
    if (isNext) this.#ends.set(event.stream, { revision: event.revision, hash: String(event.metadata.hash) });
    return isNext;
  }
}

/** Where a stream's chain is broken: the first event whose hash or link is not what it must be; undefined when it holds. */
export const findBrokenLink = (events: Iterable<HashedEvent>): { revision: bigint } | undefined => {
  const verifier = new ChainVerifier();
  for (const event of events) if (!verifier.verify(event)) return { revision: event.revision };
  return undefined;
};
