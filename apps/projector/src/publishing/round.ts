import { type ObligationKind, obligationSubject } from "@rubrica/domain";
import { BusFullError, type JsonValue } from "@rubrica/message-bus";
import {
  laneOf,
  type ObligationsCollection,
  type OpenObligationRecord,
  obligationsCollections,
} from "@rubrica/read-models";
import { yieldToOthers } from "@rubrica/runtime";
import type { ObligationPublisherOptions } from "../obligation-publisher.ts";
import { FromFastClock } from "./from-fast-clock.ts";
import { KindQueue } from "./kind-queue.ts";
import type { PublishResult } from "./lane-cursor.ts";
import { intervalAt } from "./schedule.ts";
import { Slots } from "./slots.ts";

/** How often the known lanes are checked for obligations that have become due. */
export const SWEEP_MS = 250;
/** How often the read model is searched for lanes nobody told of: those that a rebuild or another process brought. */
const SCAN_MS = 60_000;
/** Lanes that are looked for at a time. */
const SCANNED_AT_ONCE = 20;
/** A clock that goes back by more than this counts as set back. */
const SET_BACK_MS = 1_000;

/** What the projection told of an obligation: as it is now, or, with null, that it is closed. */
export interface ObligationChange {
  obligationId: string;
  record: OpenObligationRecord | null;
  /** Of a webhook, how long its receiver took over the last attempt, in milliseconds; null before any ended. */
  tookMs: number | null;
}

/**
 * Publishes what is due: changes at once, the rest kind by kind and lane by lane. Each part knows one thing:
 *
 * - `KindQueue`, one a kind: which of the lanes comes next (accounts; of webhooks, receivers) that have something due.
 * - `LaneCursor`, one a lane: how far the lane was gone through in the read model's index, and when to go through it again.
 * - `Slots`: what is under way, and so how much more of a kind, an account and a lane may be; `Trust`: for webhooks, how
 *   much a receiver is given at a time, by how it took the last ones.
 * - `FromFastClock`: what a clock that was fast has opened. `schedule.ts`: at which intervals what is not closed is published again.
 *
 * A round takes in the changes; every {@link SWEEP_MS} it looks at the time, every {@link SCAN_MS} for lanes that it was not
 * told of. Then each kind's next lane has a page published, again and again, until no lane has both something due and a
 * free slot.
 */
export class Rounds {
  readonly #options: ObligationPublisherOptions;
  readonly #collections: readonly ObligationsCollection[];
  readonly #queues: ReadonlyMap<ObligationKind, KindQueue>;
  readonly #slots = new Slots();
  readonly #fromFastClock = new FromFastClock();
  #scan: AsyncIterator<void> | undefined;
  #nextScanMs = 0;
  #nextSweepMs = 0;
  #lastMs = 0;

  constructor(options: ObligationPublisherOptions, kinds: readonly ObligationKind[]) {
    this.#options = options;
    const { readModels } = options;
    this.#collections = obligationsCollections.filter((collection) =>
      collection.kinds.some((kind) => kinds.includes(kind)),
    );
    const publish = (record: OpenObligationRecord, sinceDueMs: number, nowMs: number) =>
      this.#publish(record, sinceDueMs, nowMs);
    this.#queues = new Map(
      this.#collections.flatMap((collection) =>
        collection.kinds
          .filter((kind) => kinds.includes(kind))
          .map((kind) => [kind, new KindQueue({ kind, collection, readModels, publish }, this.#slots)] as const),
      ),
    );
  }

  /** Publishes all that has a free slot. `takeChanges` gives what was told of since it was last asked. */
  async run(takeChanges: () => readonly ObligationChange[], signal: AbortSignal): Promise<void> {
    for (let busy = true; busy && !signal.aborted; ) {
      const nowMs = this.#now();
      for (const one of takeChanges()) await this.#takeIn(one, nowMs);
      if (nowMs >= this.#nextSweepMs) await this.#sweep(nowMs);
      busy = await this.#scanSome(nowMs);
      for (const queue of this.#queues.values()) busy = (await queue.serveOne(nowMs)) || busy;
      if (busy) await yieldToOthers();
    }
  }

  /** The time. If the clock was set back, everything that was worked out by the former time is forgotten. */
  #now(): number {
    const nowMs = this.#options.runtime.clock.now();
    if (nowMs < this.#lastMs - SET_BACK_MS) {
      for (const queue of this.#queues.values()) queue.clear();
      this.#slots.clear();
      this.#scan = undefined;
      this.#nextScanMs = 0;
      this.#nextSweepMs = 0;
    }
    this.#lastMs = nowMs;
    return nowMs;
  }

  async #takeIn({ obligationId, record, tookMs }: ObligationChange, nowMs: number): Promise<void> {
    const dueAt = record?.obligation.dueAt;
    this.#slots.heard(obligationId, tookMs, dueAt);
    this.#fromFastClock.drop(obligationId, dueAt);
    const queue = record && this.#queues.get(record.obligation.kind);
    if (!queue) return;
    if (FromFastClock.concerns(record, nowMs)) return this.#fromFastClock.take(record, nowMs);
    const lane = laneOf(record);
    const dueMs = Date.parse(record.obligation.dueAt);
    if (dueMs > nowMs) return queue.lookAt(lane, dueMs, nowMs);
    const isPublished = !queue.isBusFull && (await this.#publish(record, nowMs - dueMs, nowMs)) === "published";
    queue.lookAt(lane, isPublished ? dueMs + intervalAt(nowMs - dueMs).endMs : nowMs, nowMs);
  }

  async #sweep(nowMs: number): Promise<void> {
    this.#nextSweepMs = nowMs + SWEEP_MS;
    this.#slots.expire(nowMs);
    for (const queue of this.#queues.values()) queue.sweep(nowMs);
    for (const { record, dueMs } of this.#fromFastClock.due(nowMs)) await this.#publish(record, nowMs - dueMs, nowMs);
  }

  /** Goes on looking for lanes that are owed something; false when it is not the time to. */
  async #scanSome(nowMs: number): Promise<boolean> {
    if (!this.#scan) {
      if (nowMs < this.#nextScanMs) return false;
      this.#nextScanMs = nowMs + SCAN_MS;
      this.#scan = this.#scanning();
    }
    const { done } = await this.#scan.next();
    if (done) this.#scan = undefined;
    return true;
  }

  async *#scanning(): AsyncGenerator<void> {
    await this.#fromFastClock.scan(this.#options.readModels, this.#collections, this.#lastMs);
    let looked = 0;
    for (const queue of this.#queues.values()) {
      for (let id = await queue.laneAfter(""); id !== undefined; id = await queue.laneAfter(id)) {
        queue.lookAt(id, this.#lastMs, this.#lastMs);
        if (++looked % SCANNED_AT_ONCE === 0) yield;
      }
    }
  }

  /**
   * Publishes an obligation for the interval that it is now, `sinceDueMs` after it fell due. Its message's id is the
   * obligation, its due time and the interval's number: whoever publishes it again within the interval, another publisher
   * or this one after a restart, gives the same id, which a bus drops.
   * @throws whatever a bus throws that can't be reached.
   */
  async #publish(record: OpenObligationRecord, sinceDueMs: number, nowMs: number): Promise<PublishResult> {
    const { due: _due, ...body } = record;
    const { id, kind, dueAt } = record.obligation;
    const lane = laneOf(record);
    const { number } = intervalAt(sinceDueMs);
    if (this.#slots.has(id, dueAt, number)) return "published";
    if (!this.#slots.hasSlot(id) && this.#slots.free(kind, lane) <= 0) return "no_slot";
    const message = { id: `${id}@${dueAt}#${number}`, subject: obligationSubject(kind), body: body as JsonValue };
    try {
      await this.#options.bus.publish(message);
    } catch (error) {
      if (error instanceof BusFullError) return "bus_full";
      throw error;
    }
    this.#slots.take(id, { kind, lane, dueAt, number }, nowMs);
    return "published";
  }
}
