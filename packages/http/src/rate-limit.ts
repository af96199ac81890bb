import type { Clock } from "@rubrica/runtime";

const WINDOW_MS = 60_000;

/** How many counts are kept (some 100 bytes each); beyond it the one whose minute began first is forgotten. */
const MAX_COUNTS = 65_536;

/** What became of one request. */
export interface Taken {
  allowed: boolean;
  /** Requests that may still come in this minute. */
  remaining: number;
  /** Until the count starts anew, in whole seconds, at least 1. */
  resetSeconds: number;
}

/** Counts requests by name; one limiter is shared by all that count together. */
export interface RateLimiter {
  perMinute: number;
  take(name: string): Taken;
}

interface Count {
  beganMs: number;
  requests: number;
}

/**
 * Lets each name make `perMinute` requests in the minute that begins with its first. Refused ones count too: what goes
 * over the limit is taken off the minute that follows, up to half of it, so that to go on asking gains nothing and yet
 * shuts nobody out. Counts in memory, for this process, 65,536 names at most.
 */
export const createRateLimiter = ({ clock, perMinute }: { clock: Clock; perMinute: number }): RateLimiter => {
  /** In the order in which their minutes began. */
  const counts = new Map<string, Count>();
  const mostCarried = Math.floor(perMinute / 2);

  const begin = (name: string, last: Count | undefined, nowMs: number): Count => {
    const follows = last !== undefined && nowMs < last.beganMs + 2 * WINDOW_MS;
    const over = follows ? Math.max(0, last.requests - perMinute) : 0;
    const count = { beganMs: nowMs, requests: Math.min(over, mostCarried) };
    counts.delete(name);
    counts.set(name, count);
    const [oldest] = counts.keys();
    if (counts.size > MAX_COUNTS && oldest !== undefined) counts.delete(oldest);
    return count;
  };

  return {
    perMinute,
    take(name) {
      const nowMs = clock.monotonicMs();
      const current = counts.get(name);
      const count = current && nowMs < current.beganMs + WINDOW_MS ? current : begin(name, current, nowMs);
      count.requests += 1;
      return {
        allowed: count.requests <= perMinute,
        remaining: Math.max(0, perMinute - count.requests),
        resetSeconds: Math.max(1, Math.ceil((count.beganMs + WINDOW_MS - nowMs) / 1_000)),
      };
    },
  };
};
