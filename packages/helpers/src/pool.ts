import { channel } from "node:diagnostics_channel";
import { type Clock, WAIT_ENDED } from "@rubrica/runtime";
import type { HelperBudget, TaskEnd, Watched } from "./budget.ts";
import { BoundExceeded, HelpersBusy, PoolClosed, TaskFailed } from "./errors.ts";
import { FairQueue, type QueueLimits } from "./fair-queue.ts";
import { Helper, type TaskLimits, type TaskResult } from "./helper.ts";

/** What a pool is made of. */
export interface HelperPoolOptions {
  clock: Clock;
  /** Shared by all pools of the service. */
  budget: HelperBudget;
  /** For people: in the system's list of processes, and in errors. */
  name: string;
  /** The module that calls `serveTasks`. */
  entry: URL;
  /** Helpers at once; one caller alone may have all. Each is started when it is first needed. */
  processes: number;
  /** Helpers beyond these, for callers who have none at work (0). */
  spare?: number;
  limits: TaskLimits;
  queue: QueueLimits;
}

/** Processes that do one kind of work. */
export interface HelperPool<Task, Result> {
  /**
   * Runs a task on the next helper that is free.
   * @param task structured-clonable
   * @param caller who it is done for: helpers are shared fairly between callers
   * @throws {BoundExceeded} when it takes more than a task may. @throws {HelpersBusy} when too much waits, and when it
   * was tried twice and the helper died of something else. @throws {TaskFailed} when it threw. @throws {PoolClosed}
   */
  run(task: Task, caller: string): Promise<Result>;
  /** From now on keeps one helper ready that has no task, as far as there may be so many: nobody waits for a start. */
  warm(): void;
  /** Ends all helpers; what runs or waits is rejected with {@link PoolClosed}. */
  close(): Promise<void>;
}

/** Libraries intern what they read, and memory gets scattered: a helper is replaced after so many tasks. */
const TASKS_PER_HELPER = 1_000;
/** A helper without work gives its memory back after so long. */
const IDLE_MS = 60_000;
/** The share of a task's memory that an idle helper may keep: one that holds more after a task is replaced. */
const RESTING_SHARE = 0.4;
/** A task that was cut short is tried once more. */
const ATTEMPTS = 2;
/** How long the second attempt waits for memory, and how often it looks for it. */
const MEMORY_TIMEOUT_MS = 10_000;
const MEMORY_POLL_MS = 100;

/** Where is told that a task of a caller has come to wait for a helper (`queued`), and that it got one (`taken`). */
const tasks = channel("rubrica:helpers:task");

interface Job {
  task: unknown;
  caller: string;
  /** From 1. */
  attempt: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** Starts no process yet. */
export const createHelperPool = <Task, Result>(options: HelperPoolOptions): HelperPool<Task, Result> =>
  new Pool(options);

class Pool<Task, Result> implements HelperPool<Task, Result>, Watched {
  readonly name: string;
  readonly #options: HelperPoolOptions;
  readonly #queue: FairQueue<Job>;
  /** Idle helpers, each with its idle timer's abort controller. */
  readonly #idle = new Map<Helper, AbortController>();
  readonly #all = new Set<Helper>();
  readonly #unsettled = new Set<Job>();
  #keepsSpare = false;
  #closed = false;

  constructor(options: HelperPoolOptions) {
    this.name = options.name;
    this.#options = options;
    this.#queue = new FairQueue(options.clock, options.queue);
    options.budget.opened(this);
  }

  working = (): number => this.#all.size - this.#idle.size;
  idle = (): number => this.#idle.size;
  waiting = (): number => this.#queue.waiting;

  run(task: Task, caller: string): Promise<Result> {
    if (this.#closed) return Promise.reject(new PoolClosed());
    return new Promise<Result>((resolve, reject) => {
      const job: Job = { task, caller, attempt: 1, resolve: resolve as (result: unknown) => void, reject };
      if (!this.#queue.push(caller, job)) {
        this.#options.budget.ended(this.name, "crowded_out");
        return reject(new HelpersBusy(`too much waits for ${this.name}`));
      }
      this.#tell("queued", job);
      this.#unsettled.add(job);
      this.#next();
    });
  }

  warm(): void {
    this.#keepsSpare = true;
    this.#startSpare();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#options.budget.closed(this);
    for (const job of this.#unsettled) job.reject(new PoolClosed());
    this.#unsettled.clear();
    this.#queue.clear();
    await Promise.all([...this.#all].map((helper) => this.#end(helper)));
  }

  #next(): void {
    for (;;) {
      if (this.#closed) return;
      const { processes: shared, spare = 0 } = this.#options;
      const taken = this.#queue.take({ working: this.working(), shared, spare, hasMemory: this.#hasMemory });
      if (!taken) return;
      this.#tell("taken", taken);
      void this.#work(taken);
    }
  }

  async #work(job: Job): Promise<void> {
    const helper = this.#helperFor(job);
    this.#startSpare();
    const { outcome, cpuMs } = await helper.run(job.task, job.attempt < ATTEMPTS);
    this.#queue.ended(job.caller, cpuMs);
    if (isAnswer(outcome) && this.#mayRest(helper)) this.#rest(helper);
    else await this.#end(helper);
    this.#startSpare();
    if (isCutShort(outcome) && job.attempt < ATTEMPTS) void this.#again(job);
    else this.#settle(job, outcome, helper.end);
    this.#next();
  }

  #tell(what: "queued" | "taken", { caller }: Job): void {
    tasks.publish({ pool: this.name, caller, what });
  }

  #hasMemory = (): boolean => {
    const { budget, limits } = this.#options;
    return budget.takenMb() + limits.memoryMb <= budget.totalMb;
  };

  /** Helpers that there may be at once. */
  get #most(): number {
    return this.#options.processes + (this.#options.spare ?? 0);
  }

  #mayRest({ tasks, memoryMb }: Helper): boolean {
    return tasks < TASKS_PER_HELPER && memoryMb <= this.#options.limits.memoryMb * RESTING_SHARE;
  }

  /**
   * A caller of heavy tasks gets a new helper, or the least used: such a task may end it, or leave it large. Others get
   * the most used, so that those that are not needed end. While others work for several callers, they get the one that
   * has rested longest: kept for a caller who comes now and then, a helper would stay slow, since its code is compiled as
   * it is used.
   */
  #helperFor({ caller, attempt }: Job): Helper {
    // A retry gets a fresh process.
    if (attempt > 1) return this.#start();
    const isHeavy = this.#queue.isHeavy(caller);
    if (isHeavy && this.#all.size < this.#most) return this.#start();
    const isShared = this.working() > 0 && this.#queue.hasOthers(caller);
    const forLight = isShared ? "longestIdle" : "mostUsed";
    return this.#takeIdle(isHeavy ? "leastUsed" : forLight) ?? this.#start();
  }

  #settle(job: Job, outcome: TaskResult, end: string): void {
    this.#unsettled.delete(job);
    this.#options.budget.ended(this.name, endOf(outcome));
    if (outcome instanceof BoundExceeded) job.reject(outcome);
    else if (isCutShort(outcome)) job.reject(this.#busy(outcome, end));
    else if (outcome.kind === "done") job.resolve(outcome.result);
    else job.reject(new TaskFailed(outcome.kind === "failed" ? outcome.message : "a helper answered unasked"));
  }

  /** Puts a job in line once more, as soon as there is memory for whatever it may take. */
  async #again(job: Job): Promise<void> {
    const { clock, budget } = this.#options;
    job.attempt += 1;
    for (let waitedMs = 0; !this.#hasMemory(); waitedMs += MEMORY_POLL_MS) {
      if (waitedMs >= MEMORY_TIMEOUT_MS) return this.#settle(job, "crowded_out", "no room");
      budget.makeIdleEnd();
      await clock.wait(MEMORY_POLL_MS, { background: true });
    }
    if (this.#closed) return;
    this.#queue.pushAgain(job.caller, job);
    this.#tell("queued", job);
    this.#next();
  }

  #busy(cut: CutShort, end: string): HelpersBusy {
    return new HelpersBusy(`${this.name} ${sentences[cut]}`, { cause: new Error(end) });
  }

  #start(): Helper {
    const { clock, budget, limits, name, entry } = this.#options;
    const helper = new Helper(clock, budget, limits, { entry, title: `rubrica: ${name}` });
    this.#all.add(helper);
    return helper;
  }

  #takeIdle(which: "leastUsed" | "mostUsed" | "longestIdle"): Helper | undefined {
    const idle = [...this.#idle.keys()];
    if (which !== "longestIdle") idle.sort((a, b) => (which === "leastUsed" ? a.tasks - b.tasks : b.tasks - a.tasks));
    for (const helper of idle) {
      this.#idle.get(helper)?.abort(WAIT_ENDED);
      this.#idle.delete(helper);
      if (helper.isAlive) return helper;
      void this.#end(helper);
    }
    return undefined;
  }

  #startSpare(): void {
    const mayStart = !this.#closed && this.#all.size < this.#most;
    if (this.#keepsSpare && this.#idle.size === 0 && mayStart) this.#rest(this.#start());
  }

  /** Keeps a helper for the next task, for a while; after {@link warm} the last idle one for as long as it takes. */
  #rest(helper: Helper): void {
    const needed = new AbortController();
    this.#idle.set(helper, needed);
    const { signal } = needed;
    void this.#options.clock.wait(IDLE_MS, { signal, background: true }).then(() => {
      if (signal.aborted || !this.#idle.has(helper)) return;
      if (this.#keepsSpare && this.#idle.size === 1) this.#rest(helper);
      else void this.#end(helper);
    });
  }

  async #end(helper: Helper): Promise<void> {
    this.#idle.get(helper)?.abort(WAIT_ENDED);
    this.#idle.delete(helper);
    this.#all.delete(helper);
    await helper.kill();
  }
}

type CutShort = Extract<TaskResult, string>;

const sentences: Record<CutShort, string> = {
  crowded_out: "has no memory left for now",
  overdue: "takes too long for now",
  died: "died in the middle of its work, twice",
};

const endOf = (outcome: TaskResult): TaskEnd => {
  if (outcome instanceof BoundExceeded) return "refused";
  if (isCutShort(outcome)) return outcome === "crowded_out" ? "crowded_out" : "failed";
  return outcome.kind === "done" ? "done" : "failed";
};

const isCutShort = (outcome: TaskResult): outcome is CutShort => typeof outcome === "string";
const isAnswer = (outcome: TaskResult): boolean => !isCutShort(outcome) && !(outcome instanceof BoundExceeded);
