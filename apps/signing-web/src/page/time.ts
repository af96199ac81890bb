/** Resolves after `durationMs`; rejects when `signal` is aborted. */
export const wait = (durationMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, durationMs);
    signal.addEventListener("abort", abort, { once: true });
  });

/**
 * Asks again and again, first after one second, then ever more patiently up to ten, for some ten minutes in all.
 * Resolves with true once `done` does, with false when the attempts are used up; rejects when `signal` is aborted.
 * An attempt that fails counts as "not yet".
 */
export const poll = async (done: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> => {
  const attempts = 65;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await wait(Math.min(10_000, 1_000 * 1.35 ** attempt), signal);
    if (await done().catch(() => false)) return true;
  }
  return false;
};

/** Calls back when the network is said to be there again, until `signal` is aborted. */
export const whenOnline = (callback: () => void, signal: AbortSignal): void =>
  addEventListener("online", callback, { signal });
