import { formatPosition, type Position, parsePosition } from "@rubrica/event-store";
import type { Random } from "@rubrica/runtime";
import { isDuplicateKey, type Mongo } from "@rubrica/storage/mongodb";
import type { Collection as MongoCollection, UpdateFilter } from "mongodb";
import { type TableLayout, tableLayoutOf } from "../analytics/field.ts";
import {
  type Collection,
  type Generation,
  type IndexDefinition,
  IndexesChangedError,
  StaleGenerationError,
} from "../port.ts";
import { commitOf, entryPath, type Records } from "./records.ts";
import { SharedReads } from "./shared-reads.ts";
import { type View, type Viewed, viewsOf } from "./views.ts";

/** How often what another process changes at the same moment is tried again. */
const ATTEMPTS = 20;
/** Prefix of the collections' names: tells dropped generations from what belongs to others. */
const PREFIX = "readModel.";
/** A checkpoint that sorts before every other: it has not begun. */
const NOT_BEGUN = "";

/** One of a version's generations. */
interface Entry {
  /** Random, so that none ever stands for another, not even in a database that was emptied. */
  number: number;
  /** As JSON. */
  indexes: string;
  /** As JSON; not there where there are none. */
  tables?: string;
  /** As JSON; not there where there are none. */
  views?: string;
  checkpoint: string;
}

/** What a generation was made with. */
export interface Layout {
  indexes: readonly IndexDefinition[];
  tables: readonly TableLayout[];
}

/** The generations of one version of a collection: the one that is read, and one that is being built. */
interface Version {
  _id: string;
  name: string;
  version: number;
  live: Entry | null;
  building: Entry | null;
}

const ofDurable = { readConcern: { level: "majority" } } as const;

/**
 * Which generations there are, and up to where they have come: `readModels`, one document a version, so that a swap is one
 * write. A generation's records are in a collection of their own, made after it was entered here, and dropped once it is
 * not here any more.
 */
export class Generations {
  readonly #mongo: Mongo;
  readonly #random: Random;
  readonly #versions: MongoCollection<Version>;
  readonly #layouts = new SharedReads((keys: ReadonlySet<string>) => this.#readLayouts(keys));

  constructor(mongo: Mongo, random: Random) {
    this.#mongo = mongo;
    this.#random = random;
    this.#versions = mongo.db.collection("readModels");
  }

  /** Where a generation's records are. */
  recordsOf({ collection, version, number }: Generation): Records {
    const name = collection.replace(/[^\w-]/g, "_").slice(0, 60);
    return this.#mongo.db.collection(`${PREFIX}${name}.${version}.${hexOf(number)}`);
  }

  /** @throws {IndexesChangedError} */
  async live(collection: Collection): Promise<Generation> {
    const wanted = layoutOf(collection);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { live } = await this.#version(collection);
      if (live) {
        if (live.indexes !== wanted.indexes || live.tables !== wanted.tables) throw new IndexesChangedError(collection);
        // Told otherwise they are laid out the same: the generation stays.
        if (live.views !== wanted.views)
          await this.#versions.updateOne(
            { _id: keyOf(collection), "live.number": live.number },
            { $set: { "live.views": wanted.views } },
          );
        return this.#withIndexes(collection, live.number);
      }
      await this.#versions.updateOne({ _id: keyOf(collection), live: null }, { $set: { live: this.#entry(wanted) } });
    }
    throw new Error(`the generations of ${collection.name} don't come to rest`);
  }

  async build(collection: Collection): Promise<Generation> {
    await this.#version(collection);
    const building = this.#entry(layoutOf(collection));
    await this.#versions.updateOne({ _id: keyOf(collection) }, { $set: { building } });
    return this.#withIndexes(collection, building.number);
  }

  /** Whether it is the live one now. @throws {StaleGenerationError} */
  async swapIn(generation: Generation): Promise<boolean> {
    const _id = keyOf({ name: generation.collection, version: generation.version });
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { live, building } = (await this.#versions.findOne({ _id })) ?? {};
      if (live?.number === generation.number) return true;
      if (building?.number !== generation.number) throw new StaleGenerationError(generation);
      if (live && commitOf(building.checkpoint) < commitOf(live.checkpoint)) return false;
      // Neither has moved since it was looked at.
      const guard = {
        "building.number": building.number,
        "building.checkpoint": building.checkpoint,
        ...(live ? { "live.number": live.number, "live.checkpoint": live.checkpoint } : { live: null }),
      };
      const swap = { $set: { live: building, building: null } };
      if ((await this.#versions.updateOne({ _id, ...guard }, swap)).matchedCount > 0) return true;
    }
    // The live one moves on all the time: this one will have to come after it.
    return false;
  }

  async dropLower({ name, version }: Collection): Promise<void> {
    await this.#versions.deleteMany({ name, version: { $lt: version } });
  }

  async hasLower({ name, version }: Collection): Promise<boolean> {
    return (await this.#versions.findOne({ name, version: { $lt: version } }, { projection: { _id: 1 } })) !== null;
  }

  /** How those are laid out that are there, and others, by number: as it is after this was asked. */
  present(generations: readonly Generation[]): Promise<ReadonlyMap<number, Layout>> {
    return this.#layouts.read(generations.map(({ collection, version }) => keyOf({ name: collection, version })));
  }

  async #readLayouts(keys: ReadonlySet<string>): Promise<ReadonlyMap<number, Layout>> {
    const versions = await this.#versions.find({ _id: { $in: [...keys] } }).toArray();
    const entries = versions.flatMap(({ live, building }) => [live, building]);
    return new Map(entries.flatMap((entry) => (entry ? [[entry.number, readLayout(entry)] as const] : [])));
  }

  /** Raises the checkpoints of those whose one is lower; gives how many those are. */
  async raise(generations: readonly Generation[], checkpoint: Position): Promise<number> {
    const raised = await this.#raiseIn("live", generations, checkpoint);
    // Few generations are in building. Where one is, it is mostly the only one in a batch.
    return raised === generations.length ? raised : raised + (await this.#raiseIn("building", generations, checkpoint));
  }

  async #raiseIn(
    stage: "live" | "building",
    generations: readonly Generation[],
    checkpoint: Position,
  ): Promise<number> {
    const text = formatPosition(checkpoint);
    const filter = {
      _id: { $in: generations.map(({ collection, version }) => keyOf({ name: collection, version })) },
      [`${stage}.number`]: { $in: generations.map(({ number }) => number) },
      [`${stage}.checkpoint`]: { $lt: commitOf(text) },
    };
    const update = { $set: { [`${stage}.checkpoint`]: text } };
    return (await this.#versions.updateMany(filter, update as UpdateFilter<Version>)).matchedCount;
  }

  /**
   * Up to where the generation has come: what a majority has, since who goes on from there does not look back.
   * @throws {StaleGenerationError}
   */
  async checkpoint(generation: Generation): Promise<Position | undefined> {
    const key = keyOf({ name: generation.collection, version: generation.version });
    const { live, building } = (await this.#versions.findOne({ _id: key }, ofDurable)) ?? {};
    const entry = [live, building].find((one) => one?.number === generation.number);
    if (!entry) throw new StaleGenerationError(generation);
    return positionOf(entry.checkpoint);
  }

  async liveCheckpoint(collection: Collection): Promise<Position | undefined> {
    const options = { ...ofDurable, projection: { "live.checkpoint": 1 } };
    return positionOf((await this.#versions.findOne({ _id: keyOf(collection) }, options))?.live?.checkpoint);
  }

  async liveNumber(collection: Collection): Promise<number | undefined> {
    const options = { projection: { "live.number": 1 } };
    return (await this.#versions.findOne({ _id: keyOf(collection) }, options))?.live?.number;
  }

  /** The generations that are read, and have views. */
  async viewed(): Promise<Viewed[]> {
    const versions = await this.#versions.find().toArray();
    return versions.flatMap(({ name, version, live }) => {
      if (!live?.views) return [];
      const records = this.recordsOf({ collection: name, version, number: live.number }).collectionName;
      return [{ name, version, records, views: JSON.parse(live.views) as View[] }];
    });
  }

  /** Names of collections of generations that are not there any more. */
  async left(): Promise<string[]> {
    const collections = await this.#mongo.db.listCollections({}, { nameOnly: true }).toArray();
    // Read after the list of collections: a generation is entered here before its collection is made.
    const versions = await this.#versions.find().toArray();
    const entries = versions.flatMap(({ live, building }) => [live, building]);
    const kept = new Set(entries.flatMap((entry) => (entry ? [hexOf(entry.number)] : [])));
    return collections.flatMap(({ name }) => {
      const number = name.startsWith(PREFIX) ? /\.([0-9a-f]{12})$/.exec(name)?.[1] : undefined;
      return number !== undefined && !kept.has(number) ? [name] : [];
    });
  }

  /** The entry of a version, made if it is missing. */
  async #version(collection: Collection): Promise<Version> {
    const { name, version } = collection;
    const _id = keyOf(collection);
    const known = await this.#versions.findOne({ _id });
    if (known) return known;
    const made = { _id, name, version, live: null, building: null };
    try {
      await this.#versions.insertOne(made);
      return made;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return this.#version(collection);
    }
  }

  async #withIndexes({ name, version, indexes }: Collection, number: number): Promise<Generation> {
    const generation = { collection: name, version, number };
    const records = this.recordsOf(generation);
    // One by one: FerretDB fails at several that are there.
    await records.createIndex({ part: 1 });
    for (const { field } of indexes) await records.createIndex({ [entryPath(field)]: 1, _id: 1 });
    return generation;
  }

  #entry(layout: Pick<Entry, "indexes" | "tables" | "views">): Entry {
    return { number: this.#random.bytes(6).readUIntBE(0, 6), ...layout, checkpoint: NOT_BEGUN };
  }
}

const layoutOf = ({ indexes, tables }: Collection): Pick<Entry, "indexes" | "tables" | "views"> => ({
  indexes: JSON.stringify(indexes),
  ...(tables ? { tables: JSON.stringify(tables.map(tableLayoutOf)), views: JSON.stringify(viewsOf(tables)) } : {}),
});

const readLayout = ({ indexes, tables = "[]" }: Entry): Layout => ({
  indexes: JSON.parse(indexes) as IndexDefinition[],
  tables: JSON.parse(tables) as TableLayout[],
});

const keyOf = ({ name, version }: { name: string; version: number }): string => `${name}/${version}`;

const hexOf = (number: number): string => number.toString(16).padStart(12, "0");

const positionOf = (checkpoint: string | undefined): Position | undefined =>
  checkpoint ? parsePosition(checkpoint) : undefined;
