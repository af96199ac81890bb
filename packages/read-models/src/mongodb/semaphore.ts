/** Has operations wait while too many are under way, in the order in which they came. */
export class Semaphore {
  #left: number;
  readonly #waiting: { amount: number; start: () => void }[] = [];

  constructor(amount: number) {
    this.#left = amount;
  }

  /** Runs what takes an amount, at most the whole of it. */
  async run<T>(amount: number, operation: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ amount, start });
      this.#startAll();
    });
    try {
      return await operation();
    } finally {
      this.#left += amount;
      this.#startAll();
    }
  }

  #startAll(): void {
    for (let next = this.#waiting[0]; next && next.amount <= this.#left; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#left -= next.amount;
      next.start();
    }
  }
}
