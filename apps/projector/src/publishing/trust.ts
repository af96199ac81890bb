/** How many webhooks an unknown receiver gets at a time; doubled with each success, up to `MOST`. */
const FIRST = 2;
/** No more than a receiver that was fast can take before its slots are given back, should it hang. */
const MOST = 24;
/** A receiver that takes longer is slow: like one that fails, it holds slots that others wait for. */
const SLOW_MS = 5_000;
/** How many a failing or slow receiver gets at a time; doubled again with each success. */
const LEAST = 1;
/** How many receivers are remembered; the one heard of longest ago is forgotten first. */
const MAX_REMEMBERED = 50_000;

/** How many webhooks each receiver is told of at a time, by how it took the last ones. */
export class Trust {
  /** By lane, which was heard of longest ago first. */
  readonly #windows = new Map<string, number>();

  /** How many it is told of at a time. */
  of(lane: string): number {
    return this.#windows.get(lane) ?? FIRST;
  }

  /** Whether it took what it was told last, and soon: once if it is new, twice in a row after a failure. */
  isTrusted(lane: string): boolean {
    return this.of(lane) > FIRST;
  }

  /**
   * Takes note of an outcome. `isOver`: the receiver took the webhook, or it was given up. `tookMs`: how long the
   * receiver needed.
   */
  learn(lane: string, { isOver, tookMs }: { isOver: boolean; tookMs: number }): void {
    const window = isOver && tookMs < SLOW_MS ? Math.min(this.of(lane) * 2, MOST) : LEAST;
    this.#windows.delete(lane);
    this.#windows.set(lane, window);
    const [eldest] = this.#windows.keys();
    if (this.#windows.size > MAX_REMEMBERED && eldest !== undefined) this.#windows.delete(eldest);
  }
}
