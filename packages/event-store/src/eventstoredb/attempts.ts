import type { Clock, Random } from "@rubrica/runtime";
import { closedError, isPassing, lastingErrorOf, Silence, unreachableError } from "./errors.ts";

/** How long one attempt may take before it counts as lost. */
const ATTEMPT_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;

/** What every call needs to have an end. */
export interface Patience {
  clock: Clock;
  random: Random;
  /** How long a call may take, all its attempts together. */
  limitMs: number;
  /** Aborted when the store is closed: every call ends then. */
  closing: AbortSignal;
}

/** How long to wait after so many failures in a row: doubling, up to 2 s, spread by chance. */
export const pauseMs = (failures: number, random: Random): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) * (0.5 + random.fraction() / 2);

/**
 * What `work` gives, if it does so in time; the signal that it is given is aborted when nobody waits for it any more.
 * @throws {Silence} when it takes longer. @throws {EventStoreDbError} when the store is closed meanwhile.
 */
export const within = async <T>(
  { clock, closing }: Patience,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, closing]);
  const working = work(signal);
  // It may fail after it was given up.
  working.catch(() => {});
  const limit = clock.wait(limitMs, { signal }).then(() => {
    if (closing.aborted) throw closedError();
    throw new Silence(limitMs);
  });
  limit.catch(() => {});
  try {
    return await Promise.race([working, limit]);
  } finally {
    over.abort();
  }
};

/**
 * Attempts again and again until it succeeds, the limit is reached, or trying again can't help. `attempt` is also told
 * how long it may take, in milliseconds.
 * @throws {EventStoreDbError} and what `attempt` throws for its caller.
 */
export const insist = async <T>(
  patience: Patience,
  attempt: (signal: AbortSignal, limitMs: number) => Promise<T>,
): Promise<T> => {
  const { clock, random, limitMs, closing } = patience;
  const endMs = clock.monotonicMs() + limitMs;
  for (let failures = 0; ; failures++) {
    if (closing.aborted) throw closedError();
    try {
      const attemptMs = Math.max(1, Math.min(ATTEMPT_MS, endMs - clock.monotonicMs()));
      return await within(patience, attemptMs, (signal) => attempt(signal, attemptMs));
    } catch (error) {
      if (closing.aborted) throw closedError();
      if (!isPassing(error)) throw lastingErrorOf(error);
      const pause = pauseMs(failures, random);
      if (clock.monotonicMs() + pause >= endMs) throw unreachableError(limitMs, error);
      await clock.wait(pause, { signal: closing });
    }
  }
};
