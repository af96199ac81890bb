import { KeyedLimiter } from "@rubrica/runtime";

/** Callbacks that one receiver is sent at a time: enough to be fast, few enough not to be a burden. */
const MAX_AT_ONCE = 8;
/** Beyond so many the work is refused, and its obligation published again later. As many as the publisher gives one receiver. */
const MAX_WAITING = 24;

/** So many wait for a receiver that no more can. */
export class ReceiverBusyError extends Error {
  constructor() {
    super("too many webhooks wait for the same receiver");
    this.name = "ReceiverBusyError";
  }
}

/**
 * A queue for each receiver: its work is begun in the order in which it came, some at a time. The order of a document's
 * webhooks is kept elsewhere: only its oldest open one is published. What waits here is only a message that is not
 * acknowledged yet, so nothing is lost with this process.
 */
export class ReceiverQueues {
  readonly #signal: AbortSignal;
  readonly #queues: KeyedLimiter;

  /** @param signal when it is aborted, nothing more is begun. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#queues = new KeyedLimiter(() => (signal.aborted ? Number.POSITIVE_INFINITY : MAX_AT_ONCE));
    signal.addEventListener("abort", () => this.#queues.lookAgain(), { once: true });
  }

  /**
   * Does the work once what came before it leaves it a place.
   * @throws {ReceiverBusyError} when too many wait. @throws the signal's reason when it is aborted before.
   */
  async run(receiver: string, work: () => Promise<void>): Promise<void> {
    if (this.#queues.waiting(receiver) >= MAX_WAITING) throw new ReceiverBusyError();
    await this.#queues.run(receiver, async () => {
      this.#signal.throwIfAborted();
      await work();
    });
  }
}
