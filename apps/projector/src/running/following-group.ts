import { comparePositions, type Position } from "@rubrica/event-store";
import type { Projection, ReadModelDocument, ReadModelStore } from "@rubrica/read-models";
import { ProjectionPass } from "./projection-pass.ts";

/** Projections that follow one subscription together. */
export class FollowingGroup<Event extends { position: Position }> {
  /** The projections that follow the log together. */
  projections: readonly Projection<ReadModelDocument, Event>[];
  /** How often it failed since it last went on. */
  failures: number;
  #passes: readonly ProjectionPass<Event>[] = [];
  /** Up to where its subscription has given events. */
  #position: Position | undefined;
  #isAtEnd = false;

  constructor(projections: readonly Projection<ReadModelDocument, Event>[], failures = 0) {
    this.projections = projections;
    this.failures = failures;
  }

  /** Its subscription gives what comes after the position. */
  setOut(passes: readonly ProjectionPass<Event>[], position: Position | undefined): void {
    this.projections = passes.map(({ projection }) => projection);
    this.#passes = passes;
    this.#position = position;
    this.#isAtEnd = false;
  }

  /** The passes that take the batch which ends at the position; who joins from now on takes the next one. */
  takers(position: Position | undefined): readonly ProjectionPass<Event>[] {
    this.#position = position ?? this.#position;
    return this.#passes;
  }

  /** Takes note whether nothing was left to read. While there is more, nobody may join: they would be held back. */
  arrived(atEnd: boolean): void {
    this.#isAtEnd = atEnd;
  }

  leave(passes: ReadonlySet<ProjectionPass<Event>>): void {
    this.#passes = this.#passes.filter((pass) => !passes.has(pass));
    this.projections = this.#passes.map(({ projection }) => projection);
  }

  /** Moves its passes to the other group, if they miss no event by that. */
  join(other: FollowingGroup<Event>): boolean {
    const position = other.#position;
    const misses = ({ checkpoint }: ProjectionPass<Event>): boolean =>
      position !== undefined && (!checkpoint || comparePositions(checkpoint, position) < 0);
    if (!other.#isAtEnd || this.#passes.some(misses)) return false;
    other.#passes = [...other.#passes, ...this.#passes];
    other.projections = [...other.projections, ...this.projections];
    this.#passes = [];
    this.projections = [];
    return true;
  }
}

/** The projections' passes, opened at what the store keeps; and why the others can't be opened. */
export const openPasses = async <Event extends { position: Position }>(
  store: ReadModelStore,
  projections: readonly Projection<ReadModelDocument, Event>[],
): Promise<{ passes: ProjectionPass<Event>[]; failures: Map<Projection<ReadModelDocument, Event>, unknown> }> => {
  const failures = new Map<Projection<ReadModelDocument, Event>, unknown>();
  // All at once: while a process takes the work over, each round trip keeps readers waiting.
  const opened = await Promise.all(
    projections.map(async (projection) => {
      try {
        const generation = await store.liveGeneration(projection);
        return new ProjectionPass(store, projection, generation, await store.checkpoint(generation));
      } catch (error) {
        failures.set(projection, error);
        return undefined;
      }
    }),
  );
  const passes = opened.filter((pass) => pass !== undefined);
  return { passes, failures };
};

/** The passes by where they stand, the furthest first. */
export const byCheckpoint = <Event extends { position: Position }>(
  passes: readonly ProjectionPass<Event>[],
): ProjectionPass<Event>[][] => {
  const groups = Map.groupBy(passes, ({ checkpoint }) => checkpoint?.commit ?? -1n);
  return [...groups].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, group]) => group);
};
