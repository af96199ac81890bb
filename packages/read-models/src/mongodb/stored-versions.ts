import { LRUCache } from "lru-cache";
import type { Generation } from "../port.ts";
import type { DocumentRecord } from "./records.ts";

/** Where a document is now: its position, and the versions that its parts have. Null: there is none. */
export type StoredVersion = Pick<DocumentRecord, "position" | "parts">;

/** Documents and parts that are remembered, of all generations. */
const MAX_REMEMBERED = 100_000;

/**
 * Where documents were when this process last read or wrote them, so that writing one again needs no read first.
 * Another process may have changed one since: the write names the version that it expects, and reads it anew where
 * it finds another.
 */
export class StoredVersions {
  readonly #storedVersions = new LRUCache<string, { stored: StoredVersion | null }>({
    maxSize: MAX_REMEMBERED,
    sizeCalculation: ({ stored }) => 1 + Object.keys(stored?.parts ?? {}).length,
  });

  /** Undefined where it is not known. */
  of(generation: Generation, id: string): StoredVersion | null | undefined {
    return this.#storedVersions.get(keyOf(generation, id))?.stored;
  }

  remember(generation: Generation, id: string, stored: StoredVersion | null): void {
    this.#storedVersions.set(keyOf(generation, id), { stored });
  }

  evict(generation: Generation, id: string): void {
    this.#storedVersions.delete(keyOf(generation, id));
  }
}

/** No number is given twice. */
const keyOf = ({ number }: Generation, id: string): string => `${number}/${id}`;
