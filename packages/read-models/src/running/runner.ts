import type { Position } from "@rubrica/event-store";
import type { Clock } from "@rubrica/runtime";
import { type DocumentChange, type ReadModelDocument, type ReadModelStore, StaleGenerationError } from "../port.ts";
import type { Projection } from "../projection.ts";
import { Fold, lowestCheckpoint, type ProjectionBatch } from "./fold.ts";
import { Progress } from "./progress.ts";

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;

/** Events after a position, then live, until `signal` is aborted; like `subscribeToAll` of the event store. */
export type ProjectionSource<Event> = (
  after: Position | undefined,
  signal: AbortSignal,
) => AsyncIterable<ProjectionBatch<Event>>;

export interface ProjectionRunnerOptions<Event extends { position: Position }> {
  projections: readonly Projection<ReadModelDocument, Event>[];
  store: ReadModelStore;
  subscribe: ProjectionSource<Event>;
  clock: Clock;
  /** Told of every failure, before the events are tried again. */
  onError: (error: unknown) => void;
  /** Awaited before each batch is applied: where a test puts its delay. */
  beforeApply?: () => Promise<void>;
  /**
   * Told of what was written, projection by projection. No memory: it is not told what a rebuild wrote, nor what was
   * written before a restart.
   */
  onChanged?: (projection: string, changes: readonly DocumentChange[]) => void;
}

/** Keeps the read models of several projections up to date from one subscription. */
export interface ProjectionRunner {
  /** Resolves when all projections have, once, applied everything that there was. */
  readonly caughtUp: Promise<void>;
  /** Everything up to and including this position is applied, by every projection; undefined: nothing is. */
  position(): Position | undefined;
  /** Resolves with true once every projection is at or past the position, with false when `timeoutMs` are over. */
  waitFor(position: Position, timeoutMs: number): Promise<boolean>;
  /** Runs until `signal` is aborted; resolves once the batch in flight is applied. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * A runner that starts from the lowest checkpoint and lets every projection pass over what it has. Failures of any
 * kind (a projection that throws, the store, the subscription) are reported and tried again from the checkpoints,
 * after 100 ms, doubling to 10 s: no event is ever skipped. When a rebuild has swapped a generation in, the runner
 * goes on with that one.
 */
export const createProjectionRunner = <Event extends { position: Position }>(
  options: ProjectionRunnerOptions<Event>,
): ProjectionRunner => {
  const { clock, onError, store, projections } = options;
  const progress = new Progress(clock);
  const caughtUp = Promise.withResolvers<void>();

  /** One life of the subscription: it ends by the signal only, by everything else it throws. */
  const follow = async (signal: AbortSignal, onApplied: () => void): Promise<void> => {
    const folds = await Promise.all(projections.map((projection) => liveFold(store, projection)));
    progress.moveTo(lowestCheckpoint(folds));
    for await (const batch of options.subscribe(lowestCheckpoint(folds), signal)) {
      await options.beforeApply?.();
      await applyToAll(folds, batch, options.onChanged);
      onApplied();
      progress.moveTo(lowestCheckpoint(folds));
      if (batch.caughtUp) caughtUp.resolve();
      if (signal.aborted) return;
    }
    if (!signal.aborted) throw new Error("the subscription ended by itself");
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    let failures = 0;
    const onApplied = (): void => {
      failures = 0;
    };
    while (!signal.aborted)
      try {
        await follow(signal, onApplied);
      } catch (error) {
        if (error instanceof StaleGenerationError) continue;
        if (signal.aborted) return;
        onError(error);
        await clock.wait(Math.min(FIRST_RETRY_MS * 2 ** failures++, MAX_RETRY_MS), { signal });
      }
  };

  return {
    caughtUp: caughtUp.promise,
    position: () => progress.position,
    waitFor: (position, timeoutMs) => progress.waitFor(position, timeoutMs),
    run,
  };
};

const liveFold = async <Event extends { position: Position }>(
  store: ReadModelStore,
  projection: Projection<ReadModelDocument, Event>,
): Promise<Fold<Event>> => {
  const generation = await store.liveGeneration(projection.name, projection.indexes);
  return new Fold(store, projection, generation, await store.checkpoint(generation));
};

/** Each projection writes for itself; when one fails, the others still finish theirs before anything is tried again. */
const applyToAll = async <Event extends { position: Position }>(
  folds: readonly Fold<Event>[],
  batch: ProjectionBatch<Event>,
  onChanged: ProjectionRunnerOptions<Event>["onChanged"],
): Promise<void> => {
  const outcomes = await Promise.allSettled(
    folds.map(async (fold) => {
      const changes = await fold.take(batch);
      if (changes.length > 0) onChanged?.(fold.projection.name, changes);
    }),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
};
