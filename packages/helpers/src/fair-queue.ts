import type { Clock } from "@rubrica/runtime";

/** After so long, what a caller used counts half. */
const HALF_LIFE_MS = 10_000;
/** Who used more than this lately … */
const BUSY_MS = 1_000;
/** … and most of it for tasks that took longer than this, has heavy tasks. */
const HEAVY_TASK_MS = 500;
/** A task that took no longer than this is a light one. */
const LIGHT_TASK_MS = 250;

/** A caller whose last task was less than so long ago counts as one who comes again. */
const COMES_AGAIN_MS = 60_000;

/** How much may wait. */
export interface QueueLimits {
  /** How many tasks of all callers together. */
  all: number;
  /** How many tasks of one caller. */
  ofOne: number;
}

/** The helpers that there may be, when a job is to be taken. */
export interface Places {
  /** Helpers at work. */
  working: number;
  /** Helpers that there may be for all. */
  shared: number;
  /** Helpers beyond these, for callers who have none at work: they wait for nobody's tasks to end. */
  spare: number;
  /** Whether there is memory for the largest task that there may be, beside what is at work. */
  hasMemory(): boolean;
}

interface Caller<Job> {
  waiting: Job[];
  running: number;
  /** Time of processors used lately, as of `asOfMs`. */
  usedMs: number;
  /** The same of the squares of each task's time: divided by `usedMs`, the mean length of a task, weighted by its time. */
  squaresMs2: number;
  asOfMs: number;
  /** Whether the last task that ended was light; null before one has ended. */
  lastWasLight: boolean | null;
}

/**
 * What waits for a helper, by caller: the one who used least lately comes first, so that a backlog delays nobody but its
 * own caller. Whoever is alone may have all shared helpers, once a first task has ended: at once if that was light, else
 * only while there is memory for the largest task that there may be. The last free helper is kept from callers of heavy
 * tasks: however busy they are, callers of light tasks don't wait for heavy ones to end.
 */
export class FairQueue<Job> {
  readonly #clock: Clock;
  readonly #limits: QueueLimits;
  readonly #callers = new Map<string, Caller<Job>>();
  #waiting = 0;

  constructor(clock: Clock, limits: QueueLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Puts a job in line; false when too much waits already. */
  push(name: string, job: Job): boolean {
    const caller = this.#callerOf(name);
    if (this.#waiting >= this.#limits.all || caller.waiting.length >= this.#limits.ofOne) return false;
    caller.waiting.push(job);
    this.#waiting += 1;
    return true;
  }

  /** Puts a job that was taken before in front of its caller's others, whatever waits. */
  pushAgain(name: string, job: Job): void {
    this.#callerOf(name).waiting.unshift(job);
    this.#waiting += 1;
  }

  /**
   * The next job that may have a helper. Tell by {@link ended} when it is done.
   */
  take(places: Places): Job | undefined {
    if (places.working >= places.shared + places.spare || this.#waiting === 0) return undefined;
    let best: { caller: Caller<Job>; usedMs: number } | undefined;
    for (const caller of this.#callers.values()) {
      const usedMs = this.#usedMs(caller);
      const isBetter = caller.waiting.length > 0 && (!best || usedMs < best.usedMs);
      if (isBetter && this.#mayRun(caller, usedMs, places)) best = { caller, usedMs };
    }
    const job = best?.caller.waiting.shift();
    if (!best || job === undefined) return undefined;
    best.caller.running += 1;
    this.#waiting -= 1;
    return job;
  }

  /** Whether a caller used much lately, and most of it for tasks that took long. */
  isHeavy(name: string): boolean {
    const caller = this.#callerOf(name);
    return this.#usedMs(caller) > BUSY_MS && hasHeavyTasks(caller);
  }

  /** Whether others than a caller have had jobs lately, or have one now. */
  hasOthers(name: string): boolean {
    const sinceMs = this.#clock.monotonicMs() - COMES_AGAIN_MS;
    for (const [other, { asOfMs, waiting, running }] of this.#callers)
      if (other !== name && (running > 0 || waiting.length > 0 || asOfMs > sinceMs)) return true;
    return false;
  }

  /** A job that was taken is done, and took so much time of processors. */
  ended(name: string, cpuMs: number): void {
    const caller = this.#callerOf(name);
    const left = this.#leftOf(caller);
    caller.usedMs = caller.usedMs * left + cpuMs;
    caller.squaresMs2 = caller.squaresMs2 * left + cpuMs ** 2;
    caller.asOfMs = this.#clock.monotonicMs();
    caller.running -= 1;
    caller.lastWasLight = cpuMs <= LIGHT_TASK_MS;
    this.#forgetIdle();
  }

  /** Forgets whatever waits. */
  clear(): void {
    for (const caller of this.#callers.values()) caller.waiting = [];
    this.#waiting = 0;
  }

  #mayRun(caller: Caller<Job>, usedMs: number, { working, shared, spare, hasMemory }: Places): boolean {
    const free = shared + spare - working;
    if (free === 1 && shared + spare > 1 && usedMs > BUSY_MS && hasHeavyTasks(caller)) return false;
    if (caller.running === 0) return true;
    if (working >= shared || caller.lastWasLight === null) return false;
    return caller.lastWasLight || hasMemory();
  }

  #usedMs(caller: Caller<Job>): number {
    return caller.usedMs * this.#leftOf(caller);
  }

  /** How much of what a caller used still counts, 0 to 1. */
  #leftOf({ asOfMs }: Caller<Job>): number {
    return 0.5 ** ((this.#clock.monotonicMs() - asOfMs) / HALF_LIFE_MS);
  }

  #callerOf(name: string): Caller<Job> {
    const known = this.#callers.get(name);
    if (known) return known;
    const asOfMs = this.#clock.monotonicMs();
    const caller = { waiting: [], running: 0, usedMs: 0, squaresMs2: 0, asOfMs, lastWasLight: null };
    this.#callers.set(name, caller);
    return caller;
  }

  /** Callers come and go: who has nothing here and used next to nothing is as good as new. */
  #forgetIdle(): void {
    if (this.#callers.size <= 2 * this.#limits.all) return;
    for (const [name, caller] of this.#callers) {
      if (caller.running === 0 && caller.waiting.length === 0 && this.#usedMs(caller) < LIGHT_TASK_MS) {
        this.#callers.delete(name);
      }
    }
  }
}

const hasHeavyTasks = ({ usedMs, squaresMs2 }: Caller<unknown>): boolean => squaresMs2 > usedMs * HEAVY_TASK_MS;
