import { endsToken, isWhitespace } from "@rubrica/pdf-reading/lexer";
import { ARRAY, CONSTANT, DICT, NAME, NUMBER, STRING } from "./operators.ts";

/** What a token is that is no operand. */
export const [END, WORD, BROKEN] = [0, 7, 8] as const;

/** Closing brackets, which stand within what they close alone. */
const [END_OF_ARRAY, END_OF_DICT] = [9, 10] as const;

/** Readers cut longer ones, or take them for several. */
const LONGEST_NUMBER = 64;
/** Some of them have whole sentences for names, in escapes. */
const LONGEST_NAME = 255;
/** Some readers cut longer ones off (PDFium: 32,767 bytes). */
const LONGEST_STRING = 32_000;
/** Beyond it readers with numbers of a single precision are off by a point. */
const LARGEST = 10_000_000;
const MAX_DEPTH = 32;
const constants = ["true", "false", "null"].map((word) => Buffer.from(word));

const isHexDigit = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isOctalDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x37;

/** Reads contents token by token, in the strictest way: what only some readers take for a token is broken. */
export class Tokens {
  /** Where the last token begins, and where the next one is looked for. */
  start = 0;
  at = 0;
  /** The last token, where it was a number. */
  value = 0;
  /** Of the last array: the kinds of its items as bits, the least of its numbers, and the largest one. */
  items = 0;
  least = 0;
  largest = 0;
  readonly bytes: Uint8Array;
  /** Where one part of the content ends and the next one begins: no string, name or comment lies over it. */
  readonly #seams: readonly number[];
  #seam = 0;

  constructor(bytes: Uint8Array, seams: readonly number[] = []) {
    this.bytes = bytes;
    this.#seams = seams;
  }

  /** The kind of the next token. */
  next(depth = 0): number {
    if (!this.#skipSpace()) return BROKEN;
    this.start = this.at;
    const byte = this.bytes[this.at];
    if (byte === undefined) return END;
    if (isDigit(byte) || byte === 0x2d || byte === 0x2e || byte === 0x2b) return this.#number();
    const kind = endsToken(byte) ? this.#delimited(byte, depth) : this.#word();
    return depth === 0 && kind > BROKEN ? BROKEN : kind;
  }

  /** Whether a token that began there lies over a seam. */
  isTornSince(start: number): boolean {
    while ((this.#seams[this.#seam] ?? Number.POSITIVE_INFINITY) < start) this.#seam += 1;
    return (this.#seams[this.#seam] ?? Number.POSITIVE_INFINITY) < this.at;
  }

  /** False where a comment goes to the end of a part. */
  #skipSpace(): boolean {
    for (;;) {
      const byte = this.bytes[this.at] ?? -1;
      if (byte === 0x25) {
        const start = this.at;
        while (this.at < this.bytes.length && this.bytes[this.at] !== 0x0a && this.bytes[this.at] !== 0x0d)
          this.at += 1;
        this.at += 1;
        if (this.isTornSince(start)) return false;
      } else if (byte >= 0 && isWhitespace(byte)) this.at += 1;
      else return true;
    }
  }

  #delimited(byte: number, depth: number): number {
    const isDoubled = this.bytes[this.at + 1] === byte;
    if (byte === 0x2f) return this.#name();
    if (byte === 0x28) return this.#string();
    if (byte === 0x5b) return this.#array(depth);
    if (byte === 0x3c) return isDoubled ? this.#dict(depth) : this.#hexString();
    this.at += byte === 0x3e && isDoubled ? 2 : 1;
    if (byte === 0x5d) return END_OF_ARRAY;
    return byte === 0x3e && isDoubled ? END_OF_DICT : BROKEN;
  }

  /** A sign, digits and a point among them (7.3.3); readers take a point or a sign alone for zero. */
  #number(): number {
    let [value, scale, isNegative] = [0, 0, false];
    const first = this.bytes[this.at] ?? 0;
    if (first === 0x2d || first === 0x2b) {
      isNegative = first === 0x2d;
      this.at += 1;
    }
    for (;;) {
      const byte = this.bytes[this.at] ?? 0x20;
      if (isDigit(byte)) {
        if (scale === 0) value = value * 10 + byte - 0x30;
        else {
          scale *= 10;
          value += (byte - 0x30) / scale;
        }
      } else if (byte === 0x2e && scale === 0) scale = 1;
      else if (endsToken(byte)) break;
      else return this.#brokenWord();
      this.at += 1;
    }
    this.value = isNegative ? -value : value;
    return value > LARGEST || this.at - this.start > LONGEST_NUMBER ? BROKEN : NUMBER;
  }

  #brokenWord(): number {
    this.#skipWord();
    return BROKEN;
  }

  #skipWord(): void {
    while (this.at < this.bytes.length && !endsToken(this.bytes[this.at] ?? 0)) this.at += 1;
  }

  #word(): number {
    this.#skipWord();
    const length = this.at - this.start;
    const isConstant = (word: Uint8Array) =>
      word.length === length && word.every((byte, index) => this.bytes[this.start + index] === byte);
    return length > 3 && constants.some(isConstant) ? CONSTANT : WORD;
  }

  #name(): number {
    this.at += 1;
    this.#skipWord();
    return this.at - this.start > LONGEST_NAME ? BROKEN : NAME;
  }

  #string(): number {
    let depth = 0;
    for (; this.at < this.bytes.length; this.at += 1) {
      const byte = this.bytes[this.at];
      if (byte === 0x5c) {
        this.at += 1;
        if (this.#isBeyondByte()) return BROKEN;
      } else if (byte === 0x28) depth += 1;
      else if (byte === 0x29) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    this.at += 1;
    return this.at > this.bytes.length || this.#isTooLong() ? BROKEN : STRING;
  }

  /** Whether three octal digits stand for more than a byte: readers cut it each in its own way. */
  #isBeyondByte(): boolean {
    const first = this.bytes[this.at] ?? 0;
    if (first < 0x34 || !isOctalDigit(first)) return false;
    return isOctalDigit(this.bytes[this.at + 1] ?? 0) && isOctalDigit(this.bytes[this.at + 2] ?? 0);
  }

  #hexString(): number {
    this.at += 1;
    for (let byte = this.bytes[this.at]; byte !== 0x3e; byte = this.bytes[this.at]) {
      if (byte === undefined || !(isHexDigit(byte) || isWhitespace(byte))) return this.#brokenWord();
      this.at += 1;
    }
    this.at += 1;
    return this.#isTooLong() ? BROKEN : STRING;
  }

  #isTooLong(): boolean {
    return this.at - this.start > LONGEST_STRING || this.isTornSince(this.start);
  }

  #array(depth: number): number {
    const start = this.at;
    this.at += 1;
    let [items, least, largest] = [0, 0, 0];
    for (;;) {
      const kind = depth >= MAX_DEPTH ? BROKEN : this.next(depth + 1);
      if (kind === END_OF_ARRAY) break;
      if (kind < NUMBER || kind > CONSTANT) return BROKEN;
      items |= 1 << kind;
      if (kind === NUMBER) [least, largest] = [Math.min(least, this.value), Math.max(largest, this.value)];
    }
    [this.start, this.items, this.least, this.largest] = [start, items, least, largest];
    return ARRAY;
  }

  #dict(depth: number): number {
    const start = this.at;
    this.at += 2;
    for (let count = 0; ; count += 1) {
      const kind = depth >= MAX_DEPTH ? BROKEN : this.next(depth + 1);
      if (kind === END_OF_DICT && count % 2 === 0) break;
      if (count % 2 === 0 ? kind !== NAME : kind < NUMBER || kind > CONSTANT) return BROKEN;
    }
    this.start = start;
    return DICT;
  }
}
