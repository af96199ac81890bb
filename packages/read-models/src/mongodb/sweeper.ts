import { type Clock, WAIT_ENDED } from "@rubrica/runtime";
import type { Mongo } from "@rubrica/storage/mongodb";

/** How long a replaced generation is kept, for readers that are in the middle of it. */
const KEPT_MS = 15 * 60_000;

/**
 * Drops the collections of generations that are gone, some time after it first saw them so. It comes back by itself for
 * those that are not old enough yet. A process that dies before that leaves them to whoever opens the store next.
 */
export class Sweeper {
  readonly #mongo: Mongo;
  readonly #clock: Pick<Clock, "now" | "wait">;
  readonly #keptMs: number;
  readonly #left: () => Promise<readonly string[]>;
  /** When each was first seen to be left. */
  readonly #seen = new Map<string, number>();
  readonly #closing = new AbortController();
  #isWaiting = false;

  /** @param left tells the names of such collections. */
  constructor(
    {
      mongo,
      clock,
      keepReplacedMs = KEPT_MS,
    }: { mongo: Mongo; clock: Pick<Clock, "now" | "wait">; keepReplacedMs?: number },
    left: () => Promise<readonly string[]>,
  ) {
    this.#mongo = mongo;
    this.#clock = clock;
    this.#keptMs = keepReplacedMs;
    this.#left = left;
  }

  async sweep(): Promise<void> {
    const left = await this.#left();
    for (const name of this.#seen.keys()) if (!left.includes(name)) this.#seen.delete(name);
    const now = this.#clock.now();
    for (const name of left) {
      const since = this.#seen.get(name) ?? now;
      this.#seen.set(name, since);
      if (now - since < this.#keptMs) continue;
      await this.#mongo.db.dropCollection(name);
      this.#seen.delete(name);
    }
    if (this.#seen.size > 0) void this.#comeBack();
  }

  close(): void {
    this.#closing.abort(WAIT_ENDED);
  }

  async #comeBack(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const { signal } = this.#closing;
    await this.#clock.wait(this.#keptMs, { signal, background: true }).catch(() => undefined);
    this.#isWaiting = false;
    // If the server does not answer now, a later sweep takes them.
    if (!signal.aborted) await this.sweep().catch(() => undefined);
  }
}
