import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Clock } from "@rubrica/runtime";
import { LRUCache } from "lru-cache";

/** Characters of all that is kept; a longer document than the second is read each time. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_CHARACTERS_EACH = 64 * 1024;

/** How long what another process wrote may be missed. */
const OTHERS_SEEN_WITHIN_MS = 250;

/** A row of the records with a document that was not removed. */
export type RecordRow = Record<string, unknown> & { document: string };

/** Rows that were read, kept until somebody may have written them anew: most are asked for again and again. */
export class KnownRecords {
  readonly #rows = new LRUCache<string, RecordRow>({
    maxSize: MAX_CHARACTERS,
    maxEntrySize: MAX_CHARACTERS_EACH,
    sizeCalculation: ({ document }) => document.length,
  });
  readonly #version: StatementSync;
  readonly #clock: Clock;
  #seen: unknown;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(database: DatabaseSync, clock: Clock) {
    // It is another one once another connection has committed.
    this.#version = database.prepare("PRAGMA data_version");
    this.#clock = clock;
  }

  /** The row of that key, by `read` where it is not known. */
  of(key: string, read: () => RecordRow | undefined): RecordRow | undefined {
    this.#forgetWhatOthersWrote();
    const known = this.#rows.get(key);
    if (known) return known;
    const row = read();
    if (row) this.#rows.set(key, row);
    return row;
  }

  evict(key: string): void {
    this.#rows.delete(key);
  }

  evictAll(): void {
    this.#rows.clear();
  }

  #forgetWhatOthersWrote(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lookedMs < OTHERS_SEEN_WITHIN_MS) return;
    const version = this.#version.get()?.data_version;
    if (version !== this.#seen) this.evictAll();
    this.#seen = version;
    this.#lookedMs = nowMs;
  }
}
