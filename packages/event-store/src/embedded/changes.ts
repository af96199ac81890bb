/** Wakes those who wait for the store to change. */
export class Changes {
  readonly #waiting = new Set<() => void>();

  /** Resolves at the next change, or as soon as `signal` is aborted. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  notify(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
