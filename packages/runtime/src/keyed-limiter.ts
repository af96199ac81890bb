interface Queue {
  running: number;
  /** What begins the work of those who wait, first in, first out. */
  waiting: (() => void)[];
}

/**
 * A queue for each key: so much of one key's work is done at a time, begun in the order in which it came. Keys don't wait for
 * each other.
 */
export class KeyedLimiter {
  readonly #limitOf: (key: string) => number;
  readonly #queues = new Map<string, Queue>();

  /** @param limitOf how much of a key's work may be done at once, at least 1, by what is known when it is asked */
  constructor(limitOf: (key: string) => number) {
    this.#limitOf = limitOf;
  }

  /** Does the work as soon as less than the limit of its key runs, first come, first served. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: [] };
    this.#queues.set(key, queue);
    if (queue.waiting.length === 0 && queue.running < this.#limitOf(key)) queue.running += 1;
    else await new Promise<void>((begin) => queue.waiting.push(begin));
    try {
      return await work();
    } finally {
      queue.running -= 1;
      this.#goOn(key, queue);
    }
  }

  /** How much waits of a key. */
  waiting(key: string): number {
    return this.#queues.get(key)?.waiting.length ?? 0;
  }

  /** Begins what may run by limits that have risen. */
  lookAgain(): void {
    for (const [key, queue] of this.#queues) this.#goOn(key, queue);
  }

  #goOn(key: string, queue: Queue): void {
    while (queue.waiting.length > 0 && queue.running < this.#limitOf(key)) {
      // Counted before it goes on: it does so in a later microtask.
      queue.running += 1;
      queue.waiting.shift()?.();
    }
    if (queue.running === 0) this.#queues.delete(key);
  }
}
