import type { Clock } from "@rubrica/runtime";

/**
 * Shares refreshes among those who ask at the same time, with a pause between them: whoever asks gets a refresh that
 * began after the question, and a flood of questions costs one refresh a pause.
 */
export const refreshGate = (refresh: () => Promise<void>, clock: Clock, pauseMs: number): (() => Promise<void>) => {
  let next: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  let lastBeganMs = Number.NEGATIVE_INFINITY;

  const runNext = async (): Promise<void> => {
    await running;
    const pauseLeftMs = lastBeganMs + pauseMs - clock.monotonicMs();
    if (pauseLeftMs > 0) await clock.wait(pauseLeftMs);
    // The refresh begins now: whoever asks later needs another one.
    next = undefined;
    lastBeganMs = clock.monotonicMs();
    const refreshing = refresh();
    running = refreshing.catch(() => undefined);
    await refreshing;
  };

  return () => {
    next ??= runNext();
    return next;
  };
};
