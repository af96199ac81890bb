import type { Clock } from "./clock.ts";

/** What was found out, told again for a while, a failure too: whoever asks meanwhile costs nothing. */
export const remembered = <Found>(clock: Clock, forMs: number, look: () => Promise<Found>): (() => Promise<Found>) => {
  let last: { atMs: number; found: Promise<Found> } | undefined;
  return () => {
    const nowMs = clock.monotonicMs();
    if (last && nowMs - last.atMs < forMs) return last.found;
    last = { atMs: nowMs, found: look() };
    return last.found;
  };
};
