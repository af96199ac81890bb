import type { DatabaseSync } from "node:sqlite";
import type { Position } from "@rubrica/event-store";
import type { Clock } from "@rubrica/runtime";
import { emptyLog, IN_MEMORY } from "@rubrica/storage/sqlite";
import type { FunnelGroup, FunnelQuestion } from "../analytics/funnel.ts";
import {
  type Collection,
  type DocumentChange,
  type Generation,
  type GenerationChanges,
  type Range,
  type ReadModelDocument,
  type ReadModelStore,
  StaleGenerationError,
  type StoredDocument,
} from "../port.ts";
import { BUSY_TIMEOUT_MS, inTransaction, noticingDamage, openDatabase } from "./database.ts";
import { countFunnelIn } from "./funnel.ts";
import { FunnelThread } from "./funnel-thread.ts";
import { Generations, type Layout } from "./generations.ts";
import { KnownRecords, type RecordRow } from "./known-records.ts";
import { RecordWriter } from "./record-writer.ts";
import { documentOf, positionFromBytes, positionToBytes, storedOf } from "./rows.ts";
import { scanned } from "./scan.ts";
import { prepareStatements, type Statements } from "./statements.ts";
import { Tables } from "./tables.ts";

/**
 * Read models in an SQLite file (`path`, or ":memory:"). The file is disposable: when it is damaged or has an older
 * schema, it is made anew at opening, empty. Several processes may use it at once, each with a store of its own.
 * @param options.clock with one, documents are kept in memory: `get` may then miss for 250 ms what another process wrote.
 * @param options.onReplaced is told the path when the file was damaged, and made anew.
 * @throws {StoreFileError} when the file can be neither opened nor replaced, or is a newer service's.
 */
export const openEmbeddedReadModelStore = ({
  path,
  clock,
  onReplaced = () => {},
}: {
  path: string;
  clock?: Clock;
  onReplaced?: (path: string) => void;
}): ReadModelStore => new EmbeddedReadModelStore(path, clock, onReplaced);

const keyOf = ({ name, version }: { name: string; version: number }, id: string): string => `${name} ${version} ${id}`;

class EmbeddedReadModelStore implements ReadModelStore {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #generations: Generations;
  readonly #writer: RecordWriter;
  /** Nobody else sees what is in memory. */
  readonly #funnelThread: FunnelThread | undefined;
  readonly #known: KnownRecords | undefined;

  constructor(path: string, clock: Clock | undefined, onReplaced: (path: string) => void) {
    this.#path = path;
    this.#database = openDatabase(path, onReplaced);
    this.#statements = noticingDamage(path, () => prepareStatements(this.#database));
    const tables = new Tables(this.#database);
    this.#generations = new Generations(this.#statements, tables);
    this.#writer = new RecordWriter(this.#statements, tables);
    this.#funnelThread = path === IN_MEMORY ? undefined : new FunnelThread(path);
    this.#known = clock && new KnownRecords(this.#database, clock);
  }

  async liveGeneration(collection: Collection): Promise<Generation> {
    const generation = this.#write(() => this.#generations.live(collection));
    await this.#sweep();
    return generation;
  }

  async newGeneration(collection: Collection): Promise<Generation> {
    const generation = this.#write(() => this.#generations.build(collection));
    await this.#sweep();
    return generation;
  }

  async swapIn(generation: Generation): Promise<boolean> {
    const swapped = this.#write(() => this.#generations.swapIn(generation));
    this.#known?.evictAll();
    await this.#sweep();
    return swapped;
  }

  async dropLowerVersions(collection: Collection): Promise<void> {
    this.#write(() => this.#generations.dropLower(collection));
    this.#known?.evictAll();
    await this.#sweep();
  }

  async hasLowerVersions({ name, version }: Collection): Promise<boolean> {
    return this.#noticing(() => this.#statements.anyLower.get(name, version) !== undefined);
  }

  async load(generation: Generation, ids: readonly string[]): Promise<ReadonlyMap<string, DocumentChange>> {
    return this.#noticing(() => {
      const rows = this.#statements.load.all(generation.number, JSON.stringify(ids));
      // Checked last: a generation that still exists now existed during the whole read.
      this.#generations.get(generation);
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
    for (const { generation, changes } of batch)
      for (const { id, parts = [] } of changes)
        for (const written of [id, ...parts.map((part) => part.id)])
          this.#known?.evict(keyOf({ name: generation.collection, version: generation.version }, written));
    return this.#write(() => {
      const layouts = this.#generations.layoutsOf(batch.map(({ generation }) => generation));
      const outcomes = batch.map((one) => this.#tryToApply(one, layouts.get(one.generation.number)));
      const kept = batch.filter((_, index) => outcomes[index]?.status === "fulfilled");
      const numbers = JSON.stringify(kept.map(({ generation }) => generation.number));
      this.#statements.moveCheckpoint.run({ checkpoint: positionToBytes(checkpoint), numbers });
      return outcomes;
    });
  }

  async checkpoint(generation: Generation): Promise<Position | undefined> {
    return this.#noticing(() => this.#generations.get(generation).checkpoint);
  }

  async checkpointOf({ name, version }: Collection): Promise<Position | undefined> {
    return this.#noticing(() => {
      const checkpoint = this.#statements.live.get(name, version)?.checkpoint as Uint8Array | null | undefined;
      return checkpoint ? positionFromBytes(checkpoint) : undefined;
    });
  }

  async get<D extends ReadModelDocument>(
    collection: Collection<D>,
    id: string,
  ): Promise<StoredDocument<D> | undefined> {
    return this.#noticing(() => {
      const read = () => this.#statements.get.get(collection.name, collection.version, id) as RecordRow | undefined;
      const row = this.#known ? this.#known.of(keyOf(collection, id), read) : read();
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

  async wipe(): Promise<void> {
    this.#noticing(() => emptyLog(this.#database, BUSY_TIMEOUT_MS));
  }

  async close(): Promise<void> {
    await this.#funnelThread?.close();
    if (this.#database.isOpen) this.#database.close();
  }

  /** What became of one generation's changes: when one of them fails, none is written. */
  #tryToApply({ generation, changes }: GenerationChanges, layout: Layout | undefined): PromiseSettledResult<void> {
    if (!layout) return { status: "rejected", reason: new StaleGenerationError(generation) };
    // Most events change nothing in most collections.
    if (changes.length === 0) return { status: "fulfilled", value: undefined };
    this.#statements.begin.run();
    try {
      for (const change of changes) this.#writer.write(generation, layout, change);
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

  /** Removes the rows of dropped generations, little by little so that others get on with their work. */
  async #sweep(): Promise<void> {
    for (let swept = false; this.#database.isOpen; swept = true) {
      const dropped = this.#noticing(() => this.#generations.anyDropped());
      // Documents that were erased while another generation was built were wiped for the live one alone.
      if (dropped === undefined && swept) return this.wipe().catch(() => {});
      if (dropped === undefined) return;
      this.#write(() => this.#generations.sweepSome(dropped));
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
