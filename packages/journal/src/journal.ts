import type { EventStore, Position, RecordedEvent } from "@rubrica/event-store";
import { type DomainEvent, definitionOf, GENESIS_HASH, parseStreamName } from "@rubrica/events";
import { pacer, type Runtime } from "@rubrica/runtime";
import { type KeyStore, KeyUnreadableError } from "@rubrica/storage";
import { EventAuthentication } from "./authentication.ts";
import type { JournalEvent } from "./event.ts";
import { fromStored, isReadable, isUnreadable, type ReadEvent } from "./from-stored.ts";
import { type CommandContext, mayHavePersonal, ownerOf, placed, type StreamEnd, toStored } from "./stored-event.ts";
import { isLinked, StreamEnds } from "./stream-ends.ts";
import { type UnreadableEvent, UnreadableStreamError, UnreadableStreams, unreadable } from "./unreadable.ts";

/** Characters of personal parts that are decrypted in one iteration of the event loop, unless one part is longer: a bulk row may have 128 KB. */
const SLICE_LENGTH = 32_768;

const lengthOf = ({ data }: Pick<RecordedEvent, "data">): number =>
  "personal" in data && typeof data.personal === "string" ? data.personal.length : 0;

const READ_BATCH = 100;
const NOT_LINKED = "it does not follow on the event before it";

/** Some events of all streams, in order, and how far the subscription has come. */
export interface JournalBatch {
  events: readonly JournalEvent[];
  /** Events that are there among the others and can't be read, in order. */
  unreadable: readonly UnreadableEvent[];
  position: Position | undefined;
  caughtUp: boolean;
}

/**
 * The event store as the domain sees it: events checked against the catalogue on the way in and out, authenticated, their
 * personal parts encrypted with the owner's key, each chained to the one before.
 */
export class Journal {
  readonly store: EventStore;
  readonly #keys: KeyStore;
  readonly #authentication: EventAuthentication;
  readonly #runtime: Runtime;
  readonly #unreadable: UnreadableStreams;
  readonly #onAppended: (events: readonly DomainEvent[]) => void;

  /**
   * @param onUnreadable is told of each stream that can't be read, once.
   * @param onAppended is told of what was appended together, after it was.
   */
  constructor(
    store: EventStore,
    keys: KeyStore,
    runtime: Runtime,
    {
      onUnreadable = () => {},
      onAppended = () => {},
    }: {
      onUnreadable?: (event: UnreadableEvent) => void;
      onAppended?: (events: readonly DomainEvent[]) => void;
    } = {},
  ) {
    this.store = store;
    this.#keys = keys;
    this.#authentication = new EventAuthentication(keys);
    this.#runtime = runtime;
    this.#unreadable = new UnreadableStreams(onUnreadable);
    this.#onAppended = onAppended;
  }

  /** Of each stream that this process found unreadable, the event that can't be read; streams that it read whole since are left out. */
  get unreadableStreams(): readonly UnreadableEvent[] {
    return this.#unreadable.all;
  }

  /**
   * The stream's events from revision `from` on.
   * @throws {UnreadableStreamError} at the first that can't be read, or does not follow on the one before it.
   */
  async *read(stream: string, from = 0n): AsyncIterable<JournalEvent> {
    let before = from === 0n ? { revision: -1n, hash: GENESIS_HASH } : undefined;
    let batch: RecordedEvent[] = [];
    for await (const recorded of this.store.readStream(stream, from)) {
      batch.push(recorded);
      if (batch.length < READ_BATCH) continue;
      const events = await this.#linked(batch, before);
      yield* events;
      before = endOf(events) ?? before;
      batch = [];
    }
    yield* await this.#linked(batch, before);
    if (from === 0n) this.#unreadable.remove(stream);
  }

  /** The stream's first event; undefined when there is no such stream. @throws {UnreadableStreamError} */
  async readFirst(stream: string): Promise<JournalEvent | undefined> {
    for await (const recorded of this.store.readStream(stream)) return (await this.restore([recorded]))[0];
    return undefined;
  }

  /**
   * What the stream holds after its former `end`; undefined when that is not in it.
   * @throws {UnreadableStreamError} as {@link read} does.
   */
  async readAfter(stream: string, end: StreamEnd): Promise<JournalEvent[] | undefined> {
    const events: RecordedEvent[] = [];
    for await (const recorded of this.store.readStream(stream, end.revision)) events.push(recorded);
    return events.shift()?.metadata.hash === end.hash ? this.#linked(events, end) : undefined;
  }

  /**
   * Appends a command's events after the stream's `end` (undefined: a new stream) and gives them as recorded, all with
   * the position of the last one.
   * @throws {ConflictError} when the stream has gone on.
   * @throws {KeyDestroyedError} when the owner was forgotten and an event has personal data.
   * @throws {KeyUnreadableError} when the owner's key is damaged and an event has personal data.
   */
  async append(
    stream: string,
    end: StreamEnd | undefined,
    events: readonly DomainEvent[],
    context: CommandContext,
  ): Promise<JournalEvent[]> {
    const personal = events.some(({ type, personal: content }) => content !== null && definitionOf(type).personal);
    const ownerKey = personal ? await this.#keys.obtain(ownerOf(stream)) : undefined;
    const toBeStored = toStored(stream, end, events, context, {
      nowMs: this.#runtime.clock.now(),
      random: this.#runtime.random,
      ownerKey,
      macKey: await this.#authentication.key(),
    });
    const stored = toBeStored.map((one) => one.stored);
    const { position } = await this.store.append(stream, end ? end.revision : "no_stream", stored);
    this.#onAppended(events);
    const { kind: streamKind, id: streamId } = placed(stream);
    const first = end ? end.revision + 1n : 0n;
    // What was checked on the way in need not be read again.
    return toBeStored.map(({ event, stored: { id }, metadata }, index) => {
      const revision = first + BigInt(index);
      return { ...event, id, stream, streamKind, streamId, revision, position, metadata };
    });
  }

  /**
   * All events after `after`, then live. Streams that are none of Rubrica's are passed over. What can't be read is told
   * beside the others; the events that its stream holds after it are among them.
   */
  async *subscribe(options: {
    after?: Position | undefined;
    streamPrefix?: string;
    signal: AbortSignal;
  }): AsyncIterable<JournalBatch> {
    const ends = new StreamEnds(this.store);
    for await (const { events: recorded, position, caughtUp } of this.store.subscribeToAll(options)) {
      const read = await this.#readOf(recorded, ends);
      const unreadable = read.filter(isUnreadable);
      for (const event of unreadable) this.#unreadable.add(event);
      yield { events: read.filter(isReadable), unreadable, position, caughtUp };
    }
  }

  /**
   * Events of the domain from what was stored; all keys are looked up in one read. Does not check that they are linked.
   * @throws {UnreadableStreamError} at the first that can't be read.
   */
  async restore(recorded: readonly RecordedEvent[]): Promise<JournalEvent[]> {
    const own = recorded.filter(({ stream }) => parseStreamName(stream));
    return (await this.#restoreEach(own)).map((event) => this.#readable(event));
  }

  /** What a subscription read, in order. */
  async #readOf(recorded: readonly RecordedEvent[], ends: StreamEnds): Promise<ReadEvent[]> {
    const own = recorded.filter(({ stream }) => parseStreamName(stream));
    const events = await this.#restoreEach(own);
    const read: ReadEvent[] = [];
    for (const [index, stored] of own.entries())
      read.push(asLinked(await ends.goesOn(stored), stored, events[index] as ReadEvent));
    return read;
  }

  /** Events of one stream, each of which follows on the one before it, and the first on `before`, where that is known. */
  async #linked(
    recorded: readonly RecordedEvent[],
    before: Pick<StreamEnd, "revision" | "hash"> | undefined,
  ): Promise<JournalEvent[]> {
    let end = before;
    const events: JournalEvent[] = [];
    for (const [index, event] of (await this.#restoreEach(recorded)).entries()) {
      const stored = recorded[index] as RecordedEvent;
      const follows = !end || (stored.revision === end.revision + 1n && isLinked(stored, end.hash));
      const readable = this.#readable(asLinked(follows, stored, event));
      end = { revision: readable.revision, hash: readable.metadata.hash };
      events.push(readable);
    }
    return events;
  }

  /** @throws {UnreadableStreamError} when it is not. */
  #readable(event: ReadEvent): JournalEvent {
    if (!isUnreadable(event)) return event;
    this.#unreadable.add(event);
    throw new UnreadableStreamError(event);
  }

  async #restoreEach(own: readonly RecordedEvent[]): Promise<ReadEvent[]> {
    const owners = new Set(own.filter(mayHavePersonal).map(({ stream }) => ownerOf(stream)));
    const keys = await this.#keys.findMany(owners);
    const { isAuthentic } = await this.#authentication.of(own);
    const pace = pacer(SLICE_LENGTH);
    const events: ReadEvent[] = [];
    for (const event of own) {
      await pace(lengthOf(event));
      const key = keys.get(ownerOf(event.stream)) ?? null;
      events.push(fromStored(event, { key: key instanceof KeyUnreadableError ? "damaged" : key, isAuthentic }));
    }
    return events;
  }
}

/** The event, or that it does not follow on the one before it. */
const asLinked = (follows: boolean, recorded: RecordedEvent, event: ReadEvent): ReadEvent =>
  follows || isUnreadable(event)
    ? event
    : unreadable(recorded, { kind: event.streamKind, id: event.streamId }, NOT_LINKED);

const endOf = (events: readonly JournalEvent[]): Pick<StreamEnd, "revision" | "hash"> | undefined => {
  const last = events.at(-1);
  return last && { revision: last.revision, hash: last.metadata.hash };
};
