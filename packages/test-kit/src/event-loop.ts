/** What a thread computed, in milliseconds; what other processes took meanwhile does not count. */
export interface ThreadWork {
  /** Between two iterations of the event loop, at most. */
  longestIterationMs: number;
  totalMs: number;
}

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Watches the iterations of this thread's event loop while something is done. */
export const threadWorkWhile = async <Result>(
  work: () => Promise<Result>,
): Promise<ThreadWork & { result: Result }> => {
  const startedMs = cpuMs();
  let before = startedMs;
  let longestIterationMs = 0;
  let watching = true;
  const look = (): void => {
    const now = cpuMs();
    longestIterationMs = Math.max(longestIterationMs, now - before);
    before = now;
    if (watching) setImmediate(look);
  };
  setImmediate(look);
  try {
    const result = await work();
    look();
    return { result, longestIterationMs, totalMs: before - startedMs };
  } finally {
    watching = false;
  }
};

const ATTEMPTS = 3;

/**
 * How many seconds of this thread's processor time something takes, the system's apart: the least of up to three times,
 * since noise only adds; once it is less than `boundSeconds`, it is not done again.
 */
export const leastThreadSeconds = async (boundSeconds: number, work: () => Promise<unknown>): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= boundSeconds; attempt += 1) {
    const before = process.threadCpuUsage();
    await work();
    least = Math.min(least, process.threadCpuUsage(before).user / 1e6);
  }
  return least;
};
