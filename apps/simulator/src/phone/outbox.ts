import { type Backoff, backoffMs, type Runtime, WAIT_ENDED } from "@rubrica/runtime";
import type { PhoneNotice } from "./notice.ts";
import type { PendingNotice, SimulatorStore } from "./store.ts";

const MAX_AT_ONCE = 16;
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 300_000 };

/** How long a notice waits after it was refused `attempts` times: doubling from 1 s to 5 min, the last quarter by chance. */
export const retryDelayMs = (attempts: number, fraction: number): number =>
  Math.round(backoffMs(attempts, BACKOFF) * (0.75 + 0.25 * fraction));

/** Gives each kept notice to the service until it takes it, as a provider's webhooks do: at least once, order not promised. */
export class Outbox {
  readonly #store: SimulatorStore;
  readonly #runtime: Runtime;
  readonly #onNotice: (notice: PhoneNotice) => Promise<void>;
  readonly #onTaken: () => void;
  readonly #given = new Map<number, Promise<void>>();
  readonly #loop: Promise<void>;
  readonly #closing = new AbortController();
  #wake = new AbortController();

  /** @param onTaken called after each notice that was taken or refused. */
  constructor(options: {
    store: SimulatorStore;
    runtime: Runtime;
    onNotice: (notice: PhoneNotice) => Promise<void>;
    onTaken: () => void;
  }) {
    this.#store = options.store;
    this.#runtime = options.runtime;
    this.#onNotice = options.onNotice;
    this.#onTaken = options.onTaken;
    this.#loop = this.#run();
  }

  /** Says that the store has a new notice. */
  wake(): void {
    this.#wake.abort(WAIT_ENDED);
  }

  /** Stops giving; resolves when what was being given has been taken or refused. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.wake();
    await this.#loop;
    await Promise.all(this.#given.values());
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      this.#wake = new AbortController();
      try {
        await this.#sleepUntil(this.#giveWhatIsDue());
      } catch {
        await this.#untilStoreMayBeBack();
      }
    }
  }

  /** A store that can't be read or written, as on a full disk, keeps its notices: they are given when it can be again. */
  #untilStoreMayBeBack(): Promise<void> {
    return this.#runtime.clock.wait(BACKOFF.firstMs, { signal: this.#closing.signal, background: true });
  }

  /** Returns when the next notice falls due, or undefined when only a new one, or a free place, can make work. */
  #giveWhatIsDue(): number | undefined {
    const now = this.#runtime.clock.now();
    // The notices being given are still kept, so that many more are looked at.
    for (const pending of this.#store.nextNotices(2 * MAX_AT_ONCE)) {
      if (this.#given.has(pending.number)) continue;
      if (this.#given.size === MAX_AT_ONCE) return undefined;
      if (pending.dueAt > now) return pending.dueAt;
      this.#given.set(pending.number, this.#give(pending));
    }
    return undefined;
  }

  async #give({ number, notice, attempts }: PendingNotice): Promise<void> {
    try {
      await this.#onNotice(notice);
      this.#store.removeNotice(number);
    } catch {
      await this.#postpone(number, attempts);
    } finally {
      this.#given.delete(number);
      this.wake();
      this.#onTaken();
    }
  }

  async #postpone(number: number, attempts: number): Promise<void> {
    const { clock, random } = this.#runtime;
    try {
      this.#store.postponeNotice(number, clock.now() + retryDelayMs(attempts + 1, random.fraction()));
    } catch {
      await this.#untilStoreMayBeBack();
    }
  }

  #sleepUntil(at: number | undefined): Promise<void> {
    const { signal } = this.#wake;
    if (at !== undefined) {
      return this.#runtime.clock.wait(at - this.#runtime.clock.now(), { signal, background: true });
    }
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  }
}
