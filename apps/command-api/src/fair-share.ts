import type { Clock } from "@rubrica/runtime";

/** Of one account, so many requests are worked on at a time while others ask too. */
const OF_ONE = 3;
/** Whoever asked within this time asks. */
const ASKS_MS = 10_000;

/**
 * Keeps one account's many requests from holding up another's few: each step of a request waits for a turn of the one
 * thread, behind whatever else is begun. Whoever is alone is held back by nothing.
 */
export class FairShare {
  readonly #clock: Clock;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();
  /** When each account asked last, in the order of these times. */
  readonly #askedMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does work for an account, once it is its turn among the account's own. */
  async run<T>(account: string, work: () => Promise<T>): Promise<T> {
    this.#noteAsking(account);
    await this.#place(account);
    try {
      return await work();
    } finally {
      this.#leave(account);
    }
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

  #mayRun(account: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const runs = this.#running.get(account) ?? 0;
    if (runs < OF_ONE) return true;
    return ![...this.#askedMs].some(([other, askedMs]) => other !== account && nowMs - askedMs < ASKS_MS);
  }

  #place(account: string): Promise<void> | undefined {
    const waiting = this.#waiting.get(account);
    if (!waiting && this.#mayRun(account)) {
      this.#begin(account);
      return undefined;
    }
    return new Promise((resolve) => {
      if (waiting) waiting.push(resolve);
      else this.#waiting.set(account, [resolve]);
    });
  }

  #begin(account: string): void {
    this.#running.set(account, (this.#running.get(account) ?? 0) + 1);
  }

  #leave(account: string): void {
    const left = (this.#running.get(account) ?? 1) - 1;
    if (left === 0) this.#running.delete(account);
    else this.#running.set(account, left);
    const waiting = this.#waiting.get(account);
    while (waiting && waiting.length > 0 && this.#mayRun(account)) {
      this.#begin(account);
      waiting.shift()?.();
    }
    if (waiting?.length === 0) this.#waiting.delete(account);
  }
}
