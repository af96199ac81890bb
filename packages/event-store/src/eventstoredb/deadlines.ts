import type { Clock } from "@rubrica/runtime";
import { closedError, Silence } from "./errors.ts";

/** How late a limit may be noticed. */
const TICK_MS = 50;

/** Something that is waited for. */
export interface Waited {
  /** By the monotonic clock. */
  endMs: number;
  limitMs: number;
  /** Told with {@link Silence} when the time is over, and when the store is closed. */
  over: (error: Error) => void;
}

/**
 * Ends what takes too long, and everything when the store is closed. One timer serves all that is waited for: a signal,
 * a timer and an error for each event would take more of the processor than the event.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #closing: AbortSignal;
  readonly #waited = new Set<Waited>();
  #isTicking = false;

  constructor(clock: Clock, closing: AbortSignal) {
    this.#clock = clock;
    this.#closing = closing;
    closing.addEventListener("abort", () => this.#endAll(), { once: true });
  }

  /** From now on `waited` is told when its limit has passed, until it is taken out. */
  begin(waited: Waited): void {
    waited.endMs = this.#clock.monotonicMs() + waited.limitMs;
    this.#waited.add(waited);
    if (!this.#isTicking) void this.#tick();
  }

  end(waited: Waited): void {
    this.#waited.delete(waited);
  }

  async #tick(): Promise<void> {
    this.#isTicking = true;
    while (this.#waited.size > 0) {
      await this.#clock.wait(TICK_MS, { signal: this.#closing });
      const nowMs = this.#clock.monotonicMs();
      for (const waited of this.#waited) {
        if (waited.endMs > nowMs) continue;
        this.#waited.delete(waited);
        waited.over(new Silence(waited.limitMs));
      }
    }
    this.#isTicking = false;
  }

  #endAll(): void {
    const all = [...this.#waited];
    this.#waited.clear();
    for (const waited of all) waited.over(closedError());
  }
}
