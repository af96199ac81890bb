import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import { GENESIS_HASH } from "@rubrica/events";
import { LRUCache } from "lru-cache";

/** Streams whose end is remembered: more than are active at a time. */
const MAX_REMEMBERED = 20_000;

/** Whether an event is linked to the one before it. Its own hash is left to the audit: this costs nothing. */
export const isLinked = ({ metadata }: RecordedEvent, previousHash: unknown): boolean =>
  metadata.previousHash === previousHash;

/** Stands for the hash of an event whose metadata is damaged: any event that comes after it counts as linked. */
const UNKNOWN = "unknown";

const hashOf = ({ metadata: { hash } }: RecordedEvent): string => (typeof hash === "string" ? hash : UNKNOWN);

/**
 * Where the streams that a subscription meets have come to, so that an event that does not follow on the one before it
 * is noticed: one is missing, or it is there twice. A stream that is not remembered is looked up.
 */
export class StreamEnds {
  readonly #store: Pick<EventStore, "readStream">;
  readonly #hashes = new LRUCache<string, string>({ max: MAX_REMEMBERED });

  constructor(store: Pick<EventStore, "readStream">) {
    this.#store = store;
  }

  /** Whether the event goes on with its stream. To be asked of each event, in order. */
  async goesOn(event: RecordedEvent): Promise<boolean> {
    const previous = this.#hashes.get(event.stream) ?? (await this.#hashBefore(event));
    this.#hashes.set(event.stream, hashOf(event));
    return previous === UNKNOWN || isLinked(event, previous);
  }

  async #hashBefore({ stream, revision }: RecordedEvent): Promise<string | undefined> {
    if (revision === 0n) return GENESIS_HASH;
    for await (const before of this.#store.readStream(stream, revision - 1n))
      return before.revision === revision - 1n ? hashOf(before) : undefined;
  }
}
