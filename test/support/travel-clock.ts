import { type Clock, systemClock, WAIT_ENDED } from "@rubrica/runtime";

/**
 * The machine's clock, from another moment on, in which hours pass at once; and which is set, as people and time servers
 * set clocks: then its day is another one, but no time has passed.
 */
export class TravelClock implements Clock {
  #passedMs = 0;
  #setByMs = 0;
  readonly #fromMs: number;
  readonly #startMs = systemClock.monotonicMs();
  readonly #waiting = new Set<{ untilMs: number; wake: AbortController }>();

  /** @param fromMs what it shows at first; milliseconds since the UNIX epoch. */
  constructor(fromMs: number) {
    this.#fromMs = fromMs;
  }

  now(): number {
    return Math.floor(this.#fromMs + this.#elapsedMs() + this.#setByMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs();
  }

  async wait(durationMs: number, options: Parameters<Clock["wait"]>[1] = {}): Promise<void> {
    const { signal, background = false } = options;
    const wake = new AbortController();
    const waiting = { untilMs: this.#elapsedMs() + durationMs, wake };
    const end = () => wake.abort(WAIT_ENDED);
    if (signal?.aborted) return;
    this.#waiting.add(waiting);
    signal?.addEventListener("abort", end, { once: true });
    await systemClock.wait(Math.max(0, durationMs), { signal: wake.signal, background });
    signal?.removeEventListener("abort", end);
    this.#waiting.delete(waiting);
  }

  /** So much time passes, and who waited for a moment in it goes on. */
  passes(durationMs: number): void {
    this.#passedMs += durationMs;
    for (const { untilMs, wake } of this.#waiting) if (untilMs <= this.#elapsedMs()) wake.abort(WAIT_ENDED);
  }

  /** It is set to show so much more than the time that passed; less where negative. */
  isSetBy(differenceMs: number): void {
    this.#setByMs = differenceMs;
  }

  #elapsedMs(): number {
    return systemClock.monotonicMs() - this.#startMs + this.#passedMs;
  }
}
