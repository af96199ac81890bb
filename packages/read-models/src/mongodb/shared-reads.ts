/** A read that has not begun. */
interface NextRead<Found> {
  keys: Set<string>;
  found: Promise<Found>;
}

/** Reads one after the other. All who ask while one is under way share the next one: each sees what is there after they asked. */
export class SharedReads<Found> {
  readonly #readAll: (keys: ReadonlySet<string>) => Promise<Found>;
  #next: NextRead<Found> | undefined;
  /** The one that began last. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(readAll: (keys: ReadonlySet<string>) => Promise<Found>) {
    this.#readAll = readAll;
  }

  /** What is found of these keys, and of others. */
  read(keys: readonly string[]): Promise<Found> {
    this.#next ??= this.#begin();
    for (const key of keys) this.#next.keys.add(key);
    return this.#next.found;
  }

  #begin(): NextRead<Found> {
    const keys = new Set<string>();
    const read = () => {
      this.#next = undefined;
      return this.#readAll(keys);
    };
    const found = this.#last.then(read, read);
    this.#last = found;
    return { keys, found };
  }
}
