const FIRST_INTERVAL_MS = 30_000;
const MAX_INTERVAL_MS = 600_000;

/** A time between two publishings of what stays open, in milliseconds since it fell due. */
export interface Interval {
  /** From 0. */
  number: number;
  startMs: number;
  endMs: number;
}

/**
 * In which interval an obligation is that fell due so long ago. It is published at the start of each interval: at once,
 * after 30 s, and so on, doubling to 10 min. The number follows from the clock alone: every publisher comes to the same
 * one, also after a restart.
 */
export const intervalAt = (sinceDueMs: number): Interval => {
  let interval: Interval = { number: 0, startMs: 0, endMs: FIRST_INTERVAL_MS };
  while (interval.endMs <= sinceDueMs) {
    const { number, startMs, endMs } = interval;
    const lengthMs = Math.min((endMs - startMs) * 2, MAX_INTERVAL_MS);
    // All further ones are as long: those that are over are passed over at once.
    const passed = lengthMs === MAX_INTERVAL_MS ? Math.floor((sinceDueMs - endMs) / lengthMs) : 0;
    const nextMs = endMs + passed * lengthMs;
    interval = { number: number + 1 + passed, startMs: nextMs, endMs: nextMs + lengthMs };
  }
  return interval;
};
