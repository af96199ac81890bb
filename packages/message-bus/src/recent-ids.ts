import type { Clock } from "@rubrica/runtime";

/** The ids seen within the last `windowMs`, at most `limit` of them (the oldest are forgotten first). */
export class RecentIds {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #limit: number;
  /** Id to the moment it was seen; a Map keeps the order of arrival, which is that of the moments. */
  readonly #seenAtMs = new Map<string, number>();

  constructor(clock: Clock, windowMs: number, limit: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#limit = limit;
  }

  has(id: string): boolean {
    const seenAtMs = this.#seenAtMs.get(id);
    return seenAtMs !== undefined && !this.#isPast(seenAtMs);
  }

  add(id: string): void {
    this.#seenAtMs.delete(id);
    this.#seenAtMs.set(id, this.#clock.monotonicMs());
    for (const [oldest, seenAtMs] of this.#seenAtMs) {
      if (this.#seenAtMs.size <= this.#limit && !this.#isPast(seenAtMs)) break;
      this.#seenAtMs.delete(oldest);
    }
  }

  #isPast(seenAtMs: number): boolean {
    return this.#clock.monotonicMs() - seenAtMs >= this.#windowMs;
  }
}
