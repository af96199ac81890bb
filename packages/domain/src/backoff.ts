/** By how much a delay may be lengthened, at most, so that what failed together is not tried again together. */
const MAX_JITTER = 0.1;

/**
 * When the attempt after `attempt` (counting from 1) is due: `delaysMs[attempt - 1]` from `now`, lengthened by up to a
 * tenth; null when the schedule has no further attempt.
 *
 * @param now milliseconds since the UNIX epoch
 * @param jitter a fraction in [0, 1), by chance
 * @param notBeforeMs a longer delay that was asked for
 */
export const nextAttemptAt = (
  delaysMs: readonly number[],
  attempt: number,
  now: number,
  jitter: number,
  notBeforeMs = 0,
): string | null => {
  const delayMs = delaysMs[attempt - 1];
  if (delayMs === undefined) return null;
  return new Date(now + Math.round(Math.max(delayMs, notBeforeMs) * (1 + MAX_JITTER * jitter))).toISOString();
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays in milliseconds, from `[amount, unit]` pairs. */
export const delays = (...steps: readonly (readonly [number, "s" | "min" | "h"])[]): readonly number[] =>
  steps.map(([amount, unit]) => amount * { s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS }[unit]);
