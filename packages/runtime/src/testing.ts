import type { Clock } from "./clock.ts";
import { idsFrom } from "./ids.ts";
import type { Runtime } from "./index.ts";
import type { Random } from "./random.ts";

/** A clock that stands still until it is advanced; waits end when their moment is reached. */
export class ManualClock implements Clock {
  #nowMs: number;
  readonly #startMs: number;
  #waiting: { atMs: number; wake: () => void }[] = [];

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs - this.#startMs;
  }

  wait(durationMs: number, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting = this.#waiting.filter((waiting) => waiting !== entry);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const entry = { atMs: this.#nowMs + durationMs, wake: end };
      this.#waiting.push(entry);
      signal?.addEventListener("abort", end, { once: true });
    });
  }

  /** Moves time forward, waking every wait that falls due, in the order of their moments. */
  advance(durationMs: number): void {
    this.#nowMs += durationMs;
    const due = this.#waiting.filter(({ atMs }) => atMs <= this.#nowMs).sort((a, b) => a.atMs - b.atMs);
    this.#waiting = this.#waiting.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { wake } of due) wake();
  }
}

/** Repeatable chance: the same seed gives the same bytes (mulberry32; for tests only). */
export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    fraction,
    bytes: (length) => Buffer.from(Array.from({ length }, () => Math.floor(fraction() * 256))),
  };
};

/** A whole runtime for tests: one seed, one standing clock. */
export const testRuntime = (seed = 1, startMs?: number): Runtime & { clock: ManualClock } => {
  const clock = new ManualClock(startMs);
  const random = seededRandom(seed);
  return { clock, random, ids: idsFrom(clock, random) };
};
