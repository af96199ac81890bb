import { type Clock, KeyedLimiter } from "@rubrica/runtime";

/** How many requests of one account are worked on at a time while other accounts ask too. */
const OF_ONE = 3;
/** An account counts as asking for so long after its last request. */
const ASKS_MS = 10_000;

/**
 * Keeps one account's many requests from holding up another's few: each step of a request waits for the one
 * thread, behind whatever else is begun. Whoever is alone is held back by nothing.
 */
export class FairShare {
  readonly #clock: Clock;
  readonly #queues = new KeyedLimiter((account) => (this.#isAlone(account) ? Number.POSITIVE_INFINITY : OF_ONE));
  /** When each account asked last, in the order of these times. */
  readonly #askedMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does work for an account, after what the account asked for before. */
  run<T>(account: string, work: () => Promise<T>): Promise<T> {
    this.#noteAsking(account);
    return this.#queues.run(account, work);
  }

  #noteAsking(account: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#askedMs.delete(account);
    this.#askedMs.set(account, nowMs);
    for (const [known, askedMs] of this.#askedMs) {
      if (nowMs - askedMs < ASKS_MS) break;
      this.#askedMs.delete(known);
    }
  }

  #isAlone(account: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    for (const [other, askedMs] of this.#askedMs) if (other !== account && nowMs - askedMs < ASKS_MS) return false;
    return true;
  }
}
