import { limitsOf, type ObligationKind } from "@rubrica/domain";
import { Trust } from "./trust.ts";

/** Receivers that are not trusted (see {@link Trust}) have at most this share of the slots, over all and within each account. */
const SHARE_OF_TRIALS = 0.5;

/** How long an obligation counts as under way when nothing is heard of it: whoever works may have been killed. */
const HELD_MS = 60_000;

/** An obligation that was published and is not closed or postponed yet. */
interface Slot {
  kind: ObligationKind;
  lane: string;
  dueAt: string;
  /** The interval that it was published for last. */
  number: number;
  takenMs: number;
  /** Whether it is among those whose receiver was not trusted when it was published. */
  isTrial: boolean;
}

const accountOf = (lane: string): string => lane.split(".", 1)[0] ?? lane;

/**
 * What was published a while ago and is still open, bounded by kind, by account within a kind, and by a webhook's receiver.
 * A subscriber takes what was published first: what has to wait waits here, where accounts are served in rotation.
 * Receivers that are dead, slow or new share a part of the slots: however many they are, the others have the rest.
 */
export class Slots {
  readonly #slots = new Map<string, Slot>();
  readonly #counts = new Map<string, number>();
  readonly #trust = new Trust();

  /** How many more of the kind may be published, in this lane. */
  free(kind: ObligationKind, lane: string): number {
    const { inAll, anAccount } = limitsOf(kind);
    const account = `${kind}/${accountOf(lane)}`;
    const ofAccount = Math.min(inAll - this.#count(kind), anAccount - this.#count(account));
    if (kind !== "webhook") return ofAccount;
    const ofLane = this.#trust.of(lane) - this.#count(`${account}/${lane}`);
    if (this.#trust.isTrusted(lane)) return Math.min(ofAccount, ofLane);
    const ofTrials = Math.min(
      inAll * SHARE_OF_TRIALS - this.#count(`trials of ${kind}`),
      anAccount * SHARE_OF_TRIALS - this.#count(`trials of ${account}`),
    );
    return Math.min(ofAccount, ofLane, ofTrials);
  }

  /** Whether no account has a slot free. */
  isFull(kind: ObligationKind): boolean {
    return this.#count(kind) >= limitsOf(kind).inAll;
  }

  /** Whether it is under way since this interval, or a later one. */
  has(obligationId: string, dueAt: string, number: number): boolean {
    const slot = this.#slots.get(obligationId);
    return slot !== undefined && slot.dueAt === dueAt && slot.number >= number;
  }

  /** Whether it has a slot, whichever interval it was published for. */
  hasSlot(obligationId: string): boolean {
    return this.#slots.has(obligationId);
  }

  take(obligationId: string, slot: Omit<Slot, "takenMs" | "isTrial">, nowMs: number): void {
    this.#release(obligationId);
    const isTrial = slot.kind === "webhook" && !this.#trust.isTrusted(slot.lane);
    const taken = { ...slot, isTrial, takenMs: nowMs };
    this.#slots.set(obligationId, taken);
    this.#add(taken, 1);
  }

  /**
   * An obligation was closed or postponed: frees its slot, and notes how its receiver did.
   * @param tookMs how long the receiver alone took
   * @param dueAt when it is due now; left out when it was closed. Where that is as it was, the attempt still goes on
   */
  heard(obligationId: string, tookMs: number | null, dueAt?: string): void {
    const slot = this.#slots.get(obligationId);
    if (!slot || slot.dueAt === dueAt) return;
    this.#release(obligationId);
    if (slot.kind === "webhook") this.#trust.learn(slot.lane, { isOver: dueAt === undefined, tookMs: tookMs ?? 0 });
  }

  /** Releases what nothing was heard of for long. */
  expire(nowMs: number): void {
    for (const [id, { takenMs }] of this.#slots) if (takenMs + HELD_MS <= nowMs) this.#release(id);
  }

  clear(): void {
    this.#slots.clear();
    this.#counts.clear();
  }

  #release(obligationId: string): void {
    const slot = this.#slots.get(obligationId);
    if (!slot) return;
    this.#slots.delete(obligationId);
    this.#add(slot, -1);
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #add({ kind, lane, isTrial }: Slot, change: number): void {
    const account = `${kind}/${accountOf(lane)}`;
    const trials = isTrial ? [`trials of ${kind}`, `trials of ${account}`] : [];
    for (const name of [kind, account, `${account}/${lane}`, ...trials]) {
      const count = this.#count(name) + change;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}
