import { LRUCache } from "lru-cache";
import type { Generation } from "../port.ts";
import type { DocumentRecord } from "./records.ts";

/** Where a document is now: its position, and the versions that its parts have. Null: there is none. */
export type Place = Pick<DocumentRecord, "position" | "parts">;

/** Documents and parts that are remembered, of all generations. */
const MAX_REMEMBERED = 100_000;

/**
 * Where documents were when this process last read or wrote them, so that writing one again needs no read first.
 * Another process may have changed one since: the write names the place that it expects, and reads the place anew where
 * it finds another.
 */
export class Places {
  readonly #places = new LRUCache<string, { place: Place | null }>({
    maxSize: MAX_REMEMBERED,
    sizeCalculation: ({ place }) => 1 + Object.keys(place?.parts ?? {}).length,
  });

  /** Undefined where it is not known. */
  of(generation: Generation, id: string): Place | null | undefined {
    return this.#places.get(keyOf(generation, id))?.place;
  }

  remember(generation: Generation, id: string, place: Place | null): void {
    this.#places.set(keyOf(generation, id), { place });
  }

  evict(generation: Generation, id: string): void {
    this.#places.delete(keyOf(generation, id));
  }
}

/** No number is given twice. */
const keyOf = ({ number }: Generation, id: string): string => `${number}/${id}`;
