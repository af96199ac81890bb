import {
  LAST,
  type ObligationsCollection,
  type OpenObligationRecord,
  OWED_SINCE_FIELD,
  type Range,
  type ReadModelStore,
  type StoredDocument,
} from "@rubrica/read-models";
import { isoTime, yieldToOthers } from "@rubrica/runtime";

/** By how much clocks of several machines may differ. */
const TOLERANCE_MS = 2_000;
/** Records that are kept in memory at most; others follow once these are met. */
const MAX_RECORDS = 10_000;
const PAGE = 500;

/** An obligation whose event lies in the future, and when it is due by its own delay since it was seen. */
interface FutureRecord {
  record: OpenObligationRecord;
  dueMs: number;
}

/**
 * What was opened or postponed by a clock that was fast and has been set back: its event, and so its due time, lie in the
 * future. It is due after its own delay, from when it is first seen on.
 */
export class FromFastClock {
  readonly #records = new Map<string, FutureRecord>();

  /** Whether the record's event lies in the future, and its due time was reckoned from it. */
  static concerns({ obligation: { since, dueAt } }: OpenObligationRecord, nowMs: number): boolean {
    return Date.parse(since) > nowMs + TOLERANCE_MS && dueAt >= since;
  }

  /** Looks for records in what is owed. */
  async scan(
    readModels: Pick<ReadModelStore, "findRange">,
    collections: readonly ObligationsCollection[],
    nowMs: number,
  ): Promise<void> {
    for (const collection of collections) {
      let after: string | undefined = isoTime(nowMs + TOLERANCE_MS);
      while (after !== undefined && this.#records.size < MAX_RECORDS) {
        const range: Range = { after, upTo: LAST, limit: PAGE };
        const found: StoredDocument<OpenObligationRecord>[] = await readModels.findRange(
          collection,
          OWED_SINCE_FIELD,
          range,
        );
        for (const { document } of found) this.take(document, nowMs);
        after = found.length === PAGE ? found.at(-1)?.document.obligation.since : undefined;
        await yieldToOthers();
      }
    }
  }

  /** Takes in a record that was found, or told of. */
  take(record: OpenObligationRecord, nowMs: number): void {
    const { id, since, dueAt } = record.obligation;
    if (!FromFastClock.concerns(record, nowMs)) return;
    const known = this.#records.get(id);
    if (known?.record.obligation.dueAt === dueAt) known.record = record;
    else if (known || this.#records.size < MAX_RECORDS) {
      this.#records.set(id, { record, dueMs: nowMs + Date.parse(dueAt) - Date.parse(since) });
    }
  }

  /** It was closed, or postponed to another time. */
  drop(obligationId: string, dueAt?: string): void {
    if (this.#records.get(obligationId)?.record.obligation.dueAt !== dueAt) this.#records.delete(obligationId);
  }

  /** What is due by now. */
  *due(nowMs: number): Iterable<FutureRecord> {
    for (const one of this.#records.values()) if (one.dueMs <= nowMs) yield one;
  }
}
