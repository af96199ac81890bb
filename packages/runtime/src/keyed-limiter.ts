interface Line {
  running: number;
  /** What begins the work of those who wait, first in, first out. */
  waiting: (() => void)[];
}

/**
 * A line for each key: so much of one key's work is done at a time, begun in the order in which it came. Keys don't wait for
 * each other.
 */
export class KeyedLimiter {
  readonly #limitOf: (key: string) => number;
  readonly #lines = new Map<string, Line>();

  /** @param limitOf how much of a key's work may be done at once, at least 1, by what is known when it is asked */
  constructor(limitOf: (key: string) => number) {
    this.#limitOf = limitOf;
  }

  /** Does the work once it is its turn. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(key) ?? { running: 0, waiting: [] };
    this.#lines.set(key, line);
    if (line.waiting.length === 0 && line.running < this.#limitOf(key)) line.running += 1;
    else await new Promise<void>((begin) => line.waiting.push(begin));
    try {
      return await work();
    } finally {
      line.running -= 1;
      this.#goOn(key, line);
    }
  }

  /** How much waits of a key. */
  waiting(key: string): number {
    return this.#lines.get(key)?.waiting.length ?? 0;
  }

  /** Begins what may run by limits that have risen. */
  lookAgain(): void {
    for (const [key, line] of this.#lines) this.#goOn(key, line);
  }

  #goOn(key: string, line: Line): void {
    while (line.waiting.length > 0 && line.running < this.#limitOf(key)) {
      // Counted before it goes on: it does so in a later microtask.
      line.running += 1;
      line.waiting.shift()?.();
    }
    if (line.running === 0) this.#lines.delete(key);
  }
}
