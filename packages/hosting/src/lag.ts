import { comparePositions, type EventStore, type Position } from "@rubrica/event-store";
import { NotReady, type ReadinessCheck } from "@rubrica/http";
import type { Collection, ReadModelStore } from "@rubrica/read-models";
import type { Clock } from "@rubrica/runtime";
import type { Measured, Measurement } from "./metrics/metrics.ts";

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
    const lags = await lagsOf(parts, collections);
    const behind = lags.filter(({ ms }) => ms > BOUND_MS);
    if (behind.length > 0)
      throw new NotReady(behind.map(({ name, ms }) => `${name} is ${Math.floor(ms / 1_000)} s behind`).join(", "));
  };

/** Of each projection: how long ago the first event was written that it has not come to. */
export const lagMeasurement =
  (parts: LagParts, collections: readonly Collection[]): Measurement =>
  async () =>
    (await lagsOf(parts, collections)).map(
      ({ name, ms }): Measured => ({ labels: { projection: name }, value: ms / 1_000 }),
    );

/** How long ago the first event was written that each projection has not come to, in milliseconds. */
const lagsOf = async (
  parts: LagParts,
  collections: readonly Collection[],
): Promise<readonly { name: string; ms: number }[]> => {
  const { events, readModels } = parts;
  const head = await events.head();
  if (!head) return collections.map(({ name }) => ({ name, ms: 0 }));
  const checkpoints = await Promise.all(collections.map((collection) => readModels.checkpointOf(collection)));
  // Most stand at the same place: the events after it are read once.
  const found = new Map<string, Promise<number>>();
  const lagAfter = (checkpoint: Position | undefined): Promise<number> => {
    if (checkpoint && comparePositions(checkpoint, head) >= 0) return Promise.resolve(0);
    const key = checkpoint ? `${checkpoint.commit}/${checkpoint.prepare}` : "the beginning";
    const lag = found.get(key) ?? firstAfter(parts, checkpoint);
    found.set(key, lag);
    return lag;
  };
  return await Promise.all(
    collections.map(async ({ name }, index) => ({ name, ms: await lagAfter(checkpoints[index]) })),
  );
};

/** How long ago the first event after the checkpoint was written. */
const firstAfter = async ({ events, clock }: LagParts, checkpoint: Position | undefined): Promise<number> => {
  let looked = 0;
  for await (const { metadata } of events.readAll(checkpoint)) {
    const writtenMs = typeof metadata.at === "string" ? Date.parse(metadata.at) : Number.NaN;
    if (Number.isFinite(writtenMs)) return clock.now() - writtenMs;
    looked += 1;
    if (looked === LOOKED_THROUGH) break;
  }
  return 0;
};
