/** Messages that wait for a consumer, in their order, at most `limit` of them. */
export class BoundedQueue<T> {
  readonly #limit: number;
  #items: T[] = [];
  /** Consumers that wait for a message, longest first. */
  #takers = new Set<(item: T | undefined) => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get full(): boolean {
    return this.#items.length >= this.#limit;
  }

  push(item: T): void {
    const [taker] = this.#takers;
    if (taker) taker(item);
    else this.#items.push(item);
  }

  /** The next item, as soon as there is one; undefined when `signal` is aborted first. */
  take(signal: AbortSignal): Promise<T | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => {
      const taker = (given: T | undefined): void => {
        this.#takers.delete(taker);
        signal.removeEventListener("abort", onAbort);
        resolve(given);
      };
      const onAbort = (): void => taker(undefined);
      this.#takers.add(taker);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
