/** Callbacks that one receiver is sent at a time: enough to be fast, few enough not to be a burden. */
const MAX_AT_ONCE = 8;
/** Beyond so many the work is refused, and its obligation published again later. As many as the publisher gives one receiver. */
const MAX_WAITING = 24;

interface Line {
  running: number;
  /** Those who wait, first in, first out. */
  waiting: (() => void)[];
}

/** So many wait for a receiver that no more can. */
export class ReceiverBusyError extends Error {
  constructor() {
    super("too many webhooks wait for the same receiver");
    this.name = "ReceiverBusyError";
  }
}

/**
 * A line for each receiver: its work is begun in the order in which it came, some at a time. That a document's webhooks
 * keep their order is not done here: only the oldest open one of a document is published. Who waits holds no more than
 * their message, and has not had it acknowledged: nothing is lost with this process.
 */
export class ReceiverLines {
  readonly #signal: AbortSignal;
  readonly #lines = new Map<string, Line>();

  /** @param signal when it is aborted, nothing more is begun. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wakeAll(), { once: true });
  }

  /**
   * Does the work once it is its turn.
   * @throws {ReceiverBusyError} when too many wait. @throws the signal's reason when it is aborted before.
   */
  async run(receiver: string, work: () => Promise<void>): Promise<void> {
    const line = this.#lines.get(receiver) ?? { running: 0, waiting: [] };
    this.#lines.set(receiver, line);
    if (line.running < MAX_AT_ONCE) line.running += 1;
    else if (line.waiting.length >= MAX_WAITING) throw new ReceiverBusyError();
    // Whoever leaves hands their place to the one who waits: `running` stays as it is.
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      this.#signal.throwIfAborted();
      await work();
    } finally {
      this.#leave(receiver, line);
    }
  }

  #leave(receiver: string, line: Line): void {
    const next = line.waiting.shift();
    if (next) next();
    else line.running -= 1;
    if (line.running === 0) this.#lines.delete(receiver);
  }

  #wakeAll(): void {
    for (const line of this.#lines.values()) {
      line.running += line.waiting.length;
      for (const wake of line.waiting.splice(0)) wake();
    }
  }
}
