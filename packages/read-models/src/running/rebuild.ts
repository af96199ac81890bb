import type { Position } from "@rubrica/event-store";
import type { ReadModelDocument, ReadModelStore } from "../port.ts";
import type { Projection } from "../projection.ts";
import { Fold } from "./fold.ts";
import type { ProjectionSource } from "./runner.ts";

/**
 * Builds the projections' collections anew from the first event, beside the live ones, and swaps each in once it has
 * come as far as the live one. The live ones are read and kept up to date meanwhile, in this process or another one,
 * whose runner goes on with the new generation by itself.
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
}: {
  projections: readonly Projection<ReadModelDocument, Event>[];
  store: ReadModelStore;
  subscribe: ProjectionSource<Event>;
  signal: AbortSignal;
}): Promise<void> => {
  const building = new Set<Fold<Event>>();
  for (const projection of projections) {
    const generation = await store.newGeneration(projection.name, projection.indexes);
    building.add(new Fold(store, projection, generation, undefined));
  }
  if (building.size === 0) return;

  const finished = new AbortController();
  let atHead = false;
  try {
    for await (const batch of subscribe(undefined, AbortSignal.any([signal, finished.signal]))) {
      for (const fold of building) await fold.take(batch);
      atHead ||= batch.caughtUp;
      if (atHead) for (const fold of building) if (await store.swapIn(fold.generation)) building.delete(fold);
      if (building.size === 0) return;
    }
  } finally {
    finished.abort();
  }
  signal.throwIfAborted();
  throw new Error("the subscription ended before the rebuild was done");
};
