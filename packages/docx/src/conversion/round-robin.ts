import type { QueueLimits } from "@rubrica/helpers";

/** Who wants something done, and how much of it is under way. */
interface Caller<Job> {
  waiting: Job[];
  running: number;
}

/**
 * What waits for a process: callers come one after the other, so that a backlog delays nobody but its own caller, and where there are
 * several processes none holds the last free one.
 *
 * Not FairQueue (@rubrica/helpers): that goes by the time of processors that each caller used, which nobody measures of a warm
 * office program, and lets a caller who is alone have all helpers.
 */
export class RoundRobin<Job> {
  readonly #processes: number;
  readonly #limits: QueueLimits;
  /** Whose job was taken last stands last. */
  readonly #callers = new Map<string, Caller<Job>>();
  #waiting = 0;

  constructor(processes: number, limits: QueueLimits) {
    this.#processes = processes;
    this.#limits = limits;
  }

  /** Puts a job in line; false when too much waits already. */
  push(name: string, job: Job): boolean {
    const caller = this.#callers.get(name) ?? { waiting: [], running: 0 };
    if (this.#waiting >= this.#limits.all || caller.waiting.length >= this.#limits.ofOne) return false;
    caller.waiting.push(job);
    this.#callers.set(name, caller);
    this.#waiting++;
    return true;
  }

  /** The next job that may have a process that is free. Tell by {@link ended} when it is done. */
  take(): Job | undefined {
    const most = Math.max(1, this.#processes - 1);
    for (const [name, caller] of this.#callers) {
      if (caller.running >= most) continue;
      const job = caller.waiting.shift();
      if (job === undefined) continue;
      caller.running++;
      this.#waiting--;
      this.#standLast(name, caller);
      return job;
    }
    return undefined;
  }

  /** A job that was taken is done. */
  ended(name: string): void {
    const caller = this.#callers.get(name);
    if (!caller) return;
    caller.running--;
    if (caller.running === 0 && caller.waiting.length === 0) this.#callers.delete(name);
    else this.#standLast(name, caller);
  }

  #standLast(name: string, caller: Caller<Job>): void {
    this.#callers.delete(name);
    this.#callers.set(name, caller);
  }
}
