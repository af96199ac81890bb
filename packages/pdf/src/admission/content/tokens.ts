import {
  ARRAY,
  BROKEN,
  CONSTANT,
  ContentTokens,
  DICT,
  END_OF_ARRAY,
  END_OF_DICT,
  NAME,
  NUMBER,
  STRING,
} from "@rubrica/pdf-reading/content-tokens";

const MAX_DEPTH = 32;

/** Reads contents operand by operand, in the strictest way: what only some readers take for a token is broken. */
export class Tokens extends ContentTokens {
  /** Of the last array: the kinds of its items as bits, the least of its numbers, the largest one, and how long its strings are. */
  items = 0;
  strings = 0;
  least = 0;
  largest = 0;

  /** What comes next: an operand, whole arrays and dictionaries among them, a word, the end, or what is broken. */
  next(depth = 0): number {
    const kind = this.take();
    if (this.isDoubtful) return BROKEN;
    if (kind === ARRAY) return this.#array(depth);
    if (kind === DICT) return this.#dict(depth);
    // Closing brackets stand within what they close alone.
    return depth === 0 && kind > BROKEN ? BROKEN : kind;
  }

  #array(depth: number): number {
    const { start } = this;
    let [items, least, largest, strings] = [0, 0, 0, 0];
    for (;;) {
      const kind = depth >= MAX_DEPTH ? BROKEN : this.next(depth + 1);
      if (kind === END_OF_ARRAY) break;
      if (kind < NUMBER || kind > CONSTANT) return BROKEN;
      items |= 1 << kind;
      if (kind === STRING) strings += this.at - this.start;
      if (kind !== NUMBER) continue;
      least = Math.min(least, this.value);
      largest = Math.max(largest, this.value);
    }
    this.start = start;
    this.items = items;
    this.strings = strings;
    this.least = least;
    this.largest = largest;
    return ARRAY;
  }

  #dict(depth: number): number {
    const { start } = this;
    for (let count = 0; ; count += 1) {
      const kind = depth >= MAX_DEPTH ? BROKEN : this.next(depth + 1);
      if (kind === END_OF_DICT && count % 2 === 0) break;
      if (count % 2 === 0 ? kind !== NAME : kind < NUMBER || kind > CONSTANT) return BROKEN;
    }
    this.start = start;
    return DICT;
  }
}
