import { comparePositions, type Position } from "@rubrica/event-store";
import { type Journal, type JournalBatch, type JournalEvent, UnreadableStreamError } from "@rubrica/journal";
import { type Backoff, backoffMs, type Clock } from "@rubrica/runtime";
import { LRUCache } from "lru-cache";
import { lowestCheckpoint } from "./lowest-checkpoint.ts";
import type { ReadModelDocument, ReadModelStore } from "./port.ts";
import type { Projection } from "./projection.ts";

/** Records remembered as they are: each is dropped with its next event. */
const MAX_RECORDS = 20_000;
/** Events held before it is looked which of them are projected by now. */
const EVENTS_HELD_EASILY = 1_000;
const MAX_EVENTS_HELD = 100_000;
const PAUSE_MS = 250;
const BACKOFF: Backoff = { firstMs: PAUSE_MS, longestMs: 10_000 };

interface Tail {
  projection: Projection;
  /** By record, in order: events that the projection had not come to when it was last looked. */
  held: Map<string, JournalEvent[]>;
}

/** So many events are not projected yet that they can't be held: what they say of any record is not known. */
export class ProjectorBehindError extends Error {
  constructor() {
    super("the projections are too far behind");
    this.name = "ProjectorBehindError";
  }
}

export interface TailedRecordsOptions {
  /** Whose records; small ones, which few events touch. */
  projections: readonly Projection[];
  /** What the names begin with of the streams whose events touch them. */
  streamPrefix: string;
  readModels: Pick<ReadModelStore, "get" | "checkpointOf">;
  journal: Pick<Journal, "store" | "subscribe">;
  clock: Clock;
  /** Told of every failure to follow. */
  onError: (error: unknown) => void;
  /** How many events are held at most, 100,000 by default. */
  maxEventsHeld?: number;
}

/**
 * Records of the read models as the events have them by now, wherever the projector is: what it has not come to yet is
 * read from its checkpoint on, held, and folded into each record that is asked for. A record that is remembered costs no
 * I/O.
 *
 * `follow` keeps it up with the store, another process's appends included; `refresh` catches up once. Both may take the
 * same events: each source is without gaps from where this stands, so what is at or below it is passed over.
 */
export class TailedRecords {
  readonly #options: TailedRecordsOptions;
  readonly #maxEventsHeld: number;
  /** By their projections' names. */
  readonly #tails: ReadonlyMap<string, Tail>;
  #eventsHeld = 0;
  readonly #records = new LRUCache<string, ReadModelDocument>({ max: MAX_RECORDS });
  readonly #setAside = new Map<string, UnreadableStreamError>();
  #position: Position | undefined;
  #version = 0;
  #begun: Promise<void> | undefined;
  #isFull = false;

  constructor(options: TailedRecordsOptions) {
    this.#options = options;
    this.#maxEventsHeld = options.maxEventsHeld ?? MAX_EVENTS_HELD;
    this.#tails = new Map(options.projections.map((projection) => [projection.name, { projection, held: new Map() }]));
  }

  /** Rises whenever a record may have become another. */
  get version(): number {
    return this.#version;
  }

  /** Whether any of the streams was found to be one that can't be read. */
  get anySetAside(): boolean {
    return this.#setAside.size > 0;
  }

  /**
   * A record as it is by now; null when there is none.
   * @throws {ProjectorBehindError}
   * @throws {UnreadableStreamError} when it is a stream's that can't be read.
   */
  async get<Document extends ReadModelDocument>(
    projection: Projection<Document>,
    id: string,
  ): Promise<Document | null> {
    await this.#begin();
    this.#assertKnowing(id);
    const key = `${projection.name}/${id}`;
    const known = this.#records.get(key) ?? (await this.#current(this.#tailOf(projection), id));
    // Only what there is: ids that strangers make up take the place of none.
    if (known) this.#records.set(key, known);
    return known as Document | null;
  }

  /** The events held for a projection's records: those that it may not have come to. */
  *heldFor(projection: { name: string }): Iterable<JournalEvent> {
    for (const events of this.#tailOf(projection).held.values()) yield* events;
  }

  /** What was committed before the call is known after it. @throws {ProjectorBehindError} */
  async refresh(): Promise<void> {
    await this.#begin();
    const last = await this.#options.journal.store.lastPosition();
    if (last && !isAtOrBelow(last, this.#position)) await this.#catchUp();
    if (this.#isFull) throw new ProjectorBehindError();
  }

  /** Follows the streams until the signal is aborted. Failures are told, and tried again after 250 ms, doubling to 10 s. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options;
    for (let failures = 0; !signal.aborted; failures++)
      try {
        await this.#followOnce(signal, () => {
          failures = 0;
        });
      } catch (error) {
        if (signal.aborted) return;
        onError(error);
        await clock.wait(backoffMs(failures + 1, BACKOFF), { signal });
      }
  }

  /** @throws whatever a store fails with. */
  async #followOnce(signal: AbortSignal, onTaken: () => void): Promise<void> {
    const { journal, streamPrefix, clock } = this.#options;
    await this.#begin();
    while (!signal.aborted && !(await this.#mayHoldMore())) await clock.wait(PAUSE_MS, { signal });
    for await (const batch of journal.subscribe({ after: this.#position, streamPrefix, signal })) {
      this.#take(batch);
      onTaken();
      while (!signal.aborted && !(await this.#mayHoldMore())) await clock.wait(PAUSE_MS, { signal });
    }
    if (!signal.aborted) throw new Error("the subscription ended by itself");
  }

  /** Once: from where the projections are, up to now. */
  #begin(): Promise<void> {
    this.#begun ??= this.#start().catch((error: unknown) => {
      this.#begun = undefined;
      throw error;
    });
    return this.#begun;
  }

  async #start(): Promise<void> {
    const { projections, readModels } = this.#options;
    const checkpoints = await Promise.all(projections.map((projection) => readModels.checkpointOf(projection)));
    this.#position ??= lowestCheckpoint(checkpoints.map((checkpoint) => ({ checkpoint })));
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    const { journal, streamPrefix } = this.#options;
    const ending = new AbortController();
    try {
      if (!(await this.#mayHoldMore())) return;
      const batches = journal.subscribe({ after: this.#position, streamPrefix, signal: ending.signal });
      for await (const batch of batches) {
        this.#take(batch);
        if (!(await this.#mayHoldMore()) || batch.caughtUp) return;
      }
    } finally {
      ending.abort();
    }
  }

  #take({ events, unreadable, position }: JournalBatch): void {
    for (const event of unreadable) this.#setAside.set(event.streamId, new UnreadableStreamError(event));
    for (const event of events) if (!isAtOrBelow(event.position, this.#position)) this.#hold(event);
    if (position && !isAtOrBelow(position, this.#position)) this.#position = position;
  }

  #hold(event: JournalEvent): void {
    for (const [name, { projection, held }] of this.#tails)
      for (const id of projection.keysOf(event)) {
        const events = held.get(id);
        if (events) events.push(event);
        else held.set(id, [event]);
        this.#eventsHeld += 1;
        this.#version += 1;
        this.#records.delete(`${name}/${id}`);
      }
  }

  /** Whether more events can be held, without those that are projected by now. */
  async #mayHoldMore(): Promise<boolean> {
    if (this.#eventsHeld > Math.min(EVENTS_HELD_EASILY, this.#maxEventsHeld)) {
      for (const { projection, held } of this.#tails.values()) {
        const checkpoint = await this.#options.readModels.checkpointOf(projection);
        if (checkpoint) this.#letGo(held, checkpoint);
      }
    }
    this.#isFull = this.#eventsHeld > this.#maxEventsHeld;
    return !this.#isFull;
  }

  #letGo(held: Tail["held"], checkpoint: Position): void {
    for (const [id, events] of held) {
      const left = events.filter(({ position }) => !isAtOrBelow(position, checkpoint));
      if (left.length === events.length) continue;
      this.#eventsHeld -= events.length - left.length;
      this.#version += 1;
      if (left.length > 0) held.set(id, left);
      else held.delete(id);
    }
  }

  /** The stored record and what is held for it. What was let go of meanwhile is in the record when it is read again. */
  async #current({ projection, held }: Tail, id: string): Promise<ReadModelDocument | null> {
    for (;;) {
      const version = this.#version;
      const stored = await this.#options.readModels.get(projection, id);
      if (version !== this.#version) continue;
      let document = stored?.document ?? null;
      for (const event of held.get(id) ?? [])
        if (!isAtOrBelow(event.position, stored?.position)) document = projection.project(document, event, id);
      return document;
    }
  }

  #tailOf({ name }: { name: string }): Tail {
    const tail = this.#tails.get(name);
    if (!tail) throw new Error(`${name} is not among the projections`);
    return tail;
  }

  #assertKnowing(id: string): void {
    const setAside = this.#setAside.get(id);
    if (setAside) throw setAside;
    if (this.#isFull) throw new ProjectorBehindError();
  }
}

const isAtOrBelow = (position: Position, bound: Position | undefined): boolean =>
  bound !== undefined && comparePositions(position, bound) <= 0;
