import type { Clock } from "@rubrica/runtime";

/** How long drawing may take, in milliseconds. */
export interface DrawingLimits {
  /** Processor time of this thread: after it, nothing more is begun, and what can pause does. */
  processorMs: number;
  /** Time by the clock: after it, what can't pause is broken off. Longer, since others have the processor as well. */
  elapsedMs: number;
}

/** The time that one document's drawing has; it runs from when it is first asked for. */
export class DrawingTime {
  readonly #limits: DrawingLimits;
  readonly #clock: Clock;
  #began: { processor: NodeJS.CpuUsage; atMs: number } | undefined;

  constructor(limits: DrawingLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  isOver(): boolean {
    return this.#isUsed() || this.leftMs() === 0;
  }

  /** Whether it is over though little of it was used, since others had the processor. */
  wentToOthers(): boolean {
    return this.leftMs() === 0 && !this.#isUsed();
  }

  /** Whole milliseconds until what goes on is broken off. */
  leftMs(): number {
    return Math.max(0, Math.ceil(this.#limits.elapsedMs - (this.#clock.monotonicMs() - this.#start().atMs)));
  }

  #isUsed(): boolean {
    // This thread's alone: others compile what draws, as often as a process is new.
    const { user, system } = process.threadCpuUsage(this.#start().processor);
    return (user + system) / 1_000 > this.#limits.processorMs;
  }

  #start(): { processor: NodeJS.CpuUsage; atMs: number } {
    this.#began ??= { processor: process.threadCpuUsage(), atMs: this.#clock.monotonicMs() };
    return this.#began;
  }
}
