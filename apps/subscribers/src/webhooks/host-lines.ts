/** Receivers of one host that are told at a time: enough to be fast, few enough not to be a burden. */
const MAX_AT_ONCE = 8;
/** What does not fit is published again later. */
const MAX_WAITING = 10_000;

interface Line {
  running: number;
  waiting: { id: string; work: () => Promise<void> }[];
}

/**
 * A line for each host: its work is done some at a time, in the order in which it came. Whoever comes when that many are
 * at work leaves theirs in the line and goes, so that a slow host holds no more than so many workers, however much waits
 * for it.
 */
export class HostLines {
  readonly #signal: AbortSignal;
  readonly #lines = new Map<string, Line>();
  /** What waits or is being done. */
  readonly #ids = new Set<string>();

  /** @param signal when it is aborted, nothing more is begun. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Does the work, and then what waits for the same host; or lets it wait. An id that waits or is being done already is
   * passed over.
   * @throws the first error of what was done, once all is.
   */
  async run(host: string, id: string, work: () => Promise<void>): Promise<void> {
    if (this.#ids.has(id)) return;
    const line = this.#lines.get(host) ?? { running: 0, waiting: [] };
    this.#lines.set(host, line);
    if (line.running >= MAX_AT_ONCE) {
      if (line.waiting.length >= MAX_WAITING) return;
      this.#ids.add(id);
      line.waiting.push({ id, work });
      return;
    }
    this.#ids.add(id);
    line.running += 1;
    try {
      await this.#drain(line, { id, work });
    } finally {
      line.running -= 1;
      if (line.running === 0) this.#lines.delete(host);
    }
  }

  async #drain(line: Line, first: Line["waiting"][number]): Promise<void> {
    const errors: unknown[] = [];
    for (let next: typeof first | undefined = first; next; next = line.waiting.shift()) {
      try {
        if (!this.#signal.aborted) await next.work();
      } catch (error) {
        errors.push(error);
      } finally {
        this.#ids.delete(next.id);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
