import type { ObligationKind } from "@rubrica/domain";
import { LAST, laneOf, type OpenObligationRecord, OWED_FIELD, owedKey } from "@rubrica/read-models";
import { type CursorOptions, LaneCursor } from "./lane-cursor.ts";
import type { Slots } from "./slots.ts";

/** Lanes whose cursors are kept at most; a later scan finds the others. */
const MAX_LANES = 50_000;

/** What is due of one kind: its lanes are gone through in rotation, a page each. */
export class KindQueue {
  readonly kind: ObligationKind;
  readonly #options: Omit<CursorOptions, "lane">;
  readonly #slots: Slots;
  /** Of every lane that has something open, as far as is known. */
  readonly #cursors = new Map<string, LaneCursor>();
  /** Lanes that have something to go through; the one that was served longest ago comes first. */
  readonly #ready = new Set<string>();
  #isBusFull = false;

  constructor(options: Omit<CursorOptions, "lane">, slots: Slots) {
    this.kind = options.kind;
    this.#options = options;
    this.#slots = slots;
  }

  /** Has a lane gone through from that moment on: as soon as the lanes that are ready before it were served. */
  lookAt(lane: string, atMs: number, nowMs: number): void {
    let cursor = this.#cursors.get(lane);
    if (!cursor) {
      if (this.#cursors.size >= MAX_LANES) return;
      cursor = new LaneCursor({ ...this.#options, lane });
      this.#cursors.set(lane, cursor);
    }
    cursor.wantAt(atMs);
    if (atMs <= nowMs) this.#ready.add(lane);
  }

  /** The next lane after this one that has something open; the first one after "". */
  async laneAfter(lane: string): Promise<string | undefined> {
    const { kind, collection, readModels } = this.#options;
    const after = lane === "" ? owedKey(kind, "") : owedKey(kind, lane, LAST);
    const range = { after, upTo: owedKey(kind, LAST), limit: 1 };
    const [first] = await readModels.findRange<OpenObligationRecord>(collection, OWED_FIELD, range);
    return first && laneOf(first.document);
  }

  /** Makes lanes ready whose time has come, and lets the bus be tried again. */
  sweep(nowMs: number): void {
    this.#isBusFull = false;
    for (const [lane, cursor] of this.#cursors) if (cursor.isReady(nowMs)) this.#ready.add(lane);
  }

  /** Whether the bus was full when it was last given something. */
  get isBusFull(): boolean {
    return this.#isBusFull;
  }

  /** Lets the next lane go on by a page; false when there is none, or no slot is free. */
  async serveOne(nowMs: number): Promise<boolean> {
    if (this.#isBusFull || this.#slots.isFull(this.kind)) return false;
    for (const lane of this.#ready) {
      if (this.#slots.free(this.kind, lane) <= 0) continue;
      const cursor = this.#cursors.get(lane);
      this.#ready.delete(lane);
      if (!cursor?.isReady(nowMs)) continue;
      const outcome = await cursor.goOn(nowMs);
      if (outcome === "bus_full") this.#isBusFull = true;
      if (outcome === "idle") this.#cursors.delete(lane);
      else if (outcome !== "done" || cursor.isReady(nowMs)) this.#ready.add(lane);
      return true;
    }
    return false;
  }

  /** Forgets how far it has come. */
  clear(): void {
    this.#cursors.clear();
    this.#ready.clear();
  }
}
