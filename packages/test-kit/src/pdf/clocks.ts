import { type Clock, systemClock } from "@rubrica/runtime";

/** A clock that does not wait between attempts, and may be ahead of the machine's. */
export const impatient = (aheadMs = 0): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + aheadMs,
  wait: (durationMs, options) => (options?.background ? systemClock.wait(durationMs, options) : Promise.resolve()),
});

/** A clock whose time limits run out when told to. */
export const overdue = (): Clock & { runOut(): void } => {
  let running: (() => void)[] = [];
  return {
    ...systemClock,
    wait: async (_durationMs, options) => {
      if (!options?.background) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      running.push(resolve);
      options.signal?.addEventListener("abort", () => {
        running = running.filter((one) => one !== resolve);
      });
      await promise;
    },
    runOut: () => running.shift()?.(),
  };
};
