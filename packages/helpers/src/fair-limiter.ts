import type { Clock } from "@rubrica/runtime";
import { HelpersBusy } from "./errors.ts";
import { FairQueue, type QueueLimits } from "./fair-queue.ts";

/** Work of this process, a few pieces at a time, shared fairly between callers. */
export interface FairLimiter {
  /** Does a piece of work, as soon as the queue gives it a place. @throws {HelpersBusy} when too much waits. */
  run<Result>(work: () => Promise<Result>, caller: string): Promise<Result>;
}

export interface FairLimiterOptions {
  clock: Clock;
  /** For people, in errors. */
  name: string;
  /** Pieces of work at a time, whatever each of them takes. */
  width: number;
  queue: QueueLimits;
}

export const createFairLimiter = ({ clock, name, width, queue: limits }: FairLimiterOptions): FairLimiter => {
  const queue = new FairQueue<() => void>(clock, limits);
  let working = 0;
  // There is memory for as many as the width allows.
  const take = () => queue.take({ working, shared: width, spare: 0, hasMemory: () => true });
  const next = (): void => {
    for (let start = take(); start; start = take()) {
      working += 1;
      start();
    }
  };
  const turnOf = (caller: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!queue.push(caller, resolve)) return reject(new HelpersBusy(`too much waits for ${name}`));
      next();
    });
  return {
    async run(work, caller) {
      await turnOf(caller);
      const beganMs = clock.monotonicMs();
      try {
        return await work();
      } finally {
        working -= 1;
        queue.ended(caller, clock.monotonicMs() - beganMs);
        next();
      }
    },
  };
};
