/** Time, given to whoever needs it, so that one seed can replay the whole system. */
export interface Clock {
  /** Milliseconds since the UNIX epoch. */
  now(): number;
  /** A moment that only moves forward, in milliseconds, for measuring durations. */
  monotonicMs(): number;
  /**
   * Resolves after `durationMs` (at once where that is below zero), or as soon as `signal` is aborted (it never rejects).
   * A wait does not keep the process alive by itself when `background` is true.
   */
  wait(durationMs: number, options?: { signal?: AbortSignal | undefined; background?: boolean }): Promise<void>;
}

/**
 * What a signal that only ends a wait is aborted with. Without a reason each abort makes an exception with its stack,
 * which takes longer than the rest of the wait.
 */
export const WAIT_ENDED = "the wait ended";

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  wait: (durationMs, { signal, background = false } = {}) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      // The moment may have passed meanwhile: Node warns of a negative duration.
      const timer = setTimeout(done, Math.max(0, durationMs));
      if (background) timer.unref();
      signal?.addEventListener("abort", done, { once: true });
    }),
};

/** The ISO 8601 form of a clock's moment, in UTC with milliseconds, ending in `Z`. */
export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();
