import type { Position } from "@rubrica/event-store";
import type { DocumentChange, ReadModelStore } from "@rubrica/read-models";
import type { ProjectionBatch, ProjectionPass } from "./projection-pass.ts";

/** What a batch came to. */
export interface BatchOutcome<Event extends { position: Position }> {
  /** The passes that took it, with what it changed. */
  changed: { pass: ProjectionPass<Event>; changes: readonly DocumentChange[] }[];
  /**
   * Why the other passes did not take it. Some of their documents may be written all the same: the batch is applied
   * again, and passes over those.
   */
  failures: Map<ProjectionPass<Event>, unknown>;
}

/** Applies a batch to every pass, each document that it touches once, all in one write. None keeps another back. */
export const applyBatch = async <Event extends { position: Position }>(
  store: ReadModelStore,
  passes: readonly ProjectionPass<Event>[],
  batch: ProjectionBatch<Event>,
): Promise<BatchOutcome<Event>> => {
  const failures = new Map<ProjectionPass<Event>, unknown>();
  const prepared = await Promise.all(
    passes.map(async (pass) => {
      try {
        return { pass, changes: await pass.prepare(batch) };
      } catch (error) {
        failures.set(pass, error);
        return { pass, changes: undefined };
      }
    }),
  );
  const writes = prepared.flatMap(({ pass, changes }) => (changes ? [{ pass, changes }] : []));
  const changed: BatchOutcome<Event>["changed"] = [];
  const { position } = batch;
  if (!position || writes.length === 0) return { changed, failures };
  const outcomes = await written(store, writes, position);
  for (const [index, write] of writes.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status === "rejected") failures.set(write.pass, outcome.reason);
    else {
      write.pass.kept(write.changes, position);
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
    const batch = writes.map(({ pass, changes }) => ({ generation: pass.generation, changes }));
    return await store.apply(batch, position);
  } catch (reason) {
    return writes.map(() => ({ status: "rejected", reason }));
  }
};
