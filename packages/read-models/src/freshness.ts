import { comparePositions, type Position } from "@rubrica/event-store";
import type { Clock } from "@rubrica/runtime";
import { Pace } from "./pace.ts";
import type { Collection, ReadModelStore } from "./port.ts";
import { createWaiters, keyOf } from "./waiters.ts";

/** Tells when the read models have come up to a position, whichever process projects. */
export interface Freshness {
  /**
   * Resolves with true once this projection's documents hold all up to and including the position, with false when
   * `timeoutMs` are over. @throws whatever the store fails with.
   */
  waitFor(projection: Collection, position: Position, timeoutMs: number): Promise<boolean>;
  /**
   * For who waited in vain: in how many milliseconds the projection comes to the position, as fast as it was seen to go
   * since somebody first waited; undefined where it was not seen to. @throws whatever the store fails with.
   */
  leftMs(projection: Collection, position: Position): Promise<number | undefined>;
}

/** Freshness for those whose process projects as well: they needn't wait for the next look. */
export interface CheckpointFreshness extends Freshness {
  /** To be told when read models were written: whoever waits looks at once. */
  lookNow(): void;
}

/**
 * Freshness by the checkpoints that are stored: one small read where the projection is there already. Else they are
 * looked at again after 2 ms, by and by less often, every 50 ms at last, however many wait for one projection.
 */
export const createFreshness = ({
  readModels,
  clock,
}: {
  readModels: Pick<ReadModelStore, "checkpointOf">;
  clock: Clock;
}): CheckpointFreshness => {
  /** The pace of each projection that was behind when it was last looked at. */
  const paces = new Map<string, Pace>();

  const leftMs = async (projection: Collection, position: Position): Promise<number | undefined> => {
    const checkpoint = await readModels.checkpointOf(projection);
    const key = keyOf(projection);
    if (checkpoint && comparePositions(checkpoint, position) >= 0) {
      paces.delete(key);
      return 0;
    }
    const pace = paces.get(key) ?? new Pace();
    paces.set(key, pace);
    return pace.leftMs(checkpoint, position, clock.monotonicMs());
  };

  const waiters = createWaiters(readModels, clock, (projection) => paces.delete(keyOf(projection)));

  return {
    waitFor: async (projection, position, timeoutMs) =>
      (await leftMs(projection, position)) === 0 || (timeoutMs > 0 && waiters.waitFor(projection, position, timeoutMs)),
    leftMs,
    lookNow: waiters.lookNow,
  };
};
