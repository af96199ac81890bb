import type { Obligation, ObligationKind, PublishedBulkObligation, PublishedObligation } from "@rubrica/domain";
import { comparePositions, type Position } from "@rubrica/event-store";
import type { BulkObligationsDocument, DocumentChange, ObligationsDocument } from "@rubrica/read-models";

/** What is owed by a document, or by a bulk call. */
type OwingRecord = ObligationsDocument | BulkObligationsDocument;

const FIRST_REPUBLISH_MS = 30_000;
const MAX_REPUBLISH_MS = 600_000;

/** An open obligation, and how its publishing stands. */
export interface OpenObligation {
  body: PublishedObligation | PublishedBulkObligation;
  /** How often it was published. */
  count: number;
  /** How often it was published since it fell due. */
  countSinceDue: number;
  /** When it is to be published next, in milliseconds since the UNIX epoch. */
  nextAtMs: number;
}

interface KnownRecord {
  position: Position;
  open: ReadonlyMap<string, OpenObligation>;
  /** The scan that saw it, or in whose time its last change came. */
  scan: number;
}

/** A record's name among those of all collections. */
export const recordKey = (collection: string, id: string): string => `${collection}/${id}`;

const dueAtMs = ({ dueAt }: Obligation): number => Date.parse(dueAt);

/** Takes note that the obligation is being published: it is again after 30 s, doubling to 10 min, unless postponed. */
export const beginPublishing = (obligation: OpenObligation, nowMs: number): void => {
  obligation.count += 1;
  obligation.nextAtMs = nowMs + Math.min(FIRST_REPUBLISH_MS * 2 ** obligation.countSinceDue, MAX_REPUBLISH_MS);
  obligation.countSinceDue += 1;
};

/** It was not published after all: it is still due. */
export const failPublishing = (obligation: OpenObligation, nowMs: number): void => {
  obligation.countSinceDue = Math.max(0, obligation.countSinceDue - 1);
  obligation.nextAtMs = Math.min(obligation.nextAtMs, nowMs);
};

/**
 * What is owed, in memory: records of the read model as they were last seen or told of, with what was published of them.
 * Only obligations of these kinds count; the others have no subscriber.
 */
export class OpenObligations {
  readonly #kinds: ReadonlySet<ObligationKind>;
  readonly #records = new Map<string, KnownRecord>();
  #scan = 0;

  constructor(kinds: ReadonlySet<ObligationKind>) {
    this.#kinds = kinds;
  }

  /** Takes in a collection's records as they are now; one that is older than what is known is passed over. */
  take(collection: string, records: readonly DocumentChange[]): void {
    for (const { id, position, document } of records) {
      const key = recordKey(collection, id);
      const before = this.#records.get(key);
      if (before && comparePositions(position, before.position) < 0) continue;
      const open = this.#openOf(document as OwingRecord | null, before?.open);
      // One without anything open stays until the scan is over: an older form of it may still be on its way.
      this.#records.set(key, { position, open, scan: this.#scan });
    }
  }

  /** Begins to look through all records: `take` what is found, then `endScan`. */
  beginScan(): void {
    this.#scan += 1;
  }

  /** Forgets what the scan did not find and no change told of since it began, and what owes nothing. */
  endScan(): void {
    for (const [key, { scan, open }] of this.#records)
      if (scan !== this.#scan || open.size === 0) this.#records.delete(key);
  }

  /** Everything that is to be published by now: of the records named, or of all. The longest known come first. */
  *due(nowMs: number, keys: Iterable<string> = this.#records.keys()): Iterable<OpenObligation> {
    for (const key of keys)
      for (const obligation of this.#records.get(key)?.open.values() ?? [])
        if (obligation.nextAtMs <= nowMs) yield obligation;
  }

  #openOf(
    record: OwingRecord | null,
    before: ReadonlyMap<string, OpenObligation> | undefined,
  ): ReadonlyMap<string, OpenObligation> {
    const open = new Map<string, OpenObligation>();
    for (const obligation of record?.open ?? []) {
      if (!record || !this.#kinds.has(obligation.kind)) continue;
      const { accountId } = record;
      const body =
        "bulkId" in record
          ? { obligation, bulkId: record.bulkId, accountId }
          : { obligation, documentId: record.documentId, accountId };
      const known = before?.get(obligation.id) ?? { body, count: 0, countSinceDue: 0, nextAtMs: dueAtMs(obligation) };
      if (known.body.obligation.dueAt !== obligation.dueAt) {
        known.countSinceDue = 0;
        known.nextAtMs = dueAtMs(obligation);
      }
      // The same one is kept: it may be being published right now.
      known.body = body;
      open.set(obligation.id, known);
    }
    return open;
  }
}
