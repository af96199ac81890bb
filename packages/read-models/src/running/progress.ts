import { comparePositions, type Position } from "@rubrica/event-store";
import type { Clock } from "@rubrica/runtime";

/** How far something has come, for those who wait for it to come further. */
export class Progress {
  readonly #clock: Clock;
  #position: Position | undefined;
  readonly #waiting = new Set<{ until: Position; wake: () => void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get position(): Position | undefined {
    return this.#position;
  }

  /** Takes note of where it stands now, and wakes those whose position is reached. It may also go back. */
  moveTo(position: Position | undefined): void {
    this.#position = position;
    for (const waiter of this.#waiting)
      if (this.#reached(waiter.until)) {
        this.#waiting.delete(waiter);
        waiter.wake();
      }
  }

  /** Resolves with true once the position is reached, with false when `timeoutMs` are over. */
  async waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#reached(position)) return true;
    const waking = new AbortController();
    const waiter = { until: position, wake: () => waking.abort() };
    this.#waiting.add(waiter);
    await this.#clock.wait(timeoutMs, { signal: waking.signal, background: true });
    this.#waiting.delete(waiter);
    return waking.signal.aborted;
  }

  #reached(position: Position): boolean {
    return this.#position !== undefined && comparePositions(this.#position, position) >= 0;
  }
}
