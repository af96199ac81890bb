/** What a receiver that nobody knows is told at a time; twice as much with each success, up to the most. */
const FIRST = 2;
const MOST = 32;
/** Whoever takes longer is slow: it holds slots that others wait for, as one that fails does. */
const SLOW_MS = 5_000;
/** What one that failed or is slow is told at a time; doubles again with each success. */
const LEAST = 1;
/** Receivers that are remembered at most; the one that was heard of longest ago is forgotten first. */
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
   * Takes note of an outcome. `took`: the receiver took the webhook, or it was given up. `tookMs`: how long the
   * receiver needed.
   */
  learn(lane: string, { took, tookMs }: { took: boolean; tookMs: number }): void {
    const window = took && tookMs < SLOW_MS ? Math.min(this.of(lane) * 2, MOST) : LEAST;
    this.#windows.delete(lane);
    this.#windows.set(lane, window);
    const [eldest] = this.#windows.keys();
    if (this.#windows.size > MAX_REMEMBERED && eldest !== undefined) this.#windows.delete(eldest);
  }
}
