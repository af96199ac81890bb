import type { ObligationKind } from "@rubrica/domain";
import { LAST, OWED_FIELD, type OwedRecord, owedKey } from "@rubrica/read-models";
import { AccountCursor, type CursorOptions } from "./account-cursor.ts";
import type { Slots } from "./slots.ts";

/** Accounts whose cursors are kept at most. What those are owed who find no room is found by a later scan. */
const MAX_ACCOUNTS = 50_000;

/** What is due of one kind: its accounts take turns, a page each. */
export class KindLine {
  readonly kind: ObligationKind;
  readonly #options: Omit<CursorOptions, "accountId">;
  readonly #slots: Slots;
  /** Of every account that has something open, as far as is known. */
  readonly #cursors = new Map<string, AccountCursor>();
  /** Those that have something to go through, who had their turn longest ago first. */
  readonly #ready = new Set<string>();
  #jammed = false;

  constructor(options: Omit<CursorOptions, "accountId">, slots: Slots) {
    this.kind = options.kind;
    this.#options = options;
    this.#slots = slots;
  }

  /** Has an account's records looked at at that moment. */
  lookAt(accountId: string, atMs: number, nowMs: number): void {
    let cursor = this.#cursors.get(accountId);
    if (!cursor) {
      if (this.#cursors.size >= MAX_ACCOUNTS) return;
      cursor = new AccountCursor({ ...this.#options, accountId });
      this.#cursors.set(accountId, cursor);
    }
    cursor.wantAt(atMs);
    if (atMs <= nowMs) this.#ready.add(accountId);
  }

  /** The next account after this one that has something open; the first one after "". */
  async accountAfter(accountId: string): Promise<string | undefined> {
    const { kind, collection, readModels } = this.#options;
    const after = accountId === "" ? owedKey(kind, "") : owedKey(kind, accountId, LAST);
    const range = { after, upTo: owedKey(kind, LAST), limit: 1 };
    const [first] = await readModels.findRange<OwedRecord>(collection, OWED_FIELD, range);
    return first?.document.accountId;
  }

  /** Takes note of the time: of what fell due, and of a bus that may have room again. */
  sweep(nowMs: number): void {
    this.#jammed = false;
    for (const [accountId, cursor] of this.#cursors) if (cursor.isReady(nowMs)) this.#ready.add(accountId);
  }

  /** The bus had no room, a moment ago. */
  get jammed(): boolean {
    return this.#jammed;
  }

  /** Lets the next account go on by a page; false when there is none, or no room. */
  async serveOne(nowMs: number): Promise<boolean> {
    if (this.#jammed || this.#slots.isFull(this.kind)) return false;
    for (const accountId of this.#ready) {
      if (this.#slots.room(this.kind, accountId) <= 0) continue;
      const cursor = this.#cursors.get(accountId);
      this.#ready.delete(accountId);
      if (!cursor?.isReady(nowMs)) continue;
      const outcome = await cursor.goOn(nowMs);
      if (outcome === "bus_full") this.#jammed = true;
      if (outcome === "idle") this.#cursors.delete(accountId);
      else if (outcome !== "done" || cursor.isReady(nowMs)) this.#ready.add(accountId);
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
