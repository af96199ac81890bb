import { comparePositions, type Position } from "@rubrica/event-store";
import { type Clock, WAIT_ENDED } from "@rubrica/runtime";
import type { Collection, ReadModelStore } from "./port.ts";

const FIRST_PAUSE_MS = 2;
const PAUSE_GROWTH = 1.5;
const MAX_PAUSE_MS = 50;

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

/** A projection's name for maps. */
export const keyOf = ({ name, version }: Collection): string => `${name}/${version}`;

/**
 * Those who wait for projections to come up to a position. One read of a projection's checkpoint serves all who wait for it.
 * @param reached told each time that somebody's wait for a projection ends well
 */
export const createWaiters = (
  readModels: Pick<ReadModelStore, "checkpointOf">,
  clock: Clock,
  reached: (projection: Collection) => void,
) => {
  const queues = new Map<string, Queue>();

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
          reached(projection);
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

  const waitFor = async (projection: Collection, position: Position, timeoutMs: number): Promise<boolean> => {
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
    waitFor,
    /** Has whoever waits look at once. */
    lookNow: (): void => {
      for (const { pause } of queues.values()) pause.abort(WAIT_ENDED);
    },
  };
};
