/** By how much a pause may be lengthened, at most, so that what failed together is not tried again together. */
const MAX_JITTER = 0.1;

/** How often, and after which pauses, what failed is tried again. */
export interface RetryPolicy {
  /** Pauses after the first, second … attempt that failed, in milliseconds; the last one repeats. */
  delaysMs: readonly number[];
  /** The attempt after which it is given up, from 1; Infinity: it is tried for as long as it is owed. */
  maxAttempts: number;
}

/** An attempt that failed. */
interface FailedAttempt {
  /** From 1. */
  attempt: number;
  /** Milliseconds since the UNIX epoch. */
  now: number;
  /** A fraction in [0, 1), by chance. */
  jitter: number;
  /** The shortest pause that the other side asked for, in milliseconds. */
  notBeforeMs?: number | undefined;
}

/** When the next attempt is due: after the policy's pause, or a longer one that was asked for, lengthened by up to a tenth. */
export const retryAt = (
  { delaysMs }: Pick<RetryPolicy, "delaysMs">,
  { attempt, now, jitter, notBeforeMs = 0 }: FailedAttempt,
): string => {
  const delayMs = delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0;
  return new Date(now + Math.round(Math.max(delayMs, notBeforeMs) * (1 + MAX_JITTER * jitter))).toISOString();
};

/** The same, or null after the last attempt that the policy allows. */
export const retryAtMost = (policy: RetryPolicy, failed: FailedAttempt): string | null =>
  failed.attempt < policy.maxAttempts ? retryAt(policy, failed) : null;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

type Step = readonly [amount: number, unit: "s" | "min" | "h"];

/** Delays in milliseconds. */
export const delays = (...steps: readonly Step[]): readonly number[] =>
  steps.map(([amount, unit]) => amount * { s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS }[unit]);

/** Tried again for as long as it is owed. */
export const retriedForever = (...steps: readonly Step[]): RetryPolicy => ({
  delaysMs: delays(...steps),
  maxAttempts: Number.POSITIVE_INFINITY,
});

/** Tried again once after each pause, then given up. */
export const retriedOnceAfterEach = (...steps: readonly Step[]): RetryPolicy => ({
  delaysMs: delays(...steps),
  maxAttempts: steps.length + 1,
});
