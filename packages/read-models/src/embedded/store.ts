import type { DatabaseSync } from "node:sqlite";
import { comparePositions, type Position } from "@rubrica/event-store";
import {
  type DocumentChange,
  type Generation,
  type IndexDefinition,
  type ReadModelDocument,
  type ReadModelStore,
  StaleGenerationError,
  type StoredDocument,
} from "../port.ts";
import { inTransaction, noticingDamage, openDatabase } from "./database.ts";
import { entriesOf, type LookupEntry, positionFromBytes, positionToBytes } from "./rows.ts";
import { prepareStatements } from "./statements.ts";

/** How many documents of a dropped generation are removed in one transaction: some milliseconds of work. */
const SWEPT_AT_ONCE = 500;

/** What one call of `apply` is to write. */
interface Application {
  generation: Generation;
  changes: readonly DocumentChange[];
  checkpoint: Position;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/**
 * Read models in an SQLite file (`path`, or ":memory:"). The file is disposable: when it is damaged or has another
 * schema, it is made anew at opening, empty. Several processes may use it at once, each with a store of its own.
 * @param options.onReplaced is told the path when the file was damaged, and made anew.
 * @throws {StoreFileError} when the file can be neither opened nor replaced.
 */
export const openEmbeddedReadModelStore = ({
  path,
  onReplaced = () => {},
}: {
  path: string;
  onReplaced?: (path: string) => void;
}): ReadModelStore => new EmbeddedReadModelStore(path, onReplaced);

class EmbeddedReadModelStore implements ReadModelStore {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareStatements>;
  #waiting: Application[] = [];

  constructor(path: string, onReplaced: (path: string) => void) {
    this.#path = path;
    this.#database = openDatabase(path, onReplaced);
    this.#statements = noticingDamage(path, () => prepareStatements(this.#database));
  }

  async liveGeneration(collection: string, indexes: readonly IndexDefinition[]): Promise<Generation> {
    const wanted = JSON.stringify(indexes);
    const generation = this.#write(() => {
      const live = this.#statements.live.get(collection);
      if (live?.indexes === wanted) return { collection, number: live.number as number };
      this.#drop(collection, 1);
      return this.#make(collection, wanted, 1);
    });
    await this.#sweep();
    return generation;
  }

  async newGeneration(collection: string, indexes: readonly IndexDefinition[]): Promise<Generation> {
    const generation = this.#write(() => {
      this.#drop(collection, 0);
      return this.#make(collection, JSON.stringify(indexes), 0);
    });
    await this.#sweep();
    return generation;
  }

  async swapIn(generation: Generation): Promise<boolean> {
    const swapped = this.#write(() => {
      const { live, checkpoint } = this.#generation(generation);
      if (live) return true;
      const liveCheckpoint = this.#statements.live.get(generation.collection)?.checkpoint;
      if (liveCheckpoint && (!checkpoint || isBefore(checkpoint, positionFromBytes(liveCheckpoint as Uint8Array))))
        return false;
      // There is no third one to drop: beside the live one only one is ever being built.
      this.#drop(generation.collection, 1);
      this.#statements.makeLive.run(generation.number);
      return true;
    });
    await this.#sweep();
    return swapped;
  }

  async load(generation: Generation, ids: readonly string[]): Promise<ReadonlyMap<string, DocumentChange>> {
    return this.#noticing(() => {
      const rows = this.#statements.load.all(generation.number, JSON.stringify(ids));
      // Looked at last: what was read of a generation that is there now was read of it whole.
      this.#generation(generation);
      return new Map(
        rows.map((row) => [
          row.id as string,
          { ...storedOf(row), document: row.document === null ? null : JSON.parse(row.document as string) },
        ]),
      );
    });
  }

  apply(generation: Generation, changes: readonly DocumentChange[], checkpoint: Position): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ generation, changes, checkpoint, resolve, reject });
      // Runs when all that can go on at once has: the projections of a batch of events share a transaction.
      if (this.#waiting.length === 1) process.nextTick(() => this.#applyWaiting());
    });
  }

  async checkpoint(generation: Generation): Promise<Position | undefined> {
    return this.#noticing(() => this.#generation(generation).checkpoint);
  }

  async get<D extends ReadModelDocument>(collection: string, id: string): Promise<StoredDocument<D> | undefined> {
    return this.#noticing(() => {
      const row = this.#statements.get.get(collection, id);
      return row && documentOf<D>(row);
    });
  }

  async findBy<D extends ReadModelDocument>(
    collection: string,
    field: string,
    value: string,
    limit: number,
  ): Promise<StoredDocument<D>[]> {
    return this.#find<D>("findBy", collection, field, value, limit);
  }

  async findUpTo<D extends ReadModelDocument>(
    collection: string,
    field: string,
    value: string,
    limit: number,
  ): Promise<StoredDocument<D>[]> {
    return this.#find<D>("findUpTo", collection, field, value, limit);
  }

  async close(): Promise<void> {
    if (!this.#database.isOpen) return;
    this.#applyWaiting();
    this.#database.close();
  }

  /** Applies what waits in one transaction; one that fails leaves the others as they are. */
  #applyWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    try {
      const failures = this.#write(() => waiting.map((application) => this.#tryToApply(application)));
      for (const [index, { resolve, reject }] of waiting.entries())
        if (failures[index] === undefined) resolve();
        else reject(failures[index]);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  /** Why it failed and wrote nothing; undefined when it did not fail. */
  #tryToApply({ generation, changes, checkpoint }: Application): unknown {
    this.#statements.begin.run();
    try {
      const { indexes } = this.#generation(generation);
      for (const change of changes) this.#applyOne(generation.number, indexes, change);
      this.#statements.moveCheckpoint.run(positionToBytes(checkpoint), generation.number);
      this.#statements.end.run();
      return undefined;
    } catch (error) {
      this.#statements.undo.run();
      this.#statements.end.run();
      return error;
    }
  }

  #find<D extends ReadModelDocument>(
    by: "findBy" | "findUpTo",
    collection: string,
    field: string,
    value: string,
    limit: number,
  ): StoredDocument<D>[] {
    return this.#noticing(() => {
      const live = this.#statements.live.get(collection);
      if (!live) return [];
      if (!indexesOf(live.indexes).some((index) => index.field === field))
        throw new Error(`${field} of ${collection} is not indexed`);
      return this.#statements[by].all(collection, field, value, limit).map((row) => documentOf<D>(row));
    });
  }

  #applyOne(generation: number, indexes: readonly IndexDefinition[], { id, position, document }: DocumentChange): void {
    const old = this.#statements.find.get(generation, id);
    if (old && comparePositions(position, positionFromBytes(old.position as Uint8Array)) <= 0) return;
    const bytes = positionToBytes(position);
    const entries = entriesOf(document, indexes);
    const columns = [bytes, document && JSON.stringify(document), JSON.stringify(entries)] as const;
    let row = old?.row as number | bigint | undefined;
    if (old && row !== undefined) {
      for (const [field, value] of JSON.parse(old.entries as string) as LookupEntry[])
        this.#statements.removeLookup.run(generation, field, value, old.position as Uint8Array, row);
      this.#statements.update.run(...columns, row);
    } else row = this.#statements.insert.run(generation, id, ...columns).lastInsertRowid;
    for (const [field, value, plain] of entries)
      this.#statements.addLookup.run(generation, field, value, bytes, row, plain);
  }

  #generation({ collection, number }: Generation) {
    const row = this.#statements.generation.get(number);
    if (!row) throw new StaleGenerationError({ collection, number });
    return {
      live: row.live === 1,
      indexes: indexesOf(row.indexes),
      checkpoint: row.checkpoint === null ? undefined : positionFromBytes(row.checkpoint as Uint8Array),
    };
  }

  #make(collection: string, indexes: string, live: 0 | 1): Generation {
    const { lastInsertRowid } = this.#statements.make.run(collection, live, indexes);
    return { collection, number: Number(lastInsertRowid) };
  }

  /** Drops the collection's live generation (1) or the others (0): gone for readers, its rows are swept later. */
  #drop(collection: string, live: 0 | 1): void {
    this.#statements.markDropped.run(collection, live);
    this.#statements.drop.run(collection, live);
  }

  /** Removes the rows of dropped generations, little by little so that others get on with their work. */
  async #sweep(): Promise<void> {
    while (this.#database.isOpen) {
      const number = this.#noticing(() => this.#statements.anyDropped.get()?.number as number | undefined);
      if (number === undefined) return;
      this.#write(() => {
        const { changes } = this.#statements.sweepDocuments.run(number, SWEPT_AT_ONCE);
        const { changes: lookups } = this.#statements.sweepLookups.run(number, SWEPT_AT_ONCE);
        if (changes === 0 && lookups === 0) this.#statements.forgetDropped.run(number);
      });
      await new Promise(setImmediate);
    }
  }

  #noticing<T>(operation: () => T): T {
    return noticingDamage(this.#path, operation);
  }

  #write<T>(operation: () => T): T {
    return this.#noticing(() => inTransaction(this.#database, operation));
  }
}

const isBefore = (one: Position, other: Position): boolean => comparePositions(one, other) < 0;

const indexesOf = (json: unknown): readonly IndexDefinition[] => JSON.parse(json as string) as IndexDefinition[];

const storedOf = (row: Record<string, unknown>) => ({
  id: row.id as string,
  position: positionFromBytes(row.position as Uint8Array),
});

const documentOf = <D extends ReadModelDocument>(row: Record<string, unknown>): StoredDocument<D> => ({
  ...storedOf(row),
  document: JSON.parse(row.document as string) as D,
});
