import { type Clock, systemClock } from "@rubrica/runtime";

/** A clock that does not wait between attempts, and may be ahead of the machine's. */
export const impatient = (aheadMs = 0): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + aheadMs,
  wait: (durationMs, options) => (options?.background ? systemClock.wait(durationMs, options) : Promise.resolve()),
});

/** A clock whose time limits run out when told to. */
export function overdue(): Clock & { runOut(): void } {
  const running: (() => void)[] = [];
  return {
    ...systemClock,
    wait: async (_durationMs, options) => {
      if (options?.background) await new Promise<void>((resolve) => running.push(resolve));
    },
    runOut: () => running.shift()?.(),
  };
}
