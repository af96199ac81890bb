import { comparePositions, type EventStore, type Position } from "@rubrica/event-store";
import { NotReady, type ReadinessCheck } from "@rubrica/http";
import type { Measured, Measurement } from "@rubrica/metrics";
import type { Collection, ReadModelStore } from "@rubrica/read-models";
import type { Clock } from "@rubrica/runtime";

/** Read models that lack what was written longer ago are not ready: whoever reads has waited for 2 s, and comes again. */
const BOUND_MS = 30_000;
/** Of events that say no time, as others' may, so many are looked through for one that does. */
const LOOKED_THROUGH = 100;

export interface LagParts {
  events: Pick<EventStore, "head" | "readAll">;
  readModels: Pick<ReadModelStore, "checkpointOf">;
  clock: Clock;
}

/**
 * Whether every projection has what was written more than 30 s ago, by the checkpoints that are stored: it holds
 * whichever process projects.
 */
export const lagCheck =
  (parts: LagParts, collections: readonly Collection[]): ReadinessCheck =>
  async () => {
    const head = await parts.events.head();
    if (!head) return;
    const behind: string[] = [];
    for (const collection of collections) {
      const lagMs = await lagOf(parts, collection, head);
      if (lagMs > BOUND_MS) behind.push(`${collection.name} is ${Math.floor(lagMs / 1_000)} s behind`);
    }
    if (behind.length > 0) throw new NotReady(behind.join(", "));
  };

/** Of each projection: how long ago the first event was written that it has not come to. */
export const lagMeasurement =
  (parts: LagParts, collections: readonly Collection[]): Measurement =>
  async () => {
    const head = await parts.events.head();
    const measured: Measured[] = [];
    for (const collection of collections) {
      const lagMs = head ? await lagOf(parts, collection, head) : 0;
      measured.push({ labels: { projection: collection.name }, value: lagMs / 1_000 });
    }
    return measured;
  };

/** How long ago the first event was written that the projection has not come to, in milliseconds. */
const lagOf = async ({ events, readModels, clock }: LagParts, collection: Collection, head: Position) => {
  const checkpoint = await readModels.checkpointOf(collection);
  if (checkpoint && comparePositions(checkpoint, head) >= 0) return 0;
  let looked = 0;
  for await (const { metadata } of events.readAll(checkpoint)) {
    const writtenMs = typeof metadata.at === "string" ? Date.parse(metadata.at) : Number.NaN;
    if (Number.isFinite(writtenMs)) return clock.now() - writtenMs;
    looked += 1;
    if (looked === LOOKED_THROUGH) break;
  }
  return 0;
};
