import type { Position } from "@rubrica/event-store";
import type { Collection, DocumentChange, Projection, ReadModelDocument, ReadModelStore } from "@rubrica/read-models";
import type { Clock } from "@rubrica/runtime";
import type { ProjectionBatch } from "./projection-pass.ts";
import { Run } from "./run.ts";
import { StoppedProjections } from "./stopped-projections.ts";

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
  /** Told of what stopped these projections; once, and again when it is something else. They are tried again. */
  onStopped: (error: unknown, projections: readonly string[]) => void;
  /** Told that projections that were stopped go on. */
  onResumed?: (projections: readonly string[]) => void;
  /** Awaited before each batch is applied: where a test puts its delay. */
  beforeApply?: () => Promise<void>;
  /** Whether what lower versions kept may be dropped once a projection has caught up; default: it may. */
  mayDropLower?: () => boolean;
  /** Called after each batch that was applied. */
  onApplied?: () => void;
  /**
   * Told of what was written, projection by projection. No memory: it is not told what a rebuild wrote, nor what was
   * written before a restart.
   */
  onChanged?: (projection: string, changes: readonly DocumentChange[]) => void;
}

/** Keeps the read models of several projections up to date. */
export interface ProjectionRunner {
  /** Resolves when these projections, all when none are named, have once applied everything that there was. */
  caughtUp(projections?: readonly Collection[]): Promise<void>;
  /** Why each projection that is stopped is, in words that show nothing of what is stored. */
  stopped(): ReadonlyMap<string, string>;
  /** Runs until `signal` is aborted; resolves once the batches in flight are applied. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * A runner that starts each projection from its checkpoint, those that stand at the same one by one subscription.
 *
 * What fails stops no other: a projection that throws, or that the store fails, is tried again by itself, after 100 ms,
 * doubling to 10 s, and goes with the others once it has caught up; no event is ever skipped. When a rebuild has swapped
 * a generation in, or another runner wrote, it goes on with what is kept. Once a projection has caught up, what lower
 * versions of it kept is dropped, where that may be.
 */
export const createProjectionRunner = <Event extends { position: Position }>(
  options: ProjectionRunnerOptions<Event>,
): ProjectionRunner => {
  const stopped = new StoppedProjections(options.onStopped, (projections) => options.onResumed?.(projections));
  const caughtUp = new Map(options.projections.map(({ name }) => [name, Promise.withResolvers<void>()]));
  return {
    async caughtUp(projections = options.projections) {
      await Promise.all(projections.map(({ name }) => caughtUp.get(name)?.promise));
    },
    stopped: () => stopped.words,
    run: (signal) =>
      new Run(options, stopped, signal, (projection) => caughtUp.get(projection.name)?.resolve()).untilAborted(),
  };
};
