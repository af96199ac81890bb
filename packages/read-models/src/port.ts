import type { Position } from "@rubrica/event-store";

/** A JSON document of a collection. */
export type ReadModelDocument = Record<string, unknown>;

/** A document as it is kept: with the position of the last event that was applied to it. */
export interface StoredDocument<D extends ReadModelDocument = ReadModelDocument> {
  id: string;
  position: Position;
  document: D;
}

/** What a batch of events brought a document to; `null` removes it (its position stays, so that no replay revives it). */
export interface DocumentChange {
  id: string;
  position: Position;
  document: ReadModelDocument | null;
}

/** A field of the documents that is looked up by: a dotted path to a string, or to an array of strings (each is indexed). */
export interface IndexDefinition {
  field: string;
}

/** A version of a collection: built beside the live one, then swapped in. */
export interface Generation {
  collection: string;
  number: number;
}

/**
 * Where read models are kept. Everything in it can be deleted and rebuilt from the events.
 * A guard by position makes every write safe to repeat: a change at or below what a document has is passed over.
 */
export interface ReadModelStore {
  /**
   * The generation that is read, made at its first use. When its indexes are not the ones asked for, a new, empty one
   * takes its place: it would not answer lookups.
   */
  liveGeneration(collection: string, indexes: readonly IndexDefinition[]): Promise<Generation>;
  /** A new, empty generation beside the live one. Another that was being built is dropped. */
  newGeneration(collection: string, indexes: readonly IndexDefinition[]): Promise<Generation>;
  /**
   * Makes the generation the live one and drops the others, at once for every reader.
   * While it has not come as far as the live one, nothing changes and the answer is false: readers never go back.
   * @throws {StaleGenerationError} when it was dropped.
   */
  swapIn(generation: Generation): Promise<boolean>;

  /** The documents with these ids (position included, also of removed ones with `document: null`), for folding the next events. @throws {StaleGenerationError} */
  load(generation: Generation, ids: readonly string[]): Promise<ReadonlyMap<string, DocumentChange>>;
  /** Applies the changes, then moves the generation's checkpoint. @throws {StaleGenerationError} when it was dropped. */
  apply(generation: Generation, changes: readonly DocumentChange[], checkpoint: Position): Promise<void>;
  /** Up to where the generation has come. @throws {StaleGenerationError} when it was dropped. */
  checkpoint(generation: Generation): Promise<Position | undefined>;

  /** A document of the live generation. */
  get<D extends ReadModelDocument>(collection: string, id: string): Promise<StoredDocument<D> | undefined>;
  /**
   * Documents of the live generation whose indexed `field` is `value`, newest position first, at most `limit`.
   * @throws {Error} when the field is not indexed.
   */
  findBy<D extends ReadModelDocument>(
    collection: string,
    field: string,
    value: string,
    limit: number,
  ): Promise<StoredDocument<D>[]>;
  /**
   * Documents of the live generation whose indexed `field` is a string at most `value`, in its order (that of the
   * UTF-8 bytes), at most `limit`. Arrays are passed over.
   * @throws {Error} when the field is not indexed.
   */
  findUpTo<D extends ReadModelDocument>(
    collection: string,
    field: string,
    value: string,
    limit: number,
  ): Promise<StoredDocument<D>[]>;
  close(): Promise<void>;
}

/** The generation was swapped out while it was being written: load the live one and go on from its checkpoint. */
export class StaleGenerationError extends Error {
  constructor(generation: Generation) {
    super(`generation ${generation.number} of ${generation.collection} is no longer there`);
    this.name = "StaleGenerationError";
  }
}
