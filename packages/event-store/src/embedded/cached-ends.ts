import type { StreamEnd } from "../port.ts";

/** Some 200 bytes each. */
const MAX_ENDS = 20_000;

/** Ends of streams that were read, kept until somebody may have appended to them: most are asked for again and again. */
export class CachedEnds {
  readonly #ends = new Map<string, StreamEnd>();

  /** The stream's end, by `read` where it is not known. */
  of(stream: string, read: () => StreamEnd | undefined): StreamEnd | undefined {
    const known = this.#ends.get(stream);
    if (known) return known;
    const end = read();
    if (this.#ends.size >= MAX_ENDS) this.evictAll();
    // Only ends of streams that exist are kept: made-up names must not push them out.
    if (end) this.#ends.set(stream, end);
    return end;
  }

  evict(stream: string): void {
    this.#ends.delete(stream);
  }

  evictAll(): void {
    this.#ends.clear();
  }
}
