import type { KeyObject } from "node:crypto";
import type { Clock } from "@rubrica/runtime";
import { LRUCache } from "lru-cache";

/** What is worked on now: each spares a call to the server. */
const HELD_KEYS = 10_000;
/** A key that another process destroyed without a word in the log, as a bulk call's, is let go of after this. */
const HELD_MS = 10_000;

/** A key as it was read; durable when a majority is known to have it. */
export interface HeldKey {
  key: KeyObject;
  durable: boolean;
}

/** The unwrapped keys that this process holds, for some seconds, and only while it may. */
export class HeldKeys {
  readonly #clock: Clock;
  readonly #mayHold: () => boolean;
  readonly #held = new LRUCache<string, HeldKey & { untilMs: number }>({ max: HELD_KEYS });
  /** Raised whenever keys are let go of. */
  #era = 0;

  constructor(clock: Clock, mayHold: () => boolean) {
    this.#clock = clock;
    this.#mayHold = mayHold;
  }

  get(owner: string): HeldKey | undefined {
    if (!this.#mayHold()) this.#held.clear();
    const held = this.#held.get(owner);
    return held && held.untilMs > this.#clock.monotonicMs() ? held : undefined;
  }

  /** To be called before keys are read: gives what holds one of them, unless any was let go of meanwhile. */
  whileReading(): (owner: string, key: HeldKey) => void {
    const era = this.#era;
    return (owner, key) => {
      if (era === this.#era && this.#mayHold())
        this.#held.set(owner, { ...key, untilMs: this.#clock.monotonicMs() + HELD_MS });
    };
  }

  /** Evicts the owner's key, or every key. */
  evict(owner?: string): void {
    this.#era += 1;
    if (owner === undefined) this.#held.clear();
    else this.#held.delete(owner);
  }
}
