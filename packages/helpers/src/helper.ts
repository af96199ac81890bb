import { type Clock, WAIT_ENDED } from "@rubrica/runtime";
import type { HelperBudget, Weighed } from "./budget.ts";
import { BoundExceeded } from "./errors.ts";
import { type End, HelperProcess, type Start } from "./process.ts";
import type { Answer } from "./serve.ts";

/** What one task may take. */
export interface TaskLimits {
  /** Processor time, in milliseconds: how busy the machine is does not count. */
  cpuMs: number;
  /** JavaScript memory of a helper, in MB, given on its command line. */
  heapMb: number;
  /** All memory of a helper's own, in MB. */
  memoryMb: number;
}

/** How a task came to its end: answered, beyond a bound, or cut short by something that is not its own doing. */
export type TaskResult = Answer | BoundExceeded | "crowded_out" | "overdue" | "died";

/** For a process to start, by the clock on the wall: some 0.3 s where the machine has nothing else to do. */
const START_TIMEOUT_MS = 30_000;
/**
 * On the wall clock a task may take so many times its processor time, and this more; then it is not the task that is slow.
 * Helpers give way to whatever else computes: beside eight processes that do, they get a fiftieth of the machine.
 */
const WALL_FACTOR = 4;
const WALL_LEAST_MS = 20_000;

/** A helper process with the task that it has in hand, if any, and the bounds on that. */
export class Helper implements Weighed {
  readonly #clock: Clock;
  readonly #budget: HelperBudget;
  readonly #limits: TaskLimits;
  readonly #process: HelperProcess;
  memoryMb = 0;
  restsSinceMs: number;
  #task: { beganCpuMs: number | undefined; mayBeCrowdedOut: boolean; cutShort(outcome: TaskResult): void } | undefined;
  #highWaterMb = 0;
  #cpuMs = 0;

  constructor(clock: Clock, budget: HelperBudget, limits: TaskLimits, start: Omit<Start, "heapMb" | "user">) {
    this.#clock = clock;
    this.#budget = budget;
    this.#limits = limits;
    this.restsSinceMs = clock.monotonicMs();
    this.#process = new HelperProcess({ ...start, heapMb: limits.heapMb, user: budget.user });
    budget.join(this);
  }

  get works(): boolean {
    return this.#task !== undefined;
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  /** Tasks that it was given. */
  get tasks(): number {
    return this.#process.tasks;
  }

  /** How it ended, for the log. */
  get end(): string {
    return this.#process.end;
  }

  /**
   * Runs a task. Unless it is answered, the helper is of no more use: {@link kill} it.
   * @param mayBeCrowdedOut whether it may be ended to make room for others
   */
  async run(question: unknown, mayBeCrowdedOut: boolean): Promise<{ outcome: TaskResult; cpuMs: number }> {
    const ended = new AbortController();
    let beganCpuMs = 0;
    this.#process.hold();
    const answered = async (): Promise<TaskResult> => {
      await this.#process.ready;
      // An idle helper uses no processor time: what was read after its last task still holds.
      if (this.#process.tasks === 0) this.#account();
      beganCpuMs = this.#cpuMs;
      if (this.#task) this.#task.beganCpuMs = beganCpuMs;
      return outcomeOf(await this.#process.run(question));
    };
    const cutShort = new Promise<TaskResult>((resolve) => {
      this.#task = { beganCpuMs: undefined, mayBeCrowdedOut, cutShort: resolve };
    });
    this.#budget.watch();
    try {
      const outcome = await Promise.race([answered(), cutShort, this.#wallLimit(ended.signal)]);
      this.#account();
      return { outcome, cpuMs: this.#cpuMs - beganCpuMs };
    } finally {
      ended.abort(WAIT_ENDED);
      this.#task = undefined;
      this.restsSinceMs = this.#clock.monotonicMs();
    }
  }

  checkBounds(): void {
    this.#account();
    if (this.#task?.beganCpuMs === undefined) return;
    if (this.#cpuMs - this.#task.beganCpuMs > this.#limits.cpuMs) this.#task.cutShort(new BoundExceeded("time"));
    else if (this.memoryMb > this.#limits.memoryMb) this.#task.cutShort(new BoundExceeded("memory"));
  }

  get highWaterMb(): number {
    this.#highWaterMb = Math.max(this.#highWaterMb, this.#process.highWaterMb() ?? 0);
    return this.#highWaterMb;
  }

  freeMemory(): number {
    if (this.#task && !this.#task.mayBeCrowdedOut) return 0;
    this.#task?.cutShort("crowded_out");
    void this.#process.kill();
    const freedMb = this.memoryMb;
    this.memoryMb = 0;
    return freedMb;
  }

  async kill(): Promise<void> {
    this.#budget.leave(this);
    await this.#process.kill();
  }

  #account(): void {
    const usage = this.#process.usage();
    this.memoryMb = usage?.memoryMb ?? 0;
    // Of one that is gone, what was last seen counts.
    this.#cpuMs = Math.max(this.#cpuMs, usage?.cpuMs ?? 0);
  }

  /** Ends a task that takes far too long on the wall clock: as overdue, or, where the system tells no processor time, as beyond its bound. */
  async #wallLimit(signal: AbortSignal): Promise<TaskResult> {
    const started = new AbortController();
    void this.#process.ready.then(() => started.abort(WAIT_ENDED));
    const starting = AbortSignal.any([signal, started.signal]);
    await this.#clock.wait(START_TIMEOUT_MS, { signal: starting, background: true });
    if (!started.signal.aborted) return "overdue";
    const wallMs = WALL_LEAST_MS + WALL_FACTOR * this.#limits.cpuMs;
    await this.#clock.wait(wallMs, { signal, background: true });
    return this.#process.usage() === undefined && this.isAlive ? new BoundExceeded("time") : "overdue";
  }
}

const outcomeOf = (answer: Answer | End): TaskResult =>
  answer === "out_of_memory" ? new BoundExceeded("memory") : answer;
