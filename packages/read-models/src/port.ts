import type { Position } from "@rubrica/event-store";
import type { Row, Table } from "./analytics/field.ts";
import type { FunnelGroup, FunnelQuestion } from "./analytics/funnel.ts";

/** A JSON document of a collection. */
export type ReadModelDocument = Record<string, unknown>;

/** A document as it is kept: with the position of the last event that was applied to it. */
export interface StoredDocument<D extends ReadModelDocument = ReadModelDocument> {
  id: string;
  position: Position;
  document: D;
}

/** A record of its own that follows from a document, as it is now; `null` removes it. No document has the same id. */
export interface Part {
  id: string;
  document: ReadModelDocument | null;
}

/** A document's rows in one of its collection's tables. */
export interface TableRows {
  table: string;
  /** All of them, in order; fewer than before only where the document goes. */
  rows: readonly Row[];
  /** Which of them are new or others than before. */
  changed: readonly number[];
}

/** What a batch of events brought a document to; `null` removes it (its position stays, so that no replay revives it). */
export interface DocumentChange {
  id: string;
  position: Position;
  document: ReadModelDocument | null;
  /** Those of its parts that changed: written before it, and only when it is. */
  parts?: readonly Part[];
  /** Its rows in all of the collection's tables: written with it, and only when it is. */
  rows?: readonly TableRows[];
  /** Where the document was that its parts and rows changed from, null when there was none: where it is elsewhere, they may be others. */
  before?: Position | null;
}

/** Strings between two, in the order of their UTF-8 bytes. */
export interface Range {
  /** The string before the first one; the range starts with the first that there is when it is left out. */
  after?: string | undefined;
  /** The last one. */
  upTo: string;
  /** How many are found at most. */
  limit: number;
}

/** A field of documents and parts that is looked up by: a dotted path to a string. */
export interface IndexDefinition {
  field: string;
}

declare const documentType: unique symbol;

/** What a collection is addressed by; its projection is one. Each version is a collection of its own, beside the others. */
export interface Collection<D extends ReadModelDocument = ReadModelDocument> {
  readonly name: string;
  /** Raised with every change of what the documents hold or are indexed by. */
  readonly version: number;
  readonly indexes: readonly IndexDefinition[];
  /** What analysts ask of it: kept as typed fields beside the documents, and found under the tables' names. */
  readonly tables?: readonly Table[];
  /** Never there: what the documents are, for the type checker. */
  readonly [documentType]?: D;
}

/** A filling of a collection: a rebuild fills another beside the live one, then swaps it in. */
export interface Generation {
  collection: string;
  version: number;
  number: number;
}

/** What a batch of events brought to one generation. */
export interface GenerationChanges {
  generation: Generation;
  changes: readonly DocumentChange[];
}

/**
 * Where read models are kept. Everything in it can be deleted and rebuilt from the events.
 * Documents and checkpoints only rise: a change at or below what a document has, and a checkpoint at or below the one
 * that is kept, are passed over. So every write may be repeated, late, and by several processes at once.
 * Of what is written at once a crash may leave some: never a checkpoint without the changes before it, never a document
 * without its parts.
 */
export interface ReadModelStore {
  /**
   * The generation that is read, made at its first use, empty.
   * @throws {IndexesChangedError} when it was made with other indexes or tables.
   */
  liveGeneration(collection: Collection): Promise<Generation>;
  /** A new, empty generation beside the live one. Another that was being built of this version is dropped. */
  newGeneration(collection: Collection): Promise<Generation>;
  /**
   * Makes the generation the live one of its version and drops the others of it, at once for every reader.
   * While it has not come as far as the live one, nothing changes and the answer is false: readers never go back.
   * @throws {StaleGenerationError} when it was dropped.
   */
  swapIn(generation: Generation): Promise<boolean>;
  /** Drops what lower versions of the collection have; higher ones stay as they are. */
  dropLowerVersions(collection: Collection): Promise<void>;
  /** Whether a lower version of the collection is there. */
  hasLowerVersions(collection: Collection): Promise<boolean>;

  /** The documents with these ids (position included, also of removed ones with `document: null`), for folding the next events. @throws {StaleGenerationError} */
  load(generation: Generation, ids: readonly string[]): Promise<ReadonlyMap<string, DocumentChange>>;
  /**
   * Applies a batch of events: the changes of each generation, then the checkpoint of all whose changes are kept. None
   * keeps another back: what became of each is answered in the same order, rejected with a {@link StaleGenerationError}
   * where it was dropped, with an {@link OvertakenError} where another process wrote.
   * @throws when nothing is known to be kept.
   */
  apply(batch: readonly GenerationChanges[], checkpoint: Position): Promise<readonly PromiseSettledResult<void>[]>;
  /** Up to where the generation has come. @throws {StaleGenerationError} when it was dropped. */
  checkpoint(generation: Generation): Promise<Position | undefined>;
  /** Up to where the live generation has come; undefined when it has not begun. One small read. */
  checkpointOf(collection: Collection): Promise<Position | undefined>;

  /** A document of the live generation. */
  get<D extends ReadModelDocument>(collection: Collection<D>, id: string): Promise<StoredDocument<D> | undefined>;
  /**
   * Documents and parts of the live generation whose indexed `field` is a string in the range, in its order. Of equal
   * strings that the limit parts, the later ones are never found by going on after them: to be paged through, they are
   * to be unique. A part has its document's position.
   * @throws {Error} when the field is not indexed.
   */
  findRange<D extends ReadModelDocument = ReadModelDocument>(
    collection: Collection,
    field: string,
    range: Range,
  ): Promise<StoredDocument<D>[]>;
  /**
   * All documents of the live generation, of a collection that has no parts, some at a time, by one cursor. Embedded
   * they are as they were at one moment; else each is as it is when the cursor comes to it.
   * @throws {StaleGenerationError} where another generation took its place before the end.
   */
  scan<D extends ReadModelDocument>(collection: Collection<D>): AsyncIterable<readonly StoredDocument<D>[]>;
  /** About how many documents a scan will find: those that are gone may be among them. */
  estimateCount(collection: Collection): Promise<number>;
  /**
   * How far signers came, counted from the rows of the table `signers` of the live generation, in the order of the groups.
   * Blocks no event loop where another thread or the server can count.
   */
  countFunnel(collection: Collection, question: FunnelQuestion): Promise<FunnelGroup[]>;
  /**
   * Has nothing that was replaced or removed be left in the store's own files; a server's are its own matter.
   * @throws {Error} while somebody reads what is to go: it is to be done again.
   */
  wipe(): Promise<void>;
  close(): Promise<void>;
}

/** The generation was swapped out while it was being written: load the live one and go on from its checkpoint. */
export class StaleGenerationError extends Error {
  constructor({ collection, version, number }: Generation) {
    super(`generation ${number} of ${collection}, version ${version}, is no longer there`);
    this.name = "StaleGenerationError";
  }
}

/** A document is not where it was when its change was made: load it and go on from the generation's checkpoint. */
export class OvertakenError extends Error {
  constructor({ collection }: Generation) {
    super(`another process wrote a document of ${collection} meanwhile`);
    this.name = "OvertakenError";
  }
}

/** A collection's indexes or tables are not those that its version was made with: what is kept would not be found by them. */
export class IndexesChangedError extends Error {
  constructor({ name, version }: Collection) {
    super(
      `the indexes or tables of ${name} are not those that its version ${version} was made with: raise the version`,
    );
    this.name = "IndexesChangedError";
  }
}
