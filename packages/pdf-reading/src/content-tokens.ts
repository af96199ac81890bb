import { bufferOf } from "./bytes.ts";
import { endsToken, isDigit, isOddName, isWhitespace } from "./characters.ts";

/**
 * What a token of a content is (ISO 32000-2, 7.8.2): an operand, the beginning or the end of an array or a dictionary, a word,
 * which should be an operator, or none of these.
 */
export const [END, NUMBER, NAME, STRING, ARRAY, DICT, CONSTANT, WORD, BROKEN, END_OF_ARRAY, END_OF_DICT] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
] as const;

/** Readers cut longer ones, or take them for several. */
const LONGEST_NUMBER = 64;
/** Some readers cut longer ones off (PDFium: 32,767 bytes). */
const LONGEST_STRING = 32_000;
/** Beyond it readers with numbers of a single precision are off by a point. */
const LARGEST = 10_000_000;
const constants = ["true", "false", "null"].map((word) => Buffer.from(word));

const isOctalDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x37;
const isOfNumber = (byte: number): boolean => isDigit(byte) || byte === 0x2d || byte === 0x2e || byte === 0x2b;

/** What a byte begins, by its value. */
const [SPACE, COMMENT, OF_NUMBER, DELIMITER, REGULAR] = [0, 1, 2, 3, 4] as const;
const beginnings = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (isWhitespace(byte)) return SPACE;
  if (byte === 0x25) return COMMENT;
  if (isOfNumber(byte)) return OF_NUMBER;
  return endsToken(byte) ? DELIMITER : REGULAR;
});

const isHexDigit = (byte: number): boolean =>
  isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);

/** Reads a content token by token, and tells which of them not all readers take alike. */
export class ContentTokens {
  /** Where the last token begins, and where the next one is looked for. */
  start = 0;
  at = 0;
  /** The last token, where it was a number. */
  value = 0;
  /** Whether some readers take the last token for something else: it breaks the syntax, or is longer or larger than they read. */
  isDoubtful = false;
  readonly bytes: Buffer;
  /** Where one part of the content ends and the next one begins: no string, name or comment lies over it. */
  readonly #seams: readonly number[];
  #seam = 0;

  constructor(bytes: Uint8Array, seams: readonly number[] = []) {
    this.bytes = bufferOf(bytes);
    this.#seams = seams;
  }

  /** Takes the next token, and gives what it is. */
  take(): number {
    const { bytes } = this;
    this.isDoubtful = false;
    let { at } = this;
    let beginning: number = SPACE;
    for (; at < bytes.length; at += 1) {
      beginning = beginnings[bytes[at] as number] as number;
      if (beginning > COMMENT) break;
      if (beginning === SPACE) continue;
      if (!this.#skipComment(at)) return BROKEN;
      at = this.at - 1;
    }
    this.start = at;
    this.at = at;
    if (at >= bytes.length) return END;
    if (beginning === OF_NUMBER) return this.#number(bytes[at] as number);
    return beginning === REGULAR ? this.#word() : this.#delimited(bytes[at] as number);
  }

  /** Whether a token that began there lies over a seam. */
  isTornSince(start: number): boolean {
    while ((this.#seams[this.#seam] ?? Number.POSITIVE_INFINITY) < start) this.#seam += 1;
    return (this.#seams[this.#seam] ?? Number.POSITIVE_INFINITY) < this.at;
  }

  /** False where it goes to the end of a part. */
  #skipComment(start: number): boolean {
    const { bytes } = this;
    let at = start;
    while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
    this.start = start;
    this.at = at + 1;
    return !this.isTornSince(start);
  }

  #delimited(byte: number): number {
    const isDoubled = this.bytes[this.at + 1] === byte;
    if (byte === 0x2f) return this.#name();
    if (byte === 0x28) return this.#string();
    if (byte === 0x3c && !isDoubled) return this.#hexString();
    const isAngle = byte === 0x3c || byte === 0x3e;
    this.at += isAngle && isDoubled ? 2 : 1;
    if (isAngle && isDoubled) return byte === 0x3c ? DICT : END_OF_DICT;
    if (byte === 0x5b) return ARRAY;
    return byte === 0x5d ? END_OF_ARRAY : BROKEN;
  }

  /** A sign, digits and a point among them (7.3.3); readers take a point or a sign alone for zero. */
  #number(first: number): number {
    const { bytes } = this;
    const isNegative = first === 0x2d;
    let at = isNegative || first === 0x2b ? this.start + 1 : this.start;
    let [value, scale] = [0, 1];
    let byte = bytes[at] ?? 0x20;
    for (; isDigit(byte); byte = bytes[at] ?? 0x20) {
      value = value * 10 + byte - 0x30;
      at += 1;
    }
    if (byte === 0x2e) {
      for (byte = bytes[++at] ?? 0x20; isDigit(byte); byte = bytes[++at] ?? 0x20) {
        value = value * 10 + byte - 0x30;
        scale *= 10;
      }
      value /= scale;
    }
    this.at = at;
    this.value = isNegative ? -value : value;
    if (!endsToken(byte)) return this.#oddNumber();
    this.isDoubtful =
      value > LARGEST || at - this.start > LONGEST_NUMBER || (at === this.start + 1 && this.#goesOn(byte));
    return NUMBER;
  }

  /** Whether a sign alone ends its line: pdf.js takes the number of the next one for its own; before NUL it takes none. */
  #goesOn(next: number): boolean {
    return (next === 0x0a || next === 0x0d || next === 0) && !isDigit(this.bytes[this.start] ?? 0);
  }

  /** "--5" or "1.2-3", as some producers write numbers; all else that begins with a number is a word. */
  #oddNumber(): number {
    this.isDoubtful = true;
    this.#skipWord();
    return this.bytes.subarray(this.start, this.at).every(isOfNumber) ? NUMBER : WORD;
  }

  #skipWord(): void {
    const { bytes } = this;
    let { at } = this;
    while (at < bytes.length && !endsToken(bytes[at] ?? 0)) at += 1;
    this.at = at;
  }

  #word(): number {
    this.#skipWord();
    const length = this.at - this.start;
    if (length <= 3) return WORD;
    const isConstant = (word: Uint8Array) =>
      word.length === length && word.every((byte, index) => this.bytes[this.start + index] === byte);
    return constants.some(isConstant) ? CONSTANT : WORD;
  }

  #name(): number {
    this.at += 1;
    this.#skipWord();
    this.isDoubtful = isOddName(this.bytes.toString("latin1", this.start + 1, this.at));
    return NAME;
  }

  #string(): number {
    const { bytes } = this;
    let [at, depth, isBeyondByte] = [this.at, 0, false];
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === 0x5c) {
        at += 1;
        isBeyondByte ||= this.#isBeyondByte(at);
      } else if (byte === 0x28) depth += 1;
      else if (byte === 0x29) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    this.at = at + 1;
    if (this.at > bytes.length) return BROKEN;
    this.isDoubtful = isBeyondByte || this.#isTooLong();
    return STRING;
  }

  /** Whether three octal digits stand for more than a byte: readers cut it each in its own way. */
  #isBeyondByte(at: number): boolean {
    const first = this.bytes[at] ?? 0;
    if (first < 0x34 || !isOctalDigit(first)) return false;
    return isOctalDigit(this.bytes[at + 1] ?? 0) && isOctalDigit(this.bytes[at + 2] ?? 0);
  }

  #hexString(): number {
    const { bytes } = this;
    const end = bytes.indexOf(0x3e, this.at);
    this.at = end < 0 ? bytes.length : end + 1;
    if (end < 0) return BROKEN;
    this.isDoubtful = this.#isTooLong() || !this.#isHex(this.start + 1, end);
    return STRING;
  }

  #isHex(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) {
      const byte = this.bytes[at] ?? 0;
      if (!isHexDigit(byte) && !isWhitespace(byte)) return false;
    }
    return true;
  }

  #isTooLong(): boolean {
    return this.at - this.start > LONGEST_STRING || this.isTornSince(this.start);
  }
}
