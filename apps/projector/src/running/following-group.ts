import { comparePositions, type Position } from "@rubrica/event-store";
import type { Projection, ReadModelDocument, ReadModelStore } from "@rubrica/read-models";
import { Fold } from "./fold.ts";

/** Projections that follow one subscription together. */
export class FollowingGroup<Event extends { position: Position }> {
  /** The projections that follow the log together. */
  projections: readonly Projection<ReadModelDocument, Event>[];
  /** How often it failed since it last went on. */
  failures: number;
  #folds: readonly Fold<Event>[] = [];
  /** Up to where its subscription has given events. */
  #position: Position | undefined;
  #isAtEnd = false;

  constructor(projections: readonly Projection<ReadModelDocument, Event>[], failures = 0) {
    this.projections = projections;
    this.failures = failures;
  }

  /** Its subscription gives what comes after the position. */
  setOut(folds: readonly Fold<Event>[], position: Position | undefined): void {
    this.projections = folds.map(({ projection }) => projection);
    this.#folds = folds;
    this.#position = position;
    this.#isAtEnd = false;
  }

  /** The folds that take the batch which ends at the position; who joins from now on takes the next one. */
  takers(position: Position | undefined): readonly Fold<Event>[] {
    this.#position = position ?? this.#position;
    return this.#folds;
  }

  /** Takes note whether nothing was left to read. While there is more, nobody may join: they would be held back. */
  arrived(atEnd: boolean): void {
    this.#isAtEnd = atEnd;
  }

  leave(folds: ReadonlySet<Fold<Event>>): void {
    this.#folds = this.#folds.filter((fold) => !folds.has(fold));
    this.projections = this.#folds.map(({ projection }) => projection);
  }

  /** Moves its folds to the other group, if they miss no event by that. */
  join(other: FollowingGroup<Event>): boolean {
    const position = other.#position;
    const misses = ({ checkpoint }: Fold<Event>): boolean =>
      position !== undefined && (!checkpoint || comparePositions(checkpoint, position) < 0);
    if (!other.#isAtEnd || this.#folds.some(misses)) return false;
    other.#folds = [...other.#folds, ...this.#folds];
    other.projections = [...other.projections, ...this.projections];
    this.#folds = [];
    this.projections = [];
    return true;
  }
}

/** The projections' folds, opened at what the store keeps; and why the others can't be opened. */
export const openFolds = async <Event extends { position: Position }>(
  store: ReadModelStore,
  projections: readonly Projection<ReadModelDocument, Event>[],
): Promise<{ folds: Fold<Event>[]; failures: Map<Projection<ReadModelDocument, Event>, unknown> }> => {
  const failures = new Map<Projection<ReadModelDocument, Event>, unknown>();
  // All at once: while a process takes the work over, each round trip keeps readers waiting.
  const opened = await Promise.all(
    projections.map(async (projection) => {
      try {
        const generation = await store.liveGeneration(projection);
        return new Fold(store, projection, generation, await store.checkpoint(generation));
      } catch (error) {
        failures.set(projection, error);
        return undefined;
      }
    }),
  );
  const folds = opened.filter((fold) => fold !== undefined);
  return { folds, failures };
};

/** The folds by where they stand, the furthest first. */
export const byCheckpoint = <Event extends { position: Position }>(folds: readonly Fold<Event>[]): Fold<Event>[][] => {
  const groups = Map.groupBy(folds, ({ checkpoint }) => checkpoint?.commit ?? -1n);
  return [...groups].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, group]) => group);
};
