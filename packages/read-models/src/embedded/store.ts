import type { DatabaseSync } from "node:sqlite";
import { comparePositions, type Position } from "@rubrica/event-store";
import { IN_MEMORY } from "@rubrica/storage/sqlite";
import { type TableLayout, tableLayoutOf } from "../analytics/field.ts";
import type { FunnelGroup, FunnelQuestion } from "../analytics/funnel.ts";
import { entriesOf, type LookupEntry } from "../entries.ts";
import {
  type Collection,
  type DocumentChange,
  type Generation,
  type GenerationChanges,
  type IndexDefinition,
  IndexesChangedError,
  OvertakenError,
  type Part,
  type Range,
  type ReadModelDocument,
  type ReadModelStore,
  StaleGenerationError,
  type StoredDocument,
} from "../port.ts";
import { inTransaction, noticingDamage, openDatabase } from "./database.ts";
import { countFunnelIn } from "./funnel.ts";
import { FunnelThread } from "./funnel-thread.ts";
import { documentOf, positionFromBytes, positionToBytes, storedOf } from "./rows.ts";
import { scanned } from "./scan.ts";
import { prepareStatements } from "./statements.ts";
import { Tables } from "./tables.ts";

/** How many documents of a dropped generation are removed in one transaction: some milliseconds of work. */
const SWEPT_AT_ONCE = 500;

/** What a generation was made with. */
interface Layout {
  indexes: readonly IndexDefinition[];
  tables: readonly TableLayout[];
}

/**
 * Read models in an SQLite file (`path`, or ":memory:"). The file is disposable: when it is damaged or has an older
 * schema, it is made anew at opening, empty. Several processes may use it at once, each with a store of its own.
 * @param options.onReplaced is told the path when the file was damaged, and made anew.
 * @throws {StoreFileError} when the file can be neither opened nor replaced, or is a newer service's.
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
  readonly #tables: Tables;
  /** Nobody else sees what is in memory. */
  readonly #funnelThread: FunnelThread | undefined;
  /** Of generations that were there: they never change, and no number is given twice. */
  readonly #layouts = new Map<number, Layout>();

  constructor(path: string, onReplaced: (path: string) => void) {
    this.#path = path;
    this.#database = openDatabase(path, onReplaced);
    this.#statements = noticingDamage(path, () => prepareStatements(this.#database));
    this.#tables = new Tables(this.#database);
    this.#funnelThread = path === IN_MEMORY ? undefined : new FunnelThread(path);
  }

  async liveGeneration(collection: Collection): Promise<Generation> {
    const { name, version } = collection;
    const { indexes, tables } = layoutOf(collection);
    const generation = this.#write(() => {
      const live = this.#statements.live.get(name, version);
      if (live && (live.indexes !== JSON.stringify(indexes) || live.tables !== JSON.stringify(tables)))
        throw new IndexesChangedError(collection);
      const made = live ? { collection: name, version, number: live.number as number } : this.#make(collection, 1);
      if (tables.length > 0 && !this.#statements.anyViewed.get(name)) this.#view(made, tables);
      return made;
    });
    await this.#sweep();
    return generation;
  }

  async newGeneration(collection: Collection): Promise<Generation> {
    const generation = this.#write(() => {
      this.#drop(collection.name, collection.version, 0);
      return this.#make(collection, 0);
    });
    await this.#sweep();
    return generation;
  }

  async swapIn(generation: Generation): Promise<boolean> {
    const { collection, version, number } = generation;
    const swapped = this.#write(() => {
      const { live, tables, checkpoint } = this.#generation(generation);
      if (live) return true;
      const { checkpoint: liveCheckpoint, viewed } = this.#statements.live.get(collection, version) ?? {};
      if (liveCheckpoint && (!checkpoint || isBefore(checkpoint, positionFromBytes(liveCheckpoint as Uint8Array))))
        return false;
      // There is no third one to drop: beside the live one only one is ever being built.
      this.#drop(collection, version, 1);
      this.#statements.makeLive.run(number);
      if (viewed === 1) this.#view(generation, tables);
      return true;
    });
    await this.#sweep();
    return swapped;
  }

  async dropLowerVersions({ name, version }: Collection): Promise<void> {
    this.#write(() => {
      this.#markDropped(this.#statements.dropLower.all(name, version));
      const live = this.#statements.live.get(name, version);
      const tables = tablesOf(live);
      // It has caught up.
      if (live && tables.length > 0 && !this.#statements.anyViewed.get(name))
        this.#view({ collection: name, version, number: live.number as number }, tables);
    });
    await this.#sweep();
  }

  async hasLowerVersions({ name, version }: Collection): Promise<boolean> {
    return this.#noticing(() => this.#statements.anyLower.get(name, version) !== undefined);
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

  async apply(
    batch: readonly GenerationChanges[],
    checkpoint: Position,
  ): Promise<readonly PromiseSettledResult<void>[]> {
    return this.#write(() => {
      const layouts = this.#layoutsOf(batch);
      const outcomes = batch.map((one) => this.#tryToApply(one, layouts.get(one.generation.number)));
      const kept = batch.filter((_, index) => outcomes[index]?.status === "fulfilled");
      const numbers = JSON.stringify(kept.map(({ generation }) => generation.number));
      this.#statements.moveCheckpoint.run({ checkpoint: positionToBytes(checkpoint), numbers });
      return outcomes;
    });
  }

  async checkpoint(generation: Generation): Promise<Position | undefined> {
    return this.#noticing(() => this.#generation(generation).checkpoint);
  }

  async checkpointOf({ name, version }: Collection): Promise<Position | undefined> {
    return this.#noticing(() => {
      const checkpoint = this.#statements.live.get(name, version)?.checkpoint as Uint8Array | null | undefined;
      return checkpoint ? positionFromBytes(checkpoint) : undefined;
    });
  }

  async get<D extends ReadModelDocument>(
    { name, version }: Collection<D>,
    id: string,
  ): Promise<StoredDocument<D> | undefined> {
    return this.#noticing(() => {
      const row = this.#statements.get.get(name, version, id);
      return row && documentOf<D>(row);
    });
  }

  async findRange<D extends ReadModelDocument>(
    { name, version, indexes }: Collection,
    field: string,
    { after, upTo, limit }: Range,
  ): Promise<StoredDocument<D>[]> {
    if (!indexes.some((index) => index.field === field)) throw new Error(`${field} of ${name} is not indexed`);
    const { findFirst, findRange } = this.#statements;
    return this.#noticing(() => {
      const rows =
        after === undefined
          ? findFirst.all(name, version, field, upTo, limit)
          : findRange.all(name, version, field, after, upTo, limit);
      return rows.map((row) => documentOf<D>(row));
    });
  }

  scan<D extends ReadModelDocument>({ name, version }: Collection<D>): AsyncIterable<readonly StoredDocument<D>[]> {
    return scanned(this.#path, this.#database, [name, version]) as AsyncIterable<readonly StoredDocument<D>[]>;
  }

  async estimateCount({ name, version }: Collection): Promise<number> {
    return this.#noticing(() => Number(this.#statements.count.get(name, version)?.count));
  }

  async countFunnel({ name, version }: Collection, question: FunnelQuestion): Promise<FunnelGroup[]> {
    if (this.#funnelThread) return this.#funnelThread.count([name, version], question);
    return countFunnelIn(this.#database, [name, version], question);
  }

  async close(): Promise<void> {
    await this.#funnelThread?.close();
    if (this.#database.isOpen) this.#database.close();
  }

  /** What became of one generation's changes: when one of them fails, none is written. */
  #tryToApply({ generation, changes }: GenerationChanges, layout: Layout | undefined): PromiseSettledResult<void> {
    if (!layout) return { status: "rejected", reason: new StaleGenerationError(generation) };
    // Of most events most collections keep nothing.
    if (changes.length === 0) return { status: "fulfilled", value: undefined };
    this.#statements.begin.run();
    try {
      for (const change of changes) this.#applyOne(generation, layout, change);
      this.#statements.end.run();
      return { status: "fulfilled", value: undefined };
    } catch (reason) {
      // Some errors end the whole transaction, as a full disk does: then nothing is kept.
      if (!this.#database.isTransaction) throw reason;
      this.#statements.undo.run();
      this.#statements.end.run();
      return { status: "rejected", reason };
    }
  }

  #applyOne(generation: Generation, { indexes, tables }: Layout, change: DocumentChange): void {
    const { id, position, document, parts, rows, before } = change;
    const { number } = generation;
    const old = this.#statements.find.get(number, id);
    const oldPosition = old && positionFromBytes(old.position as Uint8Array);
    if (oldPosition && comparePositions(position, oldPosition) <= 0) return;
    if (before !== undefined && before?.commit !== oldPosition?.commit) throw new OvertakenError(generation);
    const bytes = positionToBytes(position);
    for (const part of parts ?? []) this.#writePart(number, indexes, part, bytes);
    const record = this.#writeRecord(number, old, { id, position: bytes, document }, entriesOf(document, indexes));
    if (rows) this.#tables.write(number, tables, record, rows);
    if (document === null) this.#tables.remove(number, tables, record);
  }

  #writePart(generation: number, indexes: readonly IndexDefinition[], { id, document }: Part, position: Buffer): void {
    const old = this.#statements.find.get(generation, id);
    if (document) this.#writeRecord(generation, old, { id, position, document }, entriesOf(document, indexes));
    else if (old) {
      for (const entry of entriesIn(old)) this.#statements.removeLookup.run(generation, ...entry, old.row as number);
      this.#statements.remove.run(old.row as number);
    }
  }

  #writeRecord(
    generation: number,
    old: Record<string, unknown> | undefined,
    { id, position, document }: { id: string; position: Buffer; document: ReadModelDocument | null },
    entries: readonly LookupEntry[],
  ): number | bigint {
    const columns = [position, document && JSON.stringify(document), JSON.stringify(entries)] as const;
    const before = old ? entriesIn(old) : [];
    let row = old?.row as number | bigint | undefined;
    if (row === undefined) row = this.#statements.insert.run(generation, id, ...columns).lastInsertRowid;
    else this.#statements.update.run(...columns, row);
    for (const entry of before)
      if (!hasEntry(entries, entry)) this.#statements.removeLookup.run(generation, ...entry, row);
    for (const entry of entries)
      if (!hasEntry(before, entry)) this.#statements.addLookup.run(generation, ...entry, row);
    return row;
  }

  /** How those generations of a batch are laid out that are there, by number. */
  #layoutsOf(batch: readonly GenerationChanges[]): ReadonlyMap<number, Layout> {
    const numbers = batch.map(({ generation }) => generation.number);
    const present = this.#statements.present.all(JSON.stringify(numbers)).map(({ number }) => Number(number));
    return new Map(present.map((number) => [number, this.#layoutOf(number)]));
  }

  #layoutOf(number: number): Layout {
    const known = this.#layouts.get(number);
    if (known) return known;
    const row = this.#statements.layout.get(number);
    const layout = { indexes: indexesOf(row?.indexes), tables: tablesOf(row) };
    this.#layouts.set(number, layout);
    return layout;
  }

  #view({ collection, number }: Generation, tables: readonly TableLayout[]): void {
    this.#statements.setViewed.run(number, collection);
    this.#tables.view(number, tables);
  }

  #generation(generation: Generation) {
    const row = this.#statements.generation.get(generation.number);
    if (!row) throw new StaleGenerationError(generation);
    return {
      live: row.live === 1,
      tables: tablesOf(row),
      checkpoint: row.checkpoint === null ? undefined : positionFromBytes(row.checkpoint as Uint8Array),
    };
  }

  #make(collection: Collection, live: 0 | 1): Generation {
    const { name, version } = collection;
    const { indexes, tables } = layoutOf(collection);
    const layout = [JSON.stringify(indexes), JSON.stringify(tables)] as const;
    const number = Number(this.#statements.make.run(name, version, live, ...layout).lastInsertRowid);
    this.#tables.make(number, tables);
    return { collection: name, version, number };
  }

  /** Drops a version's live generation (1) or the others (0): gone for readers, its rows are swept later. */
  #drop(collection: string, version: number, live: 0 | 1): void {
    this.#markDropped(this.#statements.drop.all(collection, version, live));
  }

  #markDropped(dropped: readonly Record<string, unknown>[]): void {
    for (const { number, tables } of dropped) this.#statements.markDropped.run(number as number, tables as string);
  }

  /** Removes the rows of dropped generations, little by little so that others get on with their work. */
  async #sweep(): Promise<void> {
    while (this.#database.isOpen) {
      const dropped = this.#noticing(() => this.#statements.anyDropped.get());
      if (dropped === undefined) return;
      const [number, tables] = [dropped.number as number, tablesOf(dropped)];
      this.#write(() => {
        // Another process may have done it meanwhile.
        if (this.#statements.anyDropped.get()?.number !== number) return;
        const { changes } = this.#statements.sweepDocuments.run(number, SWEPT_AT_ONCE);
        const { changes: lookups } = this.#statements.sweepLookups.run(number, SWEPT_AT_ONCE);
        if (this.#tables.sweep(number, tables, SWEPT_AT_ONCE) || changes !== 0 || lookups !== 0) return;
        this.#tables.drop(number, tables);
        this.#statements.forgetDropped.run(number);
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

const entriesIn = (row: Record<string, unknown>): LookupEntry[] => JSON.parse(row.entries as string) as LookupEntry[];

const hasEntry = (entries: readonly LookupEntry[], [field, value]: LookupEntry): boolean =>
  entries.some((entry) => entry[0] === field && entry[1] === value);

const layoutOf = ({ indexes, tables = [] }: Collection): Layout => ({ indexes, tables: tables.map(tableLayoutOf) });

const indexesOf = (json: unknown): readonly IndexDefinition[] => JSON.parse(json as string) as IndexDefinition[];

const tablesOf = (row: Record<string, unknown> | undefined): readonly TableLayout[] =>
  JSON.parse((row?.tables as string | undefined) ?? "[]") as TableLayout[];
