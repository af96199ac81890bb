import type { Position } from "@rubrica/event-store";
import type { Projection, ReadModelDocument, ReadModelStore } from "@rubrica/read-models";
import { applyBatch } from "./apply-batch.ts";
import { ProjectionPass } from "./projection-pass.ts";
import type { ProjectionSource } from "./runner.ts";

/** How far a rebuild has come. */
export interface RebuildProgress {
  /** Events that were gone through. */
  events: number;
  /** Where the last of them stands. */
  position: Position;
}

/**
 * Builds the projections' collections anew from the first event, beside the live ones, and swaps each in once it has
 * come as far as the live one. The live ones are read and kept up to date meanwhile, in this process or another one,
 * whose runner goes on with the new generation by itself. A raised version needs no rebuild: the runner fills it from the
 * first event, as a live generation that is empty at first.
 *
 * Cut at any point it leaves the live generations as they were; what was half built is dropped by the next rebuild.
 * @throws {ProjectionError} when a projection throws. @throws {StaleGenerationError} when another rebuild began since.
 * @throws the signal's reason when it is aborted before the end.
 */
export const rebuildProjections = async <Event extends { position: Position }>({
  projections,
  store,
  subscribe,
  signal,
  onProgress,
}: {
  projections: readonly Projection<ReadModelDocument, Event>[];
  store: ReadModelStore;
  subscribe: ProjectionSource<Event>;
  signal: AbortSignal;
  /** Told after each batch. */
  onProgress?: (progress: RebuildProgress) => void;
}): Promise<void> => {
  const building = new Set<ProjectionPass<Event>>();
  for (const projection of projections) {
    const generation = await store.newGeneration(projection);
    building.add(new ProjectionPass(store, projection, generation, undefined));
  }
  if (building.size === 0) return;

  const finished = new AbortController();
  let atEnd = false;
  let events = 0;
  try {
    for await (const batch of subscribe(undefined, AbortSignal.any([signal, finished.signal]))) {
      const { failures } = await applyBatch(store, [...building], batch);
      for (const error of failures.values()) throw error;
      events += batch.events.length;
      if (batch.position) onProgress?.({ events, position: batch.position });
      atEnd ||= batch.caughtUp;
      if (atEnd) for (const pass of building) if (await store.swapIn(pass.generation)) building.delete(pass);
      if (building.size === 0) return;
    }
  } finally {
    finished.abort();
  }
  signal.throwIfAborted();
  throw new Error("the subscription ended before the rebuild was done");
};
