import { comparePositions, type Position } from "@rubrica/event-store";
import type { UnreadableEvent } from "@rubrica/journal";
import { ANY_SET_ASIDE_ID, type DocumentChange, setAsideChanges, setAsideIdOf } from "@rubrica/read-models";
import { LRUCache } from "lru-cache";

/** Streams that are remembered as set aside, or as not. */
const MAX_REMEMBERED = 10_000;

/** The part of a batch that a pass takes. */
interface Taken<Event> {
  events: readonly Event[];
  /** The first of each stream that is set aside with this batch. */
  unreadable: readonly UnreadableEvent[];
  /** What is kept of them. */
  changes: DocumentChange[];
}

/**
 * The streams that one generation has set aside, kept among its documents: so whoever goes on with the generation, after
 * a restart or in another process, passes over the same events, and one that is built anew begins without any.
 */
export class SetAsideStreams {
  readonly #load: (ids: readonly string[]) => Promise<ReadonlyMap<string, DocumentChange>>;
  /** From where each is set aside; null: it is not. Made only when it is needed: the cache takes all its memory at once. */
  #from: LRUCache<string, { position: Position | null }> | undefined;
  #any: boolean | undefined;

  /** @param load gives what the generation keeps by these ids. */
  constructor(load: (ids: readonly string[]) => Promise<ReadonlyMap<string, DocumentChange>>) {
    this.#load = load;
  }

  /** Sets aside what can't be read, and leaves out the events that come after it in its stream. */
  async take<Event extends { position: Position; stream?: string }>(
    events: readonly Event[],
    unreadable: readonly UnreadableEvent[],
  ): Promise<Taken<Event>> {
    this.#any ??= (await this.#load([ANY_SET_ASIDE_ID])).size > 0;
    if (!this.#any && unreadable.length === 0) return { events, unreadable, changes: [] };
    this.#any = true;
    const streams = new Set([...events, ...unreadable].flatMap(({ stream }) => stream ?? []));
    const from = await this.#lookUp([...streams]);
    const first: UnreadableEvent[] = [];
    for (const event of unreadable) {
      const before = from.get(event.stream);
      // The event at which the stream was set aside comes again when a batch is repeated: not all of it may have been
      // kept.
      if (before && comparePositions(event.position, before) !== 0) continue;
      from.set(event.stream, event.position);
      first.push(event);
    }
    this.#from ??= new LRUCache({ max: MAX_REMEMBERED });
    for (const [stream, position] of from) this.#from.set(stream, { position });
    return {
      events: events.filter(({ stream, position }) => !isPast(position, stream && from.get(stream))),
      unreadable: first,
      changes: first.flatMap(setAsideChanges),
    };
  }

  async #lookUp(streams: readonly string[]): Promise<Map<string, Position | null>> {
    const from = new Map<string, Position | null>();
    for (const stream of streams) {
      const known = this.#from?.get(stream);
      if (known) from.set(stream, known.position);
    }
    const unknown = streams.filter((stream) => !from.has(stream));
    const loaded = unknown.length > 0 ? await this.#load(unknown.map(setAsideIdOf)) : undefined;
    for (const stream of unknown) from.set(stream, loaded?.get(setAsideIdOf(stream))?.position ?? null);
    return from;
  }
}

const isPast = (position: Position, from: Position | null | undefined | ""): boolean =>
  Boolean(from) && comparePositions(position, from as Position) >= 0;
