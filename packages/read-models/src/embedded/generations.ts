import { comparePositions, type Position } from "@rubrica/event-store";
import { type TableLayout, tableLayoutOf } from "../analytics/field.ts";
import {
  type Collection,
  type Generation,
  type IndexDefinition,
  IndexesChangedError,
  StaleGenerationError,
} from "../port.ts";
import { positionFromBytes } from "./rows.ts";
import type { Statements } from "./statements.ts";
import type { Tables } from "./tables.ts";

/** How many documents of a dropped generation are removed in one transaction: some milliseconds of work. */
const SWEPT_AT_ONCE = 500;

/** What a generation was made with. */
export interface Layout {
  indexes: readonly IndexDefinition[];
  tables: readonly TableLayout[];
}

/** Which generations there are, with their tables and views. Every change here is part of the transaction that it is called in. */
export class Generations {
  readonly #statements: Statements;
  readonly #tables: Tables;
  /** The layouts of generations that were seen, by number. They never change, and no number is given twice. */
  readonly #layouts = new Map<number, Layout>();

  constructor(statements: Statements, tables: Tables) {
    this.#statements = statements;
    this.#tables = tables;
  }

  /** The one that is read; made where there is none. @throws {IndexesChangedError} where it was made with others */
  live(collection: Collection): Generation {
    const { name, version } = collection;
    const { indexes, tables } = layoutOf(collection);
    const live = this.#statements.live.get(name, version);
    if (live && (live.indexes !== JSON.stringify(indexes) || live.tables !== JSON.stringify(tables)))
      throw new IndexesChangedError(collection);
    const made = live ? { collection: name, version, number: live.number as number } : this.#make(collection, 1);
    if (tables.length > 0 && !this.#statements.anyViewed.get(name)) this.#view(made, tables);
    return made;
  }

  /** A new one beside the live one, in the place of any other that was being built. */
  build(collection: Collection): Generation {
    this.#drop(collection.name, collection.version, 0);
    return this.#make(collection, 0);
  }

  /** Makes it the live one; false where that one is further. @throws {StaleGenerationError} when it is gone */
  swapIn(generation: Generation): boolean {
    const { collection, version, number } = generation;
    const { live, tables, checkpoint } = this.get(generation);
    if (live) return true;
    const { checkpoint: liveCheckpoint, viewed } = this.#statements.live.get(collection, version) ?? {};
    if (liveCheckpoint && (!checkpoint || isBefore(checkpoint, positionFromBytes(liveCheckpoint as Uint8Array))))
      return false;
    // No third one to drop: beside the live one at most one is being built.
    this.#drop(collection, version, 1);
    this.#statements.makeLive.run(number);
    if (viewed === 1) this.#view(generation, tables);
    return true;
  }

  /** Drops those of lower versions than this one's, which has caught up: the views show it from now on. */
  dropLower({ name, version }: Collection): void {
    this.#markDropped(this.#statements.dropLower.all(name, version));
    const live = this.#statements.live.get(name, version);
    const tables = tablesOf(live);
    if (live && tables.length > 0 && !this.#statements.anyViewed.get(name))
      this.#view({ collection: name, version, number: live.number as number }, tables);
  }

  /** @throws {StaleGenerationError} when it is gone */
  get(generation: Generation): { live: boolean; tables: readonly TableLayout[]; checkpoint: Position | undefined } {
    const row = this.#statements.generation.get(generation.number);
    if (!row) throw new StaleGenerationError(generation);
    return {
      live: row.live === 1,
      tables: tablesOf(row),
      checkpoint: row.checkpoint === null ? undefined : positionFromBytes(row.checkpoint as Uint8Array),
    };
  }

  /** How those of some generations are laid out that are there, by number. */
  layoutsOf(generations: readonly Generation[]): ReadonlyMap<number, Layout> {
    const numbers = generations.map(({ number }) => number);
    const present = this.#statements.present.all(JSON.stringify(numbers)).map(({ number }) => Number(number));
    return new Map(present.map((number) => [number, this.#layoutOf(number)]));
  }

  /** The number of one that was dropped, and is still to be swept. */
  anyDropped(): number | undefined {
    return this.#statements.anyDropped.get()?.number as number | undefined;
  }

  /** Removes some of what a dropped one has left; another process may have done it meanwhile. */
  sweepSome(number: number): void {
    const dropped = this.#statements.anyDropped.get();
    if (dropped?.number !== number) return;
    const tables = tablesOf(dropped);
    const { changes } = this.#statements.sweepDocuments.run(number, SWEPT_AT_ONCE);
    const { changes: lookups } = this.#statements.sweepLookups.run(number, SWEPT_AT_ONCE);
    if (this.#tables.sweep(number, tables, SWEPT_AT_ONCE) || changes !== 0 || lookups !== 0) return;
    this.#tables.drop(number, tables);
    this.#statements.forgetDropped.run(number);
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
}

const isBefore = (one: Position, other: Position): boolean => comparePositions(one, other) < 0;

const layoutOf = ({ indexes, tables = [] }: Collection): Layout => ({ indexes, tables: tables.map(tableLayoutOf) });

const indexesOf = (json: unknown): readonly IndexDefinition[] => JSON.parse(json as string) as IndexDefinition[];

const tablesOf = (row: Record<string, unknown> | undefined): readonly TableLayout[] =>
  JSON.parse((row?.tables as string | undefined) ?? "[]") as TableLayout[];
