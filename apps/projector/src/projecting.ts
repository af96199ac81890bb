import type { Host } from "@rubrica/hosting";
import type { JournalEvent } from "@rubrica/journal";
import type { Collection, Projection } from "@rubrica/read-models";
import {
  createProjectionRunner,
  gathered,
  type ProjectionRunnerOptions,
  type ProjectionSource,
} from "./running/index.ts";

type RunnerOptions = ProjectionRunnerOptions<JournalEvent>;

/**
 * Keeps read models up to date. Projections that gather events for a moment before they apply them have a runner of their
 * own: the others don't wait for them.
 */
export interface Projecting {
  /** Resolves once these projections have caught up with the store; for those that gather events nobody waits. */
  caughtUp(projections: readonly Collection[]): Promise<void>;
  /** Why each projection that is stopped is. */
  stopped(): ReadonlyMap<string, string>;
  /** Runs until `signal` is aborted, and the batches in flight are applied. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

export const openProjecting = (
  {
    runtime: { clock },
    logger,
    engines: { journal, readModels, freshness },
  }: Pick<Host, "runtime" | "logger" | "engines">,
  projections: readonly Projection[],
  options: Pick<RunnerOptions, "beforeApply" | "mayDropLower" | "onChanged">,
): Projecting => {
  const source: ProjectionSource<JournalEvent> = (after, signal) => journal.subscribe({ after, signal });
  const runnerOf = (some: readonly Projection[], subscribe: typeof source) =>
    createProjectionRunner<JournalEvent>({
      ...options,
      projections: some,
      store: readModels,
      subscribe,
      clock,
      onStopped: (error, stopped) =>
        logger.error({ err: error, projections: stopped }, "projections stopped; they are tried again"),
      onResumed: (resumed) => logger.info({ projections: resumed }, "projections go on"),
      onApplied: () => freshness.lookNow(),
    });
  const atOnce = runnerOf(
    projections.filter((projection) => !projection.gathered),
    source,
  );
  const gathering = runnerOf(
    projections.filter((projection) => projection.gathered),
    gathered(source, clock),
  );
  return {
    caughtUp: (some) => atOnce.caughtUp(some),
    stopped: () => new Map([...atOnce.stopped(), ...gathering.stopped()]),
    run: async (signal) => void (await Promise.all([atOnce.run(signal), gathering.run(signal)])),
  };
};
