import type { Clock, Random } from "@rubrica/runtime";
import type { AppendResult } from "../port.ts";
import type { PreparedAppend } from "../prepare-append.ts";
import { isBusy } from "./errors.ts";
import type { Gather } from "./gathering.ts";
import type { AppendOutcome } from "./writer.ts";

const MAX_GROUP_APPENDS = 512;
const MAX_GROUP_BYTES = 4 * 1024 * 1024;

/** How long appends wait for another process to let go of the file, all attempts together. */
const BUSY_LIMIT_MS = 10_000;
const BUSY_PAUSE_MS = 20;

/** Writes one group, in one transaction, which is durable when it resolves; the outcomes are in the group's order. */
export type Commit = (group: readonly PreparedAppend[]) => AppendOutcome[] | Promise<AppendOutcome[]>;

interface Waiting {
  append: PreparedAppend;
  resolve: (result: AppendResult) => void;
  reject: (reason: unknown) => void;
}

/**
 * Lets appends that come at the same time share one transaction, and so one sync of the disk, which is what an
 * append costs most. What arrives while one group is written makes the next.
 */
export class GroupCommit {
  readonly #commit: Commit;
  readonly #committed: () => void;
  readonly #gather: Gather | undefined;
  readonly #clock: Clock;
  readonly #random: Random;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  /** `committed` is told after each group, before its appenders are answered. */
  constructor(options: {
    commit: Commit;
    committed: () => void;
    gather?: Gather | undefined;
    clock: Clock;
    random: Random;
  }) {
    this.#commit = options.commit;
    this.#committed = options.committed;
    this.#gather = options.gather;
    this.#clock = options.clock;
    this.#random = options.random;
  }

  /** Queues the append; settles once its group is durable, or has failed. */
  append(append: PreparedAppend): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is queued any more. */
  async drained(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // A whole iteration of the event loop, so that everyone who is about to append is in the group.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#gather?.(this.#waiting.length);
      await this.#write(this.#nextGroup());
    }
    this.#running = undefined;
  }

  #nextGroup(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const { append } of this.#waiting) {
      bytes += append.sizeBytes;
      if (count > 0 && (count >= MAX_GROUP_APPENDS || bytes > MAX_GROUP_BYTES)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  /** Never throws: whatever happens, each of the group is settled. */
  async #write(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#commitPatiently(group.map(({ append }) => append));
      this.#committed();
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome && !(outcome instanceof Error)) resolve(outcome);
        else reject(outcome);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async #commitPatiently(group: readonly PreparedAppend[]): Promise<AppendOutcome[]> {
    const startMs = this.#clock.monotonicMs();
    for (;;) {
      try {
        return await this.#commit(group);
      } catch (error) {
        if (!isBusy(error) || this.#clock.monotonicMs() - startMs >= BUSY_LIMIT_MS) throw error;
        await this.#clock.wait(BUSY_PAUSE_MS * (0.5 + this.#random.fraction()));
      }
    }
  }
}
