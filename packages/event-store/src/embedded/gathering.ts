import { performance } from "node:perf_hooks";
import { type Clock, systemClock } from "@rubrica/runtime";

/** While this thread is busy, a group begins so long after the one before, in milliseconds … */
const APART_MS = 10;
/** … unless so many appends wait: they share enough as it is. */
const ENOUGH = 8;
/** How long this thread is watched before it is called busy, in milliseconds, and the share of it that is. */
const [WATCHED_MS, BUSY_SHARE] = [200, 0.8];

/** Resolves when the next group should begin. `waiting`: the appends that would be in it. */
export type Gather = (waiting: number) => Promise<void>;

/**
 * Lets groups grow while this thread is busy. Each group wakes the thread that commits, whoever follows the store, and
 * the writers of read models: that costs more than the appends. While the thread is not busy, nobody waits. Measures real
 * time, not the service's clock: it is processor time that is saved.
 */
export const gatherWhileBusy = (isBusy = busyThread(), clock: Clock = systemClock): Gather => {
  let beganMs = Number.NEGATIVE_INFINITY;
  return async (waiting) => {
    const leftMs = beganMs + APART_MS - clock.monotonicMs();
    if (leftMs > 0 && waiting < ENOUGH && isBusy()) await clock.wait(leftMs);
    beganMs = clock.monotonicMs();
  };
};

/** Tells whether this thread had next to no rest lately. */
const busyThread = (): (() => boolean) => {
  let watched = performance.eventLoopUtilization();
  let isBusy = false;
  return () => {
    const { active, idle, utilization } = performance.eventLoopUtilization(watched);
    if (active + idle >= WATCHED_MS) {
      isBusy = utilization >= BUSY_SHARE;
      watched = performance.eventLoopUtilization();
    }
    return isBusy;
  };
};
