import type { StreamHead } from "../port.ts";

/** A head is some 200 bytes. */
const MAX_HEADS = 20_000;

/** Heads of streams that were read, kept until somebody may have appended to them: most are asked for again and again. */
export class KnownHeads {
  readonly #heads = new Map<string, StreamHead>();

  /** The stream's head, by `read` where it is not known. */
  of(stream: string, read: () => StreamHead | undefined): StreamHead | undefined {
    const known = this.#heads.get(stream);
    if (known) return known;
    const head = read();
    if (this.#heads.size >= MAX_HEADS) this.forgetAll();
    // Only heads of streams that exist are kept: made-up names must not push them out.
    if (head) this.#heads.set(stream, head);
    return head;
  }

  forget(stream: string): void {
    this.#heads.delete(stream);
  }

  forgetAll(): void {
    this.#heads.clear();
  }
}
