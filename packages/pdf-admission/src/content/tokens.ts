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
import { type Edit, MAX_IN_STRINGS } from "./reading.ts";

const MAX_DEPTH = 32;
const [BRACKET, BACKSLASH, RETURN, NEWLINE] = [0x28, 0x5c, 0x0d, 0x0a];

/** Reads contents operand by operand, in the strictest way: what only some readers take for a token is broken. */
export class Tokens extends ContentTokens {
  /**
   * Of the last array: the kinds of its items as bits, how long its strings are, how many numbers it has, the least of
   * them, the largest one, their sum, whatever their signs, and whether one of no length is a dash, as dashes go.
   */
  items = 0;
  strings = 0;
  numbers = 0;
  least = 0;
  largest = 0;
  sum = 0;
  hasDots = false;
  /** Line ends within strings that some readers take for another character, or for two (7.3.4.2), and what stands instead. */
  readonly returns: Edit[] = [];
  #nextReturn = 0;

  /** What comes next: an operand, whole arrays and dictionaries among them, a word, the end, or what is broken. */
  next(depth = 0): number {
    const kind = this.take();
    if (this.isDoubtful) return BROKEN;
    if (kind === STRING) this.#noteReturns();
    if (kind === ARRAY) return this.#array(depth);
    if (kind === DICT) return this.#dict(depth);
    // Closing brackets stand within what they close alone.
    return depth === 0 && kind > BROKEN ? BROKEN : kind;
  }

  #noteReturns(): void {
    const { bytes, start, at } = this;
    if (bytes[start] !== BRACKET) return;
    if (this.#nextReturn < start) this.#nextReturn = (bytes.indexOf(RETURN, start) + 1 || bytes.length + 1) - 1;
    if (this.#nextReturn >= at) return;
    for (let place = start; place < at && this.returns.length <= MAX_IN_STRINGS; place += 1) {
      if (bytes[place] === BACKSLASH) place += 1;
      else if (bytes[place] === RETURN && bytes[place + 1] === NEWLINE)
        this.returns.push({ start: place, end: place + 2, instead: "\\n" });
      else if (bytes[place] === RETURN) this.returns.push({ start: place, end: place + 1, instead: "\n" });
    }
  }

  #array(depth: number): number {
    const { start } = this;
    let [items, least, largest, strings, numbers, sum, none] = [0, 0, 0, 0, 0, 0, 0];
    for (;;) {
      const kind = depth >= MAX_DEPTH ? BROKEN : this.next(depth + 1);
      if (kind === END_OF_ARRAY) break;
      if (kind < NUMBER || kind > CONSTANT) return BROKEN;
      items |= 1 << kind;
      if (kind === STRING) strings += this.at - this.start;
      if (kind !== NUMBER) continue;
      least = Math.min(least, this.value);
      largest = Math.max(largest, this.value);
      if (this.value === 0) none |= 1 << (numbers % 2);
      numbers += 1;
      sum += Math.abs(this.value);
    }
    this.start = start;
    this.items = items;
    this.strings = strings;
    this.least = least;
    this.largest = largest;
    this.numbers = numbers;
    this.sum = sum;
    // Of an odd number gaps become dashes the next time.
    this.hasDots = sum > 0 && (none & (numbers % 2 === 0 ? 1 : 3)) !== 0;
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
