import type { Clock, Random } from "@rubrica/runtime";
import {
  type AppendResult,
  AppendTooLargeError,
  ConflictError,
  comparePositions,
  type EventBatch,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  type PlacedHash,
  type Position,
  type RecordedEvent,
  type StreamEnd,
} from "../port.ts";
import { type PreparedAppend, prepareAppend } from "../prepare-append.ts";
import { insist, type Patience } from "./attempts.ts";
import { clientOf, type SteadyClient } from "./client.ts";
import { Deadlines } from "./deadlines.ts";
import { closedError, meaningOf, reasonOf } from "./errors.ts";
import { EventStoreDbError } from "./failure.ts";
import type { Wanted } from "./feed.ts";
import { follow } from "./following.ts";
import { LastPositionFinder } from "./last-position.ts";
import { Reader } from "./reading.ts";

const LIMIT_MS = 15_000;
/** Hashes that are given at a time. */
const HASHES_A_PAGE = 500;

/** What EventStoreDB is opened with. */
export interface EventStoreDbOptions {
  /** `esdb://user:password@host:2113`, or `esdb+discover://…` for a cluster; TLS unless `tls=false`. */
  url: string;
  clock: Clock;
  /** For jitter between attempts. */
  random: Random;
  /** What the names of our streams start with (for `lastPosition`); none: all but the server's own are ours. */
  streamPrefixes: readonly string[];
  /** Told of what nobody waits for: a subscription that lost the server, and is begun again. */
  onConnectionLost?: ((error: Error) => void) | undefined;
  /** How long an append or a read may take, all its attempts together, in milliseconds; 15,000 by default. */
  limitMs?: number;
}

/**
 * The event store on EventStoreDB 23.10 or later. It connects at the first call, and again whenever it has to: what
 * fails while the server is down or silent is tried again until the limit, then rejects as `unreachable`.
 * @throws {EventStoreDbError} when the URL is not a valid one; its methods reject with the same when the server can't be used.
 */
export const openEventStoreDb = (options: EventStoreDbOptions): EventStore => new EventStoreDbStore(options);

class EventStoreDbStore implements EventStore {
  readonly #client: SteadyClient;
  readonly #patience: Patience;
  readonly #reader: Reader;
  readonly #lastPosition: LastPositionFinder;
  readonly #onConnectionLost: (error: Error) => void;
  readonly #closing = new AbortController();

  constructor({
    url,
    clock,
    random,
    streamPrefixes,
    onConnectionLost = () => {},
    limitMs = LIMIT_MS,
  }: EventStoreDbOptions) {
    this.#client = clientOf(url);
    const closing = this.#closing.signal;
    const deadlines = new Deadlines(clock, closing);
    this.#patience = { clock, random, limitMs, closing, deadlines, client: this.#client };
    this.#reader = new Reader(this.#client, this.#patience);
    this.#onConnectionLost = onConnectionLost;
    this.#lastPosition = new LastPositionFinder({
      reader: this.#reader,
      isOurs: (stream) =>
        streamPrefixes.length === 0
          ? !stream.startsWith("$")
          : streamPrefixes.some((prefix) => stream.startsWith(prefix)),
      lastOursAfter: (after, end) => this.#lastBetween(after, end, { streamPrefixes }),
    });
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    this.#checkOpen();
    const append = prepareAppend(stream, expected, events);
    // The same ids at the same revision each time: the server knows an attempt whose answer was lost.
    return insist(this.#patience, ({ limitMs }) => this.#appendOnce(append, limitMs));
  }

  async *readStream(stream: string, from = 0n): AsyncGenerator<RecordedEvent, void, undefined> {
    this.#checkOpen();
    yield* this.#reader.stream(stream, from);
  }

  async readLast(stream: string): Promise<RecordedEvent | undefined> {
    this.#checkOpen();
    return this.#reader.last(stream);
  }

  async streamEnd(stream: string): Promise<StreamEnd | undefined> {
    const last = await this.readLast(stream);
    return last && { revision: last.revision, position: last.position };
  }

  async *readAll(
    after?: Position,
    options: { streamPrefix: string } | { type: string } = { streamPrefix: "" },
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    this.#checkOpen();
    const end = await this.#reader.end();
    if (!end) return;
    if (!("type" in options)) return yield* this.#between(after, end, wantedBy(options.streamPrefix));
    for await (const event of this.#between(after, end, { typePrefix: options.type }))
      if (event.type === options.type) yield event;
  }

  async *readHashes(after?: Position): AsyncGenerator<readonly PlacedHash[], void, undefined> {
    let page: PlacedHash[] = [];
    for await (const { stream, revision, position, metadata } of this.readAll(after)) {
      const hash = typeof metadata.hash === "string" ? metadata.hash : "";
      if (page.push({ stream, revision, position, hash }) < HASHES_A_PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  subscribeToAll(options: {
    after?: Position | undefined;
    streamPrefix?: string;
    signal: AbortSignal;
  }): AsyncIterable<EventBatch> {
    const { after, streamPrefix = "" } = options;
    return this.#follow(after, wantedBy(streamPrefix), options.signal, false);
  }

  async lastPosition(): Promise<Position | undefined> {
    this.#checkOpen();
    return this.#lastPosition.find();
  }

  /** Whatever is under way ends at once: subscriptions, and calls with the error that the store is closed. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#client.close();
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw closedError();
  }

  async #appendOnce(append: PreparedAppend, limitMs: number): Promise<AppendResult> {
    const { stream, expected, sizeBytes } = append;
    const answer = await this.#client.append(append, limitMs).catch((error: unknown) => {
      const meaning = meaningOf(error);
      if (meaning === "too_large") throw new AppendTooLargeError(sizeBytes);
      if (meaning !== "conflict") throw error;
      return undefined;
    });
    if (answer?.outcome === "appended" && answer.position)
      return { revision: answer.revision, position: answer.position };
    // The server's own memory of ids is best effort: what is stored decides.
    const first = await this.#firstAnswer(append);
    if (first) return first;
    if (answer?.outcome === "appended")
      throw new EventStoreDbError("refused", "EventStoreDB took an append and does not have it.");
    const actual = answer?.actual ?? (await this.streamEnd(stream))?.revision ?? "no_stream";
    throw new ConflictError(stream, expected, actual);
  }

  /** The answer given when these same events were appended at this same place before. */
  async #firstAnswer({ stream, expected, events }: PreparedAppend): Promise<AppendResult | undefined> {
    const from = expected === "no_stream" ? 0n : expected + 1n;
    const stored = await this.#reader.page(stream, from, BigInt(events.length));
    const last = stored.at(-1);
    const same = stored.length === events.length && stored.every(({ id }, index) => id === events[index]?.id);
    return same && last ? { revision: last.revision, position: last.position } : undefined;
  }

  #follow(after: Position | undefined, wanted: Wanted, signal: AbortSignal, givesUp: boolean) {
    return follow({
      client: this.#client,
      patience: this.#patience,
      wanted,
      after,
      end: (ending) => this.#reader.end(ending),
      signal: AbortSignal.any([signal, this.#closing.signal]),
      givesUp,
      onConnectionLost: (error) =>
        this.#onConnectionLost(new EventStoreDbError("unreachable", `EventStoreDB was lost: ${reasonOf(error)}`)),
    });
  }

  /** What is wanted after one position, up to another. */
  async *#between(
    after: Position | undefined,
    end: Position,
    wanted: Wanted,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    if (after && comparePositions(after, end) >= 0) return;
    const enough = new AbortController();
    try {
      for await (const batch of this.#follow(after, wanted, enough.signal, true)) {
        for (const event of batch.events) {
          if (comparePositions(event.position, end) > 0) return;
          yield event;
        }
        if (batch.caughtUp || (batch.position && comparePositions(batch.position, end) >= 0)) return;
      }
      throw closedError();
    } finally {
      enough.abort();
    }
  }

  async #lastBetween(after: Position, end: Position, wanted: Wanted): Promise<Position | undefined> {
    let last: Position | undefined;
    for await (const { position } of this.#between(after, end, wanted)) last = position;
    return last;
  }
}

const wantedBy = (streamPrefix: string): Wanted => ({ streamPrefixes: streamPrefix === "" ? [] : [streamPrefix] });
