import { comparePositions, type Position } from "@rubrica/event-store";
import { type Clock, WAIT_ENDED } from "@rubrica/runtime";
import { Pace } from "./pace.ts";
import type { Collection, ReadModelStore } from "./port.ts";

const FIRST_PAUSE_MS = 2;
const PAUSE_GROWTH = 1.5;
const MAX_PAUSE_MS = 50;

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

/** Those who wait for one projection: one of them looks for all. */
interface Queue {
  waiting: Set<Waiter>;
  /** Ends the pause between two looks. */
  pause: AbortController;
  pauseMs: number;
}

interface Waiter {
  position: Position;
  resolve: (reached: boolean) => void;
  reject: (error: unknown) => void;
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
  const queues = new Map<string, Queue>();
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

  /** Looks until nobody waits any more. */
  const look = async (projection: Collection, queue: Queue): Promise<void> => {
    while (queue.waiting.size > 0) {
      await clock.wait(queue.pauseMs, { signal: queue.pause.signal, background: true });
      queue.pauseMs = Math.min(queue.pauseMs * PAUSE_GROWTH, MAX_PAUSE_MS);
      // Made before the look, so that what is told during the look ends the next pause.
      queue.pause = new AbortController();
      if (queue.waiting.size > 0) await lookOnce(projection, queue);
    }
    queues.delete(keyOf(projection));
  };

  const lookOnce = async (projection: Collection, { waiting }: Queue): Promise<void> => {
    try {
      const checkpoint = await readModels.checkpointOf(projection);
      for (const waiter of waiting)
        if (checkpoint && comparePositions(checkpoint, waiter.position) >= 0) {
          waiting.delete(waiter);
          paces.delete(keyOf(projection));
          waiter.resolve(true);
        }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      waiting.clear();
    }
  };

  const join = (projection: Collection, waiter: Waiter): Queue => {
    const known = queues.get(keyOf(projection));
    if (known) {
      known.waiting.add(waiter);
      // What was written a moment ago may be projected at any moment: look often again.
      known.pauseMs = FIRST_PAUSE_MS;
      known.pause.abort(WAIT_ENDED);
      return known;
    }
    const queue = { waiting: new Set([waiter]), pause: new AbortController(), pauseMs: FIRST_PAUSE_MS };
    queues.set(keyOf(projection), queue);
    void look(projection, queue);
    return queue;
  };

  const queueUp = async (projection: Collection, position: Position, timeoutMs: number): Promise<boolean> => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const waiter = { position, resolve, reject };
    const queue = join(projection, waiter);
    const over = new AbortController();
    const timeout = clock.wait(timeoutMs, { signal: over.signal, background: true }).then(() => false);
    try {
      return await Promise.race([promise, timeout]);
    } finally {
      over.abort(WAIT_ENDED);
      queue.waiting.delete(waiter);
      if (queue.waiting.size === 0) queue.pause.abort(WAIT_ENDED);
    }
  };

  return {
    waitFor: async (projection, position, timeoutMs) =>
      (await leftMs(projection, position)) === 0 || (timeoutMs > 0 && queueUp(projection, position, timeoutMs)),
    leftMs,
    lookNow() {
      for (const { pause } of queues.values()) pause.abort(WAIT_ENDED);
    },
  };
};

const keyOf = ({ name, version }: Collection): string => `${name}/${version}`;
