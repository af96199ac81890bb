import type { Clock } from "@rubrica/runtime";
import type { Sender } from "./senders.ts";

/** What bodies may hold of the memory while they arrive and until their requests are answered, in bytes. */
export interface BodyBudget {
  /** All together. */
  totalBytes: number;
  /** Of one sender. At least the largest body that is taken. */
  senderBytes: number;
}

/** Why a body is not taken further: it is over the budget, or comes too slowly. */
export type BodyRefusal = "over_budget" | "too_slow";

/** One body's share of the budget. */
export interface HeldBody {
  /** Tells that so many bytes more have come. False: they are over the budget. */
  arrived(bytes: number): boolean;
  /** Tells that all of it has come: it counts on, but is not dropped any more for being slow. */
  complete(): void;
  /** Gives back what it held. */
  release(): void;
}

/** The least that has to come of a body in each {@link PACE_MS}, unless it ends. */
const PACE_BYTES = 65_536;
const PACE_MS = 20_000;
/** A body of which nothing came for so long is dropped where others would be over the budget. */
const STALLED_MS = 2_000;
const CHECK_EVERY_MS = 5_000;

interface Body {
  sender: string;
  heldBytes: number;
  /** Whether it is done with: what still comes of it is thrown away. */
  released: boolean;
  lastCameMs: number;
  /** When its pace was measured last, and what it held then. */
  measuredMs: number;
  measuredBytes: number;
  refuse: (why: BodyRefusal) => void;
}

/**
 * Keeps the bodies of one kind of senders within a budget. It counts what has come, not what was announced: who announces
 * much and sends nothing takes nothing from others.
 */
export class Bodies {
  readonly #clock: Clock;
  readonly #budget: BodyBudget;
  /** In the order in which they began. */
  readonly #arriving = new Set<Body>();
  readonly #bySender = new Map<string, number>();
  #heldBytes = 0;
  #watching = false;

  constructor(clock: Clock, budget: BodyBudget) {
    this.#clock = clock;
    this.#budget = budget;
  }

  /**
   * Takes up a body. `announcedBytes`: null when its sender did not say. `refuse` is called when it has to go while it
   * arrives. Undefined: what was announced is over the budget.
   */
  open(sender: Sender, announcedBytes: number | null, refuse: (why: BodyRefusal) => void): HeldBody | undefined {
    if (!this.#fitsAtLast(sender.name, announcedBytes ?? 0)) return undefined;
    const nowMs = this.#clock.monotonicMs();
    const begun = { heldBytes: 0, released: false, lastCameMs: nowMs, measuredMs: nowMs, measuredBytes: 0 };
    const body = { ...begun, sender: sender.name, refuse };
    this.#arriving.add(body);
    this.#watch();
    return {
      arrived: (bytes) => this.#arrived(body, bytes),
      complete: () => void this.#arriving.delete(body),
      release: () => this.#release(body),
    };
  }

  #arrived(body: Body, bytes: number): boolean {
    if (body.released) return true;
    body.lastCameMs = this.#clock.monotonicMs();
    if (!this.#fitsAtLast(body.sender, bytes)) {
      this.#release(body);
      return false;
    }
    this.#hold(body, bytes);
    return true;
  }

  #hold(body: Body, bytes: number): void {
    body.heldBytes += bytes;
    this.#heldBytes += bytes;
    const ofSender = (this.#bySender.get(body.sender) ?? 0) + bytes;
    if (ofSender > 0) this.#bySender.set(body.sender, ofSender);
    else this.#bySender.delete(body.sender);
  }

  #release(body: Body): void {
    body.released = true;
    this.#arriving.delete(body);
    this.#hold(body, -body.heldBytes);
  }

  /** Whether so many bytes more of a sender fit, once bodies that have stalled are dropped where they are in the way. */
  #fitsAtLast(sender: string, bytes: number): boolean {
    if (this.#fits(sender, bytes)) return true;
    const stalledSinceMs = this.#clock.monotonicMs() - STALLED_MS;
    for (const body of this.#arriving) {
      if (body.lastCameMs > stalledSinceMs) continue;
      const isInTheWay = body.sender === sender || this.#heldBytes + bytes > this.#budget.totalBytes;
      if (isInTheWay) this.#drop(body, "over_budget");
      if (this.#fits(sender, bytes)) return true;
    }
    return false;
  }

  #fits(sender: string, bytes: number): boolean {
    const { totalBytes, senderBytes } = this.#budget;
    const ofSender = this.#bySender.get(sender) ?? 0;
    return this.#heldBytes + bytes <= totalBytes && ofSender + bytes <= senderBytes;
  }

  #drop(body: Body, why: BodyRefusal): void {
    this.#release(body);
    body.refuse(why);
  }

  /** Looks at the pace of what arrives for as long as anything does. */
  async #watch(): Promise<void> {
    if (this.#watching) return;
    this.#watching = true;
    while (this.#arriving.size > 0) {
      await this.#clock.wait(CHECK_EVERY_MS, { background: true });
      const nowMs = this.#clock.monotonicMs();
      for (const body of this.#arriving) this.#measure(body, nowMs);
    }
    this.#watching = false;
  }

  #measure(body: Body, nowMs: number): void {
    if (nowMs < body.measuredMs + PACE_MS) return;
    if (body.heldBytes - body.measuredBytes < PACE_BYTES) this.#drop(body, "too_slow");
    body.measuredMs = nowMs;
    body.measuredBytes = body.heldBytes;
  }
}
