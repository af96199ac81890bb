import { type ActiveContent, type PdfEngine, PdfRefused } from "@rubrica/pdf";
import { LRUCache } from "lru-cache";
import type { LookedAt } from "./files.ts";

const MAX_KNOWN = 1_000;

/** Looks for active content in documents' files; what was found is known by their hashes. */
export class ActiveContents {
  readonly #pdf: Pick<PdfEngine, "admit">;
  readonly #known = new LRUCache<string, readonly ActiveContent[]>({ max: MAX_KNOWN });

  constructor(pdf: Pick<PdfEngine, "admit">) {
    this.#pdf = pdf;
  }

  /** What a file does by itself or reaches out with; nothing where it is gone, or can't be read. */
  async of({ sha256, bytes }: LookedAt, caller: string): Promise<readonly ActiveContent[]> {
    const known = bytes === null ? [] : this.#known.get(sha256);
    if (known || bytes === null) return known ?? [];
    const found = await this.#lookAt(bytes, caller);
    this.#known.set(sha256, found);
    return found;
  }

  /** Evicts all that was found. */
  evict(): void {
    this.#known.clear();
  }

  async #lookAt(bytes: Uint8Array, caller: string): Promise<readonly ActiveContent[]> {
    try {
      const { active, disarmed } = await this.#pdf.admit(bytes, caller);
      // An unsigned one was taken in before such content was taken out.
      return [...active, ...disarmed];
    } catch (error) {
      if (error instanceof PdfRefused) return [];
      throw error;
    }
  }
}
