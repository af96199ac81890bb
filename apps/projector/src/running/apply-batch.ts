import type { Position } from "@rubrica/event-store";
import type { DocumentChange, ReadModelStore } from "@rubrica/read-models";
import type { Fold, ProjectionBatch } from "./fold.ts";

/** What a batch came to. */
export interface BatchOutcome<Event extends { position: Position }> {
  /** The folds that took it, with what it changed. */
  changed: { fold: Fold<Event>; changes: readonly DocumentChange[] }[];
  /**
   * Why the other folds did not take it. Some of their documents may be written all the same: the batch is applied
   * again, and passes over those.
   */
  failures: Map<Fold<Event>, unknown>;
}

/** Applies a batch to every fold, each document that it touches once, all in one write. None keeps another back. */
export const applyBatch = async <Event extends { position: Position }>(
  store: ReadModelStore,
  folds: readonly Fold<Event>[],
  batch: ProjectionBatch<Event>,
): Promise<BatchOutcome<Event>> => {
  const failures = new Map<Fold<Event>, unknown>();
  const prepared = await Promise.all(
    folds.map(async (fold) => {
      try {
        return { fold, changes: await fold.prepare(batch) };
      } catch (error) {
        failures.set(fold, error);
        return { fold, changes: undefined };
      }
    }),
  );
  const writes = prepared.flatMap(({ fold, changes }) => (changes ? [{ fold, changes }] : []));
  const changed: BatchOutcome<Event>["changed"] = [];
  const { position } = batch;
  if (!position || writes.length === 0) return { changed, failures };
  const outcomes = await written(store, writes, position);
  for (const [index, write] of writes.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status === "rejected") failures.set(write.fold, outcome.reason);
    else {
      write.fold.kept(write.changes, position);
      changed.push(write);
    }
  }
  return { changed, failures };
};

/** What became of each write; a failure of the store as a whole is each one's. */
const written = async <Event extends { position: Position }>(
  store: ReadModelStore,
  writes: BatchOutcome<Event>["changed"],
  position: Position,
): Promise<readonly PromiseSettledResult<void>[]> => {
  try {
    const batch = writes.map(({ fold, changes }) => ({ generation: fold.generation, changes }));
    return await store.apply(batch, position);
  } catch (reason) {
    return writes.map(() => ({ status: "rejected", reason }));
  }
};
