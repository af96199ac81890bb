import type { Position, RecordedEvent } from "@rubrica/event-store";
import type { StreamKind } from "@rubrica/events";

/** An event that is there and can't be read: damaged, of a newer version, or of an owner whose key is damaged. */
export interface UnreadableEvent {
  id: string;
  stream: string;
  streamKind: StreamKind;
  /** The id within the stream's name. */
  streamId: string;
  revision: bigint;
  position: Position;
  /** Why, in words that begin with "it": without a word of what is stored. */
  reason: string;
  /** Whose it is, and below when it was appended, where its metadata still tells; else null. */
  accountId: string | null;
  at: string | null;
}

/**
 * A stream holds an event that can't be read: what it says from there on is not known, and nothing is decided on it.
 * What is only out of reach (a busy disk, a network) is never this error.
 */
export class UnreadableStreamError extends Error {
  /** The first event that can't be read. */
  readonly event: Pick<UnreadableEvent, "stream" | "revision" | "reason">;

  constructor(event: Pick<UnreadableEvent, "stream" | "revision" | "reason">) {
    super(`${event.stream} can't be read from revision ${event.revision} on: ${event.reason}`);
    this.name = "UnreadableStreamError";
    this.event = event;
  }
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** What is told of an event that can't be read. */
export const unreadable = (
  { id, stream, revision, position, metadata }: RecordedEvent,
  { kind, id: streamId }: { kind: StreamKind; id: string },
  reason: string,
): UnreadableEvent => ({
  id,
  stream,
  streamKind: kind,
  streamId,
  revision,
  position,
  reason,
  accountId: textOf(metadata.accountId),
  at: textOf(metadata.at),
});

/** Unreadable streams that are remembered. Beyond so many, the log has said enough. */
const MAX_REMEMBERED = 10_000;

/** The streams that were found unreadable by this process, each told of once. */
export class UnreadableStreams {
  readonly #onFound: (event: UnreadableEvent) => void;
  readonly #found = new Map<string, UnreadableEvent>();

  constructor(onFound: (event: UnreadableEvent) => void) {
    this.#onFound = onFound;
  }

  /** Takes note of it. */
  add(event: UnreadableEvent): void {
    if (this.#found.has(event.stream) || this.#found.size >= MAX_REMEMBERED) return;
    this.#found.set(event.stream, event);
    this.#onFound(event);
  }

  /** The stream was read whole: it was mended. */
  remove(stream: string): void {
    this.#found.delete(stream);
  }

  /** At most 10,000, in the order in which they were found. */
  get all(): readonly UnreadableEvent[] {
    return [...this.#found.values()];
  }
}
