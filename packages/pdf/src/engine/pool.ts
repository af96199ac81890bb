import { Worker } from "node:worker_threads";
import type { Clock } from "@rubrica/runtime";
import { PdfRefused } from "../port.ts";
import type { Results, Task } from "./tasks.ts";
import type { Answer } from "./worker.ts";

/** Names and references that pdf-lib interns are never freed: a worker is replaced after so many tasks. */
const TASKS_PER_WORKER = 2_000;

/** How many workers there are, and what each task may take. */
export interface PoolLimits {
  workers: number;
  timeoutMs: number;
  memoryMb: number;
  /** Tasks that may wait for a worker; more are turned away. */
  queued: number;
}

/** More documents wait than may: try again later. */
export class PdfEngineBusy extends Error {
  override name = "PdfEngineBusy";

  constructor() {
    super("too many documents are being worked on; try again later");
  }
}

interface Job {
  task: Task;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** Worker threads that run one task each at a time, and are killed when one takes too long or too much. */
export class WorkerPool {
  readonly #clock: Clock;
  readonly #limits: PoolLimits;
  readonly #idle: PoolWorker[] = [];
  readonly #all = new Set<PoolWorker>();
  readonly #queue: Job[] = [];
  #closed = false;

  constructor(clock: Clock, limits: PoolLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Starts the workers, so that the first document needn't wait for it. */
  warm(): void {
    while (!this.#closed && this.#all.size < this.#limits.workers) this.#idle.push(this.#start());
  }

  /**
   * Runs a task on the next free worker. Rejects with `PdfRefused` (`too_complex` when it exceeds time or
   * memory) or {@link PdfEngineBusy}.
   */
  run<Kind extends Task["kind"]>(task: Extract<Task, { kind: Kind }>): Promise<Results[Kind]> {
    if (this.#closed) return Promise.reject(new Error("the PDF engine is closed"));
    if (this.#queue.length >= this.#limits.queued) return Promise.reject(new PdfEngineBusy());
    return new Promise<Results[Kind]>((resolve, reject) => {
      this.#queue.push({ task, resolve: resolve as (result: unknown) => void, reject });
      this.#next();
    });
  }

  /** Ends all workers; what still runs or waits is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.reject(new Error("the PDF engine is closed"));
    await Promise.all([...this.#all].map((worker) => worker.end()));
  }

  #start(): PoolWorker {
    const worker = new PoolWorker(this.#limits.memoryMb);
    this.#all.add(worker);
    return worker;
  }

  #next(): void {
    if (this.#queue.length === 0) return;
    const worker = this.#takeIdle() ?? (this.#all.size < this.#limits.workers ? this.#start() : undefined);
    const job = worker === undefined ? undefined : this.#queue.shift();
    if (worker !== undefined && job !== undefined) void this.#work(worker, job);
  }

  #takeIdle(): PoolWorker | undefined {
    for (let worker = this.#idle.pop(); worker !== undefined; worker = this.#idle.pop()) {
      if (worker.isFree) return worker;
      this.#all.delete(worker);
    }
    return undefined;
  }

  async #work(worker: PoolWorker, job: Job): Promise<void> {
    const finished = new AbortController();
    try {
      const overdue = this.#clock
        .wait(this.#limits.timeoutMs, { signal: finished.signal, background: true })
        .then((): Answer => ({ kind: "refused", reason: "too_complex", cause: "it takes too long" }));
      settle(job, await Promise.race([worker.run(job.task), overdue]));
    } catch (error) {
      job.reject(error);
    } finally {
      finished.abort();
      this.#release(worker);
    }
  }

  #release(worker: PoolWorker): void {
    if (worker.isFree && worker.tasks < TASKS_PER_WORKER) {
      this.#idle.push(worker);
    } else {
      this.#all.delete(worker);
      void worker.end();
      // A replacement is at hand before it is asked for.
      if (!this.#closed) this.#idle.push(this.#start());
    }
    this.#next();
  }
}

function settle(job: Job, answer: Answer): void {
  switch (answer.kind) {
    case "done":
      job.resolve(answer.result);
      break;
    case "refused":
      job.reject(new PdfRefused(answer.reason, { cause: new Error(answer.cause) }));
      break;
    case "failed":
    case "ready":
      job.reject(new Error(`the PDF engine failed: ${answer.kind === "failed" ? answer.message : "out of turn"}`));
      break;
    default:
      answer satisfies never;
  }
}

/**
 * A task with bytes of its own, which are handed over: the caller keeps theirs, and what else lies in
 * the memory that a `Buffer` shares is not sent along.
 */
function packed(task: Task): { message: Task; buffers: ArrayBuffer[] } {
  const bytes = new Uint8Array(task.bytes);
  if (!("stamps" in task)) return { message: { ...task, bytes }, buffers: [bytes.buffer] };
  const stamps = task.stamps.map((stamp) => ({ ...stamp, drawing: new Uint8Array(stamp.drawing) }));
  return { message: { ...task, bytes, stamps }, buffers: [bytes.buffer] };
}

class PoolWorker {
  tasks = 0;
  readonly #worker: Worker;
  #waiting: ((answer: Answer) => void) | undefined;
  #ended = false;

  constructor(memoryMb: number) {
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      // Nothing of the process' own (keys, passwords) is of use to a reader of strangers' files.
      env: {},
    });
    this.#worker.unref();
    this.#worker.on("message", (answer: Answer) => {
      if (answer.kind !== "ready") this.#answer(answer);
    });
    this.#worker.on("error", (error) => this.#lost(error));
    this.#worker.on("exit", () => this.#lost(new Error("the worker ended")));
  }

  /** Whether it can take a task: alive, and with none in hand. */
  get isFree(): boolean {
    return !this.#ended && this.#waiting === undefined;
  }

  run(task: Task): Promise<Answer> {
    this.tasks += 1;
    return new Promise((resolve) => {
      if (this.#ended) {
        resolve({ kind: "failed", message: "the worker had ended" });
        return;
      }
      this.#waiting = resolve;
      this.#worker.ref();
      const { message, buffers } = packed(task);
      this.#worker.postMessage(message, buffers);
    });
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#answer({ kind: "failed", message: "the PDF engine is closed" });
    await this.#worker.terminate();
  }

  #answer(answer: Answer): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#worker.unref();
    waiting?.(answer);
  }

  #lost(error: Error): void {
    this.#ended = true;
    const outOfMemory = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
    this.#answer(
      outOfMemory
        ? { kind: "refused", reason: "too_complex", cause: "it takes too much memory" }
        : { kind: "failed", message: error.message },
    );
  }
}
