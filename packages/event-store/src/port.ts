/** A JSON value as it is stored. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Where an event stands among all events of a store. Opaque but for its order, which is that of `commit`. */
export interface Position {
  commit: bigint;
  prepare: bigint;
}

/** An event to append. `id` is a UUID; the same id at the same place is the same event. */
export interface NewEvent {
  id: string;
  type: string;
  data: JsonObject;
  metadata: JsonObject;
}

/** An event as it was stored. `revision` counts from 0 within its stream. */
export interface RecordedEvent extends NewEvent {
  stream: string;
  revision: bigint;
  position: Position;
  /**
   * Set when what is stored can't be read, by anybody: says what of it, without a word of what is there. What can't be
   * read is then an empty object; the event keeps its place, so that all after it is read.
   */
  damage?: string;
}

/** What the appender believes the stream's last revision to be. */
export type ExpectedRevision = bigint | "no_stream";

export interface AppendResult {
  /** Revision of the last event appended. */
  revision: bigint;
  /** Position of the last event appended. */
  position: Position;
}

/** The last event's place in a stream. */
export interface StreamEnd {
  revision: bigint;
  position: Position;
}

/** An event by its place, and the hash that its metadata names; empty where there is none that can be read. */
export interface PlacedHash {
  stream: string;
  revision: bigint;
  position: Position;
  hash: string;
}

/** Some events, in order, and how far the subscription has come with them. */
export interface EventBatch {
  /** May be empty: a batch that only says that the subscription moved on, or has caught up. */
  events: readonly RecordedEvent[];
  /** Everything up to and including this position has been given (a subscription resumes after it). */
  position: Position | undefined;
  /** True when nothing was left to read at the time. */
  caughtUp: boolean;
}

/**
 * An append-only store of event streams.
 *
 * Every engine keeps to what EventStoreDB can do: no transactions over several streams, conflicts are errors,
 * subscriptions are catch-up ones that resume from a position. The contract suite holds each engine to this port.
 */
export interface EventStore {
  /**
   * Appends all events or none, durably before it resolves.
   *
   * A repeated append (same ids, same expected revision) gives the first answer again and changes nothing.
   * @throws {ConflictError} when the stream is not at `expected`.
   * @throws {AppendTooLargeError} when the events' JSON together exceed {@link MAX_APPEND_BYTES}.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult>;

  /** The stream's events from revision `from` (inclusive, default 0) on; none when the stream does not exist. */
  readStream(stream: string, from?: bigint): AsyncIterable<RecordedEvent>;

  /** The stream's last event, or undefined when the stream does not exist. */
  readLast(stream: string): Promise<RecordedEvent | undefined>;

  /** Where the stream ends, or undefined when the stream does not exist. */
  streamEnd(stream: string): Promise<StreamEnd | undefined>;

  /**
   * All events after `after` (exclusive; undefined: from the start), in the order of their positions, up to now: of
   * streams whose name starts with `streamPrefix`, or of one `type`.
   */
  readAll(after?: Position, options?: { streamPrefix: string } | { type: string }): AsyncIterable<RecordedEvent>;

  /**
   * The places and hashes of all events after `after`, in the order of their positions, up to now, some at a time: for who
   * needs no more of them, at a fraction of the cost of {@link readAll}.
   */
  readHashes(after?: Position): AsyncIterable<readonly PlacedHash[]>;

  /**
   * All events after `after`, then live, until `signal` is aborted. Batches are never given concurrently: the next
   * one is prepared when the consumer asks for it. Survives a lost connection by resuming where it was.
   * `streamPrefix` restricts it to streams whose name starts so.
   */
  subscribeToAll(options: {
    after?: Position | undefined;
    streamPrefix?: string;
    signal: AbortSignal;
  }): AsyncIterable<EventBatch>;

  /**
   * Position of the last event that is ours: of the streams whose names start with one of the prefixes that the store
   * was opened with. Others' events, as a shared server's own, may follow it. Undefined when there is none.
   */
  lastPosition(): Promise<Position | undefined>;

  /**
   * What is wrong with what the events are kept in, in sentences; none when it is whole. Reads all of it. Missing where the
   * engine keeps that to itself.
   */
  faults?(): Promise<readonly string[]>;

  close(): Promise<void>;
}

/** EventStoreDB's default limit for one append; every engine keeps to it. */
export const MAX_APPEND_BYTES = 1_048_576;

/** The stream is not where the appender believed it to be. */
export class ConflictError extends Error {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly actual: ExpectedRevision;

  constructor(stream: string, expected: ExpectedRevision, actual: ExpectedRevision) {
    super(`stream is at ${actual}, expected ${expected}`);
    this.name = "ConflictError";
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** More bytes than one append may hold. */
export class AppendTooLargeError extends Error {
  readonly sizeBytes: number;

  constructor(sizeBytes: number) {
    super(`an append of ${sizeBytes} bytes exceeds ${MAX_APPEND_BYTES}`);
    this.name = "AppendTooLargeError";
    this.sizeBytes = sizeBytes;
  }
}

/** Negative, zero or positive as `a` comes before, is, or comes after `b`. Goes by `commit` alone. */
export const comparePositions = (a: Position, b: Position): number =>
  a.commit < b.commit ? -1 : a.commit > b.commit ? 1 : 0;

/** A position as text that sorts as positions do. */
export const formatPosition = ({ commit, prepare }: Position): string =>
  `${commit.toString().padStart(20, "0")}-${prepare.toString().padStart(20, "0")}`;

/** Reads what {@link formatPosition} wrote. @throws {Error} on anything else. */
export const parsePosition = (text: string): Position => {
  const match = /^(\d{20})-(\d{20})$/.exec(text);
  if (!match?.[1] || !match[2]) throw new Error("not a position");
  return { commit: BigInt(match[1]), prepare: BigInt(match[2]) };
};
