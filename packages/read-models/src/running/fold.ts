import { comparePositions, type Position } from "@rubrica/event-store";
import { weightOf } from "@rubrica/json";
import { LRUCache } from "lru-cache";
import type { DocumentChange, Generation, ReadModelDocument, ReadModelStore } from "../port.ts";
import type { Projection } from "../projection.ts";

/** Documents that each projection holds in memory, as parsed JSON: those that the next events are likely to touch. */
const HOT_DOCUMENTS = 2_000;
/** Of one projection, about: a document may bear thousands of variables. */
const HOT_BYTES = 16_777_216;

/** Some events in order, and how far the subscription has come with them; like the event store's and the journal's. */
export interface ProjectionBatch<Event> {
  events: readonly Event[];
  /** Everything up to and including this position has been given. */
  position: Position | undefined;
  /** True when nothing was left to read at the time. */
  caughtUp: boolean;
}

/** A projection's own code failed; the events that it failed at are tried again, never passed over. */
export class ProjectionError extends Error {
  readonly projection: string;

  constructor(projection: string, cause: unknown) {
    super(`projection ${projection} failed`, { cause });
    this.name = "ProjectionError";
    this.projection = projection;
  }
}

/** One projection on its way through the events: folds them into one generation of its collection. */
export class Fold<Event extends { position: Position }> {
  readonly projection: Projection<ReadModelDocument, Event>;
  readonly generation: Generation;
  readonly #store: ReadModelStore;
  #checkpoint: Position | undefined;
  /** What the store has, without asking it. Kept only while every write succeeds. */
  readonly #hot = new LRUCache<string, DocumentChange>({
    max: HOT_DOCUMENTS,
    maxSize: HOT_BYTES,
    sizeCalculation: ({ document }) => weightOf(document),
  });

  constructor(
    store: ReadModelStore,
    projection: Projection<ReadModelDocument, Event>,
    generation: Generation,
    checkpoint: Position | undefined,
  ) {
    this.#store = store;
    this.projection = projection;
    this.generation = generation;
    this.#checkpoint = checkpoint;
  }

  get checkpoint(): Position | undefined {
    return this.#checkpoint;
  }

  /**
   * Applies a batch, with one write for each document that it touches, and moves the checkpoint in the same write.
   * Gives what it changed.
   * @throws {ProjectionError} when the projection throws. @throws {StaleGenerationError} as the store does.
   */
  async take({ events, position }: ProjectionBatch<Event>): Promise<readonly DocumentChange[]> {
    if (!position || isAtOrBelow(position, this.#checkpoint)) return [];
    const touches = this.#touches(events);
    const before = await this.#documents(new Set(touches.flatMap(({ ids }) => ids)));
    const changes = this.#fold(touches, before);
    const applied = [...changes.values()];
    await this.#store.apply(this.generation, applied, position);
    for (const change of applied) this.#hot.set(change.id, change);
    this.#checkpoint = position;
    return applied;
  }

  #touches(events: readonly Event[]): { event: Event; ids: readonly string[] }[] {
    const touches: { event: Event; ids: readonly string[] }[] = [];
    for (const event of events) {
      const ids = this.#guarded(() => this.projection.keysOf(event));
      if (ids.length > 0) touches.push({ event, ids });
    }
    return touches;
  }

  /** The documents as they are before the batch: those at hand, the others from the store. */
  async #documents(ids: ReadonlySet<string>): Promise<Map<string, DocumentChange>> {
    const documents = new Map<string, DocumentChange>();
    const missing: string[] = [];
    for (const id of ids) {
      const hot = this.#hot.get(id);
      if (hot) documents.set(id, hot);
      else missing.push(id);
    }
    if (missing.length > 0)
      for (const [id, loaded] of await this.#store.load(this.generation, missing)) documents.set(id, loaded);
    return documents;
  }

  #fold(
    touches: readonly { event: Event; ids: readonly string[] }[],
    before: ReadonlyMap<string, DocumentChange>,
  ): Map<string, DocumentChange> {
    const changes = new Map<string, DocumentChange>();
    for (const { event, ids } of touches)
      for (const id of ids) {
        const current = changes.get(id) ?? before.get(id);
        if (isAtOrBelow(event.position, current?.position)) continue;
        const document = this.#guarded(() => this.projection.project(current?.document ?? null, event, id));
        // What never was needs no tombstone.
        if (document || current) changes.set(id, { id, position: event.position, document });
      }
    return changes;
  }

  #guarded<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw new ProjectionError(this.projection.name, error);
    }
  }
}

/** Where the fold that is furthest behind stands; undefined when it has not begun. */
export const lowestCheckpoint = (folds: readonly { checkpoint: Position | undefined }[]): Position | undefined => {
  let lowest = folds[0]?.checkpoint;
  for (const { checkpoint } of folds) {
    if (!checkpoint) return undefined;
    if (!lowest || comparePositions(checkpoint, lowest) < 0) lowest = checkpoint;
  }
  return lowest;
};

const isAtOrBelow = (position: Position, bound: Position | undefined): boolean =>
  bound !== undefined && comparePositions(position, bound) <= 0;
