import { type Position, parsePosition } from "@rubrica/event-store";
import type { Clock, Random } from "@rubrica/runtime";
import { isFerretDb, type Mongo } from "@rubrica/storage/mongodb";
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
import { countFunnelInServer } from "./funnel.ts";
import { countFunnelHere } from "./funnel-here.ts";
import { Generations, type Layout } from "./generations.ts";
import { readOne, readRange, scanAll } from "./read.ts";
import { type DocumentRecord, findDocuments, type Records } from "./records.ts";
import { Semaphore } from "./semaphore.ts";
import { type StoredVersion, StoredVersions } from "./stored-versions.ts";
import { Sweeper } from "./sweeper.ts";
import { mendViews } from "./views.ts";
import { OPERATIONS_AT_ONCE, writeChanges } from "./write.ts";

/** How often a read is made again whose generation was swapped out meanwhile. */
const READ_ATTEMPTS = 10;

/**
 * Read models in MongoDB: `readModels` says which generations there are, each of which is a collection `readModel.…`. There
 * are no transactions: what belongs together is one document. Several processes may write and read at once, each with a
 * store of its own.
 */
export const openMongoReadModelStore = async (options: MongoReadModelOptions): Promise<ReadModelStore> => {
  const store = new MongoReadModelStore(options, await isFerretDb(options.mongo.db));
  await store.tidy();
  return store;
};

export interface MongoReadModelOptions {
  mongo: Mongo;
  random: Random;
  clock: Pick<Clock, "now" | "wait">;
  /** How long a replaced generation's collection is kept, for readers that are in the middle of it. */
  keepReplacedMs?: number;
}

class MongoReadModelStore implements ReadModelStore {
  readonly #generations: Generations;
  readonly #random: Random;
  /** FerretDB holds a connection for each operation: all that are under way share one pool. */
  readonly #semaphore = new Semaphore(OPERATIONS_AT_ONCE);
  readonly #storedVersions = new StoredVersions();
  /** The layouts of generations that were seen, by number. They never change. */
  readonly #layouts = new Map<number, Layout>();
  /** The live ones, as they were seen last. */
  readonly #live = new Map<string, number>();

  readonly #isFerretDb: boolean;

  readonly #mongo: Mongo;
  readonly #sweeper: Sweeper;

  constructor(options: MongoReadModelOptions, ferretDb: boolean) {
    const { mongo, random } = options;
    this.#mongo = mongo;
    this.#isFerretDb = ferretDb;
    this.#generations = new Generations(mongo, random);
    this.#random = random;
    this.#sweeper = new Sweeper(options, () => this.#generations.left());
  }

  /** Mends what a process left that died before it was done. */
  async tidy(): Promise<void> {
    await this.#mendViews();
    await this.#sweeper.sweep();
  }

  async liveGeneration(collection: Collection): Promise<Generation> {
    const generation = await this.#generations.live(collection);
    if (collection.tables) await this.#mendViews();
    return generation;
  }

  async newGeneration(collection: Collection): Promise<Generation> {
    const generation = await this.#generations.build(collection);
    await this.#sweeper.sweep();
    return generation;
  }

  async swapIn(generation: Generation): Promise<boolean> {
    const swapped = await this.#generations.swapIn(generation);
    if (swapped) await this.tidy();
    return swapped;
  }

  async dropLowerVersions(collection: Collection): Promise<void> {
    await this.#generations.dropLower(collection);
    await this.tidy();
  }

  hasLowerVersions(collection: Collection): Promise<boolean> {
    return this.#generations.hasLower(collection);
  }

  async load(generation: Generation, ids: readonly string[]): Promise<ReadonlyMap<string, DocumentChange>> {
    const records = this.#generations.recordsOf(generation);
    const found = new Map((await findDocuments(records, ids)).map((record) => [record._id, record]));
    // Checked last: a generation that still exists now existed during the whole read.
    if (!(await this.#generations.present([generation])).has(generation.number))
      throw new StaleGenerationError(generation);
    for (const id of ids) this.#storedVersions.remember(generation, id, versionIn(found.get(id)));
    const changeOf = ({ _id: id, position, document }: DocumentRecord): DocumentChange => ({
      id,
      position: parsePosition(position),
      document: document === null ? null : JSON.parse(document),
    });
    return new Map([...found].map(([id, record]) => [id, changeOf(record)]));
  }

  async apply(
    batch: readonly GenerationChanges[],
    checkpoint: Position,
  ): Promise<readonly PromiseSettledResult<void>[]> {
    await this.#learnLayouts(batch.map(({ generation }) => generation));
    const outcomes = await Promise.allSettled(
      batch.map(async ({ generation, changes }) => {
        const layout = this.#layouts.get(generation.number);
        if (!layout) throw new StaleGenerationError(generation);
        const records = this.#generations.recordsOf(generation);
        const target = { records, generation, ...layout, random: this.#random, semaphore: this.#semaphore };
        if (changes.length > 0) await writeChanges({ ...target, storedVersions: this.#storedVersions }, changes);
      }),
    );
    const kept = batch.flatMap(({ generation }, index) =>
      outcomes[index]?.status === "fulfilled" ? [generation] : [],
    );
    if (kept.length === 0 || (await this.#generations.raise(kept, checkpoint)) === kept.length) return outcomes;
    // Fewer checkpoints rose than were asked to: some generations were as far already, or were dropped meanwhile. Then
    // the writes made the dropped ones' collections anew.
    const still = await this.#generations.present(kept);
    const gone = kept.filter(({ number }) => !still.has(number));
    for (const { number } of gone) this.#layouts.delete(number);
    if (gone.length > 0) await this.#sweeper.sweep();
    return outcomes.map((outcome, index) => {
      const generation = batch[index]?.generation;
      if (outcome.status === "rejected" || !generation || still.has(generation.number)) return outcome;
      return { status: "rejected", reason: new StaleGenerationError(generation) };
    });
  }

  checkpoint(generation: Generation): Promise<Position | undefined> {
    return this.#generations.checkpoint(generation);
  }

  checkpointOf(collection: Collection): Promise<Position | undefined> {
    return this.#generations.liveCheckpoint(collection);
  }

  async get<D extends ReadModelDocument>(
    collection: Collection<D>,
    id: string,
  ): Promise<StoredDocument<D> | undefined> {
    const found = await this.#reading(collection, (records) => readOne(records, id));
    return found as StoredDocument<D> | undefined;
  }

  async findRange<D extends ReadModelDocument>(
    collection: Collection,
    field: string,
    range: Range,
  ): Promise<StoredDocument<D>[]> {
    const { name, indexes } = collection;
    if (!indexes.some((index) => index.field === field)) throw new Error(`${field} of ${name} is not indexed`);
    const found = await this.#reading(collection, (records) => readRange(records, field, range));
    return (found ?? []) as StoredDocument<D>[];
  }

  async *scan<D extends ReadModelDocument>({ name, version }: Collection<D>) {
    const number = await this.#generations.liveNumber({ name, version, indexes: [] });
    if (number === undefined) return;
    const generation = { collection: name, version, number };
    for await (const some of scanAll(this.#generations.recordsOf(generation))) yield some as StoredDocument<D>[];
    if ((await this.#generations.liveNumber({ name, version, indexes: [] })) !== number)
      throw new StaleGenerationError(generation);
  }

  async estimateCount(collection: Collection): Promise<number> {
    return (await this.#reading(collection, (records) => records.estimatedDocumentCount())) ?? 0;
  }

  async countFunnel(collection: Collection, question: FunnelQuestion): Promise<FunnelGroup[]> {
    const count = this.#isFerretDb ? countFunnelHere : countFunnelInServer;
    return (await this.#reading(collection, (records) => count(records, question))) ?? [];
  }

  async wipe(): Promise<void> {}

  async close(): Promise<void> {
    this.#sweeper.close();
  }

  /** FerretDB has no views. */
  async #mendViews(): Promise<void> {
    if (!this.#isFerretDb) await mendViews(this.#mongo.db, () => this.#generations.viewed());
  }

  async #learnLayouts(generations: readonly Generation[]): Promise<void> {
    const unknown = generations.filter(({ number }) => !this.#layouts.has(number));
    if (unknown.length === 0) return;
    for (const [number, layout] of await this.#generations.present(unknown)) this.#layouts.set(number, layout);
  }

  /**
   * Reads the live generation; undefined when there is none. Which one is live is checked again afterwards: one that
   * still is was so during the whole read.
   */
  async #reading<T>(collection: Collection, read: (records: Records) => Promise<T>): Promise<T | undefined> {
    const { name, version } = collection;
    const key = `${name}/${version}`;
    let number = this.#live.get(key) ?? (await this.#generations.liveNumber(collection));
    for (let attempt = 1; number !== undefined && attempt <= READ_ATTEMPTS; attempt++) {
      const [outcome] = await Promise.allSettled([
        read(this.#generations.recordsOf({ collection: name, version, number })),
      ]);
      const live = await this.#generations.liveNumber(collection);
      if (live === number) {
        this.#live.set(key, number);
        if (outcome?.status === "rejected") throw outcome.reason;
        return outcome?.value;
      }
      this.#live.delete(key);
      number = live;
    }
    if (number !== undefined) throw new Error(`the live generation of ${name} does not come to rest`);
    return undefined;
  }
}

/** What is remembered of a record: not what it holds. */
const versionIn = (record: DocumentRecord | undefined): StoredVersion | null =>
  record ? { position: record.position, ...(record.parts ? { parts: record.parts } : {}) } : null;
