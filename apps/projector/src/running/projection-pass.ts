import { isDeepStrictEqual } from "node:util";
import { comparePositions, type Position } from "@rubrica/event-store";
import type { UnreadableEvent } from "@rubrica/journal";
import { weightOf } from "@rubrica/json";
import type {
  DocumentChange,
  Generation,
  Part,
  Projection,
  ReadModelDocument,
  ReadModelStore,
  Rows,
  TableRows,
} from "@rubrica/read-models";
import { LRUCache } from "lru-cache";
import { SetAsideStreams } from "./set-aside-streams.ts";

/** Documents that each projection holds in memory, as parsed JSON: those that the next events are likely to touch. */
const HOT_DOCUMENTS = 2_000;
/** How much one projection keeps in memory, about: a document may have thousands of variables. */
const HOT_BYTES = 16_777_216;

/** Some events in order, and how far the subscription has come with them; like the event store's and the journal's. */
export interface ProjectionBatch<Event> {
  events: readonly Event[];
  /** Events among them that can't be read, in order: their streams are set aside. None when it is left out. */
  unreadable?: readonly UnreadableEvent[];
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

/** An event, readable or not, on its way into the documents that it touches. */
interface Touch {
  position: Position;
  ids: readonly string[];
  project(document: ReadModelDocument | null, id: string): ReadModelDocument | null;
}

/** One projection on its way through the events: folds them into one generation of its collection. */
export class ProjectionPass<Event extends { position: Position }> {
  readonly projection: Projection<ReadModelDocument, Event>;
  readonly generation: Generation;
  readonly #store: ReadModelStore;
  readonly #setAside: SetAsideStreams;
  #checkpoint: Position | undefined;
  /** A copy of what the store has. Kept only while every write succeeds. */
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
    this.#setAside = new SetAsideStreams((ids) => store.load(generation, ids));
  }

  get checkpoint(): Position | undefined {
    return this.#checkpoint;
  }

  /**
   * What a batch brings to the documents; undefined when the checkpoint is already past it.
   * @throws {ProjectionError} when the projection throws. @throws {StaleGenerationError} as the store does.
   */
  async prepare(batch: ProjectionBatch<Event>): Promise<readonly DocumentChange[] | undefined> {
    const { position } = batch;
    if (!position || isAtOrBelow(position, this.#checkpoint)) return undefined;
    const { events, unreadable, changes } = await this.#setAside.take(batch.events, batch.unreadable ?? []);
    const touches = this.#touches(events, unreadable);
    const before = await this.#documents(new Set(touches.flatMap(({ ids }) => ids)));
    return [...this.#withAll(this.#fold(touches, before), before), ...changes];
  }

  /** Takes note that the store keeps the changes and the checkpoint. */
  kept(changes: readonly DocumentChange[], checkpoint: Position): void {
    for (const { id, position, document } of changes) this.#hot.set(id, { id, position, document });
    this.#checkpoint = checkpoint;
  }

  #touches(events: readonly Event[], unreadable: readonly UnreadableEvent[]): Touch[] {
    const { projection } = this;
    const { setAside } = projection;
    const touches: Touch[] = [];
    for (const event of events) {
      const ids = this.#guarded(() => projection.keysOf(event));
      const { position } = event;
      if (ids.length > 0)
        touches.push({ position, ids, project: (document, id) => projection.project(document, event, id) });
    }
    if (!setAside || unreadable.length === 0) return touches;
    for (const event of unreadable) {
      const ids = this.#guarded(() => setAside.keysOf(event));
      const { position } = event;
      touches.push({ position, ids, project: (document, id) => setAside.project(document, event, id) });
    }
    return touches.sort((a, b) => comparePositions(a.position, b.position));
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
    if (missing.length > 0 && !this.projection.fromLastEvent)
      for (const [id, loaded] of await this.#store.load(this.generation, missing)) documents.set(id, loaded);
    return documents;
  }

  #fold(touches: readonly Touch[], before: ReadonlyMap<string, DocumentChange>): Map<string, DocumentChange> {
    const changes = new Map<string, DocumentChange>();
    for (const { position, ids, project } of touches)
      for (const id of ids) {
        const current = changes.get(id) ?? before.get(id);
        if (isAtOrBelow(position, current?.position)) continue;
        const document = this.#guarded(() => project(current?.document ?? null, id));
        if (this.projection.sparse && document === current?.document) continue;
        // A document that never was stored needs no tombstone.
        if (document || current) changes.set(id, { id, position, document });
      }
    return changes;
  }

  /** The changes, each with those of its parts that it changes, and its rows. */
  #withAll(
    changes: ReadonlyMap<string, DocumentChange>,
    before: ReadonlyMap<string, DocumentChange>,
  ): readonly DocumentChange[] {
    if (!this.projection.partsOf && !this.projection.rowsOf) return [...changes.values()];
    return [...changes.values()].map(({ id, position, document }) => {
      const old = before.get(id);
      const parts = changedParts(this.#partsOf(old?.document), this.#partsOf(document));
      const rows = tableRows(this.#rowsOf(old?.document), this.#rowsOf(document));
      const change = { id, position, document, before: old?.position ?? null };
      return { ...change, ...(parts.length > 0 ? { parts } : {}), ...(rows.length > 0 ? { rows } : {}) };
    });
  }

  #rowsOf(document: ReadModelDocument | null | undefined): Rows {
    return (document && this.#guarded(() => this.projection.rowsOf?.(document))) || {};
  }

  #partsOf(document: ReadModelDocument | null | undefined): ReadonlyMap<string, ReadModelDocument> {
    const parts = document ? this.#guarded(() => this.projection.partsOf?.(document)) : undefined;
    return new Map(parts?.map((part) => [part.id, part.document]));
  }

  #guarded<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw new ProjectionError(this.projection.name, error);
    }
  }
}

const changedParts = (
  before: ReadonlyMap<string, ReadModelDocument>,
  after: ReadonlyMap<string, ReadModelDocument>,
): Part[] => [
  ...[...after].flatMap(([id, document]) => (isDeepStrictEqual(document, before.get(id)) ? [] : [{ id, document }])),
  ...[...before.keys()].flatMap((id) => (after.has(id) ? [] : [{ id, document: null }])),
];

const tableRows = (before: Rows, after: Rows): TableRows[] =>
  Object.entries(after).map(([table, rows]) => ({
    table,
    rows,
    changed: rows.flatMap((row, index) => (isDeepStrictEqual(row, before[table]?.[index]) ? [] : [index])),
  }));

const isAtOrBelow = (position: Position, bound: Position | undefined): boolean =>
  bound !== undefined && comparePositions(position, bound) <= 0;
