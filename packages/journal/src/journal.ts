import type { KeyObject } from "node:crypto";
import type { EventStore, Position, RecordedEvent } from "@rubrica/event-store";
import { type DomainEvent, definitionOf, parseStreamName } from "@rubrica/events";
import type { KeyStore } from "@rubrica/key-store";
import { nextTurn, pacer, type Runtime } from "@rubrica/runtime";
import type { JournalEvent } from "./event.ts";
import { type CommandContext, fromStored, hasPersonal, ownerOf, type StreamEnd, toStored } from "./stored-event.ts";

/** So much of personal parts is read in one turn of the event loop, unless one is larger: a bulk row may have 128 KB. */
const TURN_LENGTH = 32_768;

const lengthOf = ({ data }: Pick<RecordedEvent, "data">): number =>
  "personal" in data && typeof data.personal === "string" ? data.personal.length : 0;

/** Some events of all streams, in order, and how far the subscription has come. */
export interface JournalBatch {
  events: readonly JournalEvent[];
  position: Position | undefined;
  caughtUp: boolean;
}

/**
 * The event store as the domain sees it: events checked against the catalogue on the way in and out, their personal
 * parts encrypted with the owner's key, each chained to the one before.
 */
export class Journal {
  readonly store: EventStore;
  readonly #keys: KeyStore;
  readonly #runtime: Runtime;

  constructor(store: EventStore, keys: KeyStore, runtime: Runtime) {
    this.store = store;
    this.#keys = keys;
    this.#runtime = runtime;
  }

  /** The stream's events from revision `from` on. */
  async *read(stream: string, from = 0n): AsyncIterable<JournalEvent> {
    let batch: RecordedEvent[] = [];
    for await (const recorded of this.store.readStream(stream, from)) {
      batch.push(recorded);
      if (batch.length < 100) continue;
      yield* await this.restore(batch);
      batch = [];
    }
    yield* await this.restore(batch);
  }

  /** What the stream holds after its former `end`; undefined when that is not in it. */
  async readAfter(stream: string, end: StreamEnd): Promise<JournalEvent[] | undefined> {
    const events: RecordedEvent[] = [];
    for await (const recorded of this.store.readStream(stream, end.revision)) events.push(recorded);
    return events.shift()?.metadata.hash === end.hash ? this.restore(events) : undefined;
  }

  /**
   * Appends a command's events after the stream's `end` (undefined: a new stream) and gives them as recorded, all with
   * the position of the last one.
   * @throws {ConflictError} when the stream has gone on.
   * @throws {KeyDestroyedError} when the owner was forgotten and an event bears personal data.
   */
  async append(
    stream: string,
    end: StreamEnd | undefined,
    events: readonly DomainEvent[],
    context: CommandContext,
  ): Promise<JournalEvent[]> {
    const personal = events.some(({ type }) => definitionOf(type).personal);
    const ownerKey = personal ? await this.#keys.obtain(ownerOf(stream)) : undefined;
    const stored = toStored(stream, end, events, context, {
      nowMs: this.#runtime.clock.now(),
      random: this.#runtime.random,
      ownerKey,
    });
    const { position } = await this.store.append(stream, end ? end.revision : "no_stream", stored);
    const first = end ? end.revision + 1n : 0n;
    const recorded = stored.map((event, index) => ({ ...event, stream, revision: first + BigInt(index), position }));
    const given: JournalEvent[] = [];
    for (const event of recorded) {
      // Appends that were committed together are answered in one turn.
      if (lengthOf(event) > TURN_LENGTH) await nextTurn();
      given.push(fromStored(event, ownerKey));
    }
    return given;
  }

  /** All events after `after`, then live. Streams that are none of Rubrica's are passed over. */
  async *subscribe(options: {
    after?: Position | undefined;
    streamPrefix?: string;
    signal: AbortSignal;
  }): AsyncIterable<JournalBatch> {
    for await (const { events, position, caughtUp } of this.store.subscribeToAll(options)) {
      yield { events: await this.restore(events), position, caughtUp };
    }
  }

  /** Events of the domain from what was stored; the key of each owner is looked up once. */
  async restore(recorded: readonly RecordedEvent[]): Promise<JournalEvent[]> {
    const own = recorded.filter(({ stream }) => parseStreamName(stream));
    const owners = new Set(own.filter(hasPersonal).map(({ stream }) => ownerOf(stream)));
    const keys = new Map<string, KeyObject | undefined>();
    for (const owner of owners) keys.set(owner, await this.#keys.find(owner));
    const pace = pacer(TURN_LENGTH);
    const events: JournalEvent[] = [];
    for (const event of own) {
      await pace(lengthOf(event));
      events.push(fromStored(event, hasPersonal(event) ? keys.get(ownerOf(event.stream)) : undefined));
    }
    return events;
  }
}
