import type { Clock } from "@rubrica/runtime";
import type { OtherUser } from "./other-user.ts";

/** How often helpers are looked at while one of them works, in milliseconds. */
const SAMPLE_MS = 50;

/** A helper, as far as its memory goes. */
export interface Weighed {
  /** Whether it has a task in hand. */
  readonly works: boolean;
  /** Since when it has had no task, or has been there, by the clock that only goes on. */
  readonly restsSinceMs: number;
  /** Memory of its own when it was last looked at, in MB. */
  readonly memoryMb: number;
  /** The most that it ever had in memory, with what is shared, in MB. */
  readonly highWaterMb: number;
  /** Looks at what it takes, and cuts a task short that is beyond a bound. */
  checkBounds(): void;
  /** Ends it, its task cut short when that may be; gives the memory that will be free, in MB. */
  freeMemory(): number;
}

/** What became of a pool's task: `refused` when the file was beyond a bound, `crowded_out` when there was no memory for it. */
export type TaskEnd = "done" | "refused" | "failed" | "crowded_out";

/** A pool, as far as an operator looks at it. */
export interface Watched {
  /** Its kind of work. */
  readonly name: string;
  /** Helpers with a task in hand. */
  working(): number;
  /** Helpers without one. */
  idle(): number;
  /** Tasks that wait for a helper. */
  waiting(): number;
}

/**
 * The memory that helpers may have of their own together. While any of them works, all are looked at every 50 ms. Where
 * they take more, those without a task end first, then the one that takes most: its task is tried again when there is
 * room.
 */
export interface HelperBudget {
  /** What they may take now. */
  readonly totalMb: number;
  /** The user that helpers run as. Undefined: this process' own. */
  readonly user: OtherUser | undefined;
  /** The pools that there are. */
  readonly pools: ReadonlySet<Watched>;
  /** Counts a pool in, until it leaves. */
  opened(pool: Watched): void;
  closed(pool: Watched): void;
  /** Tells of a task of a pool that is over. */
  ended(pool: string, end: TaskEnd): void;
  /** What all helpers took when they were last looked at, in MB. */
  takenMb(): number;
  /** The most that any of them ever had in memory, with what is shared, in MB. */
  highWaterMb(): number;
  join(helper: Weighed): void;
  leave(helper: Weighed): void;
  /** Ends helpers that have no task: somebody waits for their memory. */
  makeIdleEnd(): void;
  /** Looks at the helpers from now on, as long as one of them works. */
  watch(): void;
}

/**
 * @param totalMb memory of all helpers together at most, without what they share
 * @param user who they run as, when not as this process does
 */
export const createHelperBudget = ({
  clock,
  totalMb: mostMb,
  leftMb = () => mostMb,
  user,
  onEnded = () => {},
}: {
  clock: Clock;
  totalMb: number;
  /** What is left to them, where that may be less: asked each time when they are looked at. */
  leftMb?: () => number;
  user?: OtherUser | undefined;
  /** Told of every task that is over. */
  onEnded?: (pool: string, end: TaskEnd) => void;
}): HelperBudget => {
  const helpers = new Set<Weighed>();
  const pools = new Set<Watched>();
  let watching = false;
  let highWaterMb = 0;
  let totalMb = mostMb;

  const takenMb = (): number => [...helpers].reduce((sum, { memoryMb }) => sum + memoryMb, 0);

  const freeMemory = (): void => {
    let overMb = takenMb() - totalMb;
    if (overMb <= 0) return;
    const idle = [...helpers].filter(({ works }) => !works).sort((a, b) => a.restsSinceMs - b.restsSinceMs);
    for (const helper of idle) if (overMb > 0) overMb -= helper.freeMemory();
    if (overMb <= 0) return;
    const working = [...helpers].filter(({ works }) => works).sort((a, b) => b.memoryMb - a.memoryMb);
    working.find((helper) => helper.freeMemory() > 0);
  };

  const run = async (): Promise<void> => {
    while ([...helpers].some(({ works }) => works)) {
      for (const helper of helpers) helper.checkBounds();
      totalMb = Math.min(mostMb, leftMb());
      freeMemory();
      await clock.wait(SAMPLE_MS, { background: true });
    }
    watching = false;
  };

  return {
    get totalMb() {
      return totalMb;
    },
    user,
    pools,
    opened: (pool) => void pools.add(pool),
    closed: (pool) => void pools.delete(pool),
    ended: onEnded,
    takenMb,
    join: (helper) => void helpers.add(helper),
    makeIdleEnd() {
      for (const helper of helpers) if (!helper.works) helper.freeMemory();
    },
    highWaterMb: () => Math.max(highWaterMb, ...[...helpers].map((helper) => helper.highWaterMb)),
    leave(helper) {
      helpers.delete(helper);
      highWaterMb = Math.max(highWaterMb, helper.highWaterMb);
    },
    watch() {
      if (watching) return;
      watching = true;
      void run();
    },
  };
};
