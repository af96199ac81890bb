import type { ObligationKind } from "@rubrica/domain";

/** How many of a kind may be under way at a time. */
export interface Limits {
  inAll: number;
  /** Of one account; for webhooks it stands for the receiver. */
  anAccount: number;
}

const USUAL: Limits = { inAll: 128, anAccount: 32 };
/**
 * Kinds whose work is long, or is done few at a time: what waits is better found here, where accounts take turns, than in
 * the line of who works. A receiver is told of so many at a time as it can be within the time that a slot is held.
 */
const limitsOfKinds: Partial<Record<ObligationKind, Limits>> = {
  webhook: { inAll: 256, anAccount: 16 },
  prepare: { inAll: 24, anAccount: 6 },
  seal: { inAll: 24, anAccount: 8 },
  "check-identity": { inAll: 32, anAccount: 8 },
  "fetch-evidence": { inAll: 16, anAccount: 4 },
  report: { inAll: 16, anAccount: 8 },
  "continue-bulk": { inAll: 16, anAccount: 2 },
  // One provider tells of everybody's messages.
  "handle-notices": { inAll: 128, anAccount: 128 },
};

/** How long an obligation counts as under way when nothing is heard of it: whoever works may have been killed. */
const HELD_MS = 60_000;

/** An obligation that was published and is not closed or postponed yet. */
interface Slot {
  kind: ObligationKind;
  accountId: string;
  dueAt: string;
  /** The interval that it was published for last. */
  number: number;
  untilMs: number;
}

/** What was published a while ago and is still open, bounded by kind, and by account within a kind. */
export class Slots {
  readonly #slots = new Map<string, Slot>();
  readonly #counts = new Map<string, number>();

  /** How many more of the kind may be published, for this account. */
  room(kind: ObligationKind, accountId: string): number {
    const { inAll, anAccount } = limitsOfKinds[kind] ?? USUAL;
    return Math.min(inAll - this.#count(kind), anAccount - this.#count(`${kind}/${accountId}`));
  }

  /** Whether there is no room for any account. */
  isFull(kind: ObligationKind): boolean {
    return this.#count(kind) >= (limitsOfKinds[kind] ?? USUAL).inAll;
  }

  /** Whether it is under way since this interval, or a later one. */
  has(obligationId: string, dueAt: string, number: number): boolean {
    const slot = this.#slots.get(obligationId);
    return slot !== undefined && slot.dueAt === dueAt && slot.number >= number;
  }

  /** Whether it has a slot, whichever interval it was published for. */
  holds(obligationId: string): boolean {
    return this.#slots.has(obligationId);
  }

  take(obligationId: string, slot: Omit<Slot, "untilMs">, nowMs: number): void {
    this.release(obligationId);
    this.#slots.set(obligationId, { ...slot, untilMs: nowMs + HELD_MS });
    this.#add(slot, 1);
  }

  /** It was closed, or, when a time is given, postponed if that is another one. Gives what had the slot. */
  release(obligationId: string, dueAt?: string): { kind: ObligationKind; accountId: string } | undefined {
    const slot = this.#slots.get(obligationId);
    if (!slot || slot.dueAt === dueAt) return undefined;
    this.#slots.delete(obligationId);
    this.#add(slot, -1);
    return slot;
  }

  /** Releases what nothing was heard of for long. */
  expire(nowMs: number): void {
    for (const [id, { untilMs }] of this.#slots) if (untilMs <= nowMs) this.release(id);
  }

  clear(): void {
    this.#slots.clear();
    this.#counts.clear();
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #add({ kind, accountId }: Pick<Slot, "kind" | "accountId">, change: number): void {
    for (const name of [kind, `${kind}/${accountId}`]) {
      const count = this.#count(name) + change;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}
