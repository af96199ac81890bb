import {
  PDFArray,
  PDFBool,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFString,
} from "pdf-lib";
import { Allowance } from "./allowance.ts";
import { bufferOf } from "./bytes.ts";
import { endsToken, isDigit, isOddName, isWhitespace } from "./characters.ts";
import { Damaged, TooComplex } from "./faults.ts";
import { MAX_NUMBER_BYTES, numberOf } from "./numbers.ts";
import { noteStray, noteTwice } from "./oddities.ts";

/** PDFium loses what stands in an object after dictionaries that lie 64 deep. */
const MAX_DEPTH = 60;
const MAX_NAME_BYTES = 1_000;
/** Of one dictionary. Those that name all glyphs of a font, or all destinations of a book, have some ten thousand. */
const MAX_ENTRIES = 100_000;
/** Of one array. */
const MAX_ITEMS = 500_000;

/** As many digits as the largest integer has. */
const MAX_REFERENCE_DIGITS = 10;

/** What never stands within an object: a broken one must not take in what follows it. */
const structural = new Set(["obj", "endobj", "stream", "endstream", "xref", "trailer", "startxref"]);

/** Names and numbers that most files are made of, which need not be made anew each time. */
const MAX_KNOWN_NAMES = 5_000;
const knownNames = new Map<string, PDFName>();
const EMPTY_NAME = PDFName.of("");
const smallNumbers = Array.from({ length: 1_024 }, (_, value) => PDFNumber.of(value));

/** A number of more digits may not be exact. */
const MAX_EXACT_DIGITS = 15;

/**
 * Reads PDF objects (ISO 32000-2, 7.3) at any offset of a file, as objects of pdf-lib.
 * pdf-lib's own parser can only read a file from its first byte to its last, which is slower, and
 * takes for the document what the cross-reference says is not part of it.
 */
export class Lexer {
  offset: number;
  readonly #bytes: Buffer;
  readonly #context: PDFContext;
  readonly #allowance: Allowance;
  /** How many things have strayed so far: what is no object, or has no key, or is a malformed reference or name. */
  #strays = 0;

  /** @param allowance what reading the whole file may cost; that of the bytes when it is not given */
  constructor(bytes: Uint8Array, context: PDFContext, offset = 0, allowance = new Allowance(bytes.length)) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : bufferOf(bytes);
    this.#context = context;
    this.offset = offset;
    this.#allowance = allowance;
  }

  /** Whether something strayed in what was read so far. */
  get hasStrayed(): boolean {
    return this.#strays > 0;
  }

  /** Passes over white space and comments. */
  skipSpace(): void {
    const start = this.offset;
    for (;;) {
      const byte = this.#bytes[this.offset];
      if (byte === 0x25) {
        while (this.offset < this.#bytes.length && !this.#atLineEnd()) this.offset += 1;
      } else if (byte !== undefined && isWhitespace(byte)) {
        this.offset += 1;
      } else {
        break;
      }
    }
    if (this.offset > start) this.#allowance.spend(this.offset - start);
  }

  #atLineEnd(): boolean {
    const byte = this.#bytes[this.offset];
    return byte === 0x0a || byte === 0x0d;
  }

  /** Takes a keyword if it stands here as a whole token, after white space. */
  takeKeyword(keyword: string): boolean {
    this.skipSpace();
    for (let index = 0; index < keyword.length; index += 1) {
      if (this.#bytes[this.offset + index] !== keyword.charCodeAt(index)) return false;
    }
    const next = this.#bytes[this.offset + keyword.length];
    if (next !== undefined && !endsToken(next) && keyword !== "obj" && keyword !== "R") return false;
    this.offset += keyword.length;
    return true;
  }

  /** Takes an unsigned integer, or nothing. */
  takeInteger(): number | undefined {
    this.skipSpace();
    const start = this.offset;
    let value = 0;
    for (let byte = this.#bytes[start] ?? 0; isDigit(byte); byte = this.#bytes[this.offset] ?? 0) {
      value = value * 10 + byte - 0x30;
      this.offset += 1;
    }
    const digits = this.offset - start;
    if (digits === 0) return undefined;
    this.#allowance.spend(digits);
    return digits <= MAX_EXACT_DIGITS ? value : this.#longInteger(start);
  }

  #longInteger(start: number): number {
    let from = start;
    while (this.#bytes[from] === 0x30) from += 1;
    return Number(this.#text(from, Math.min(this.offset, from + 20)));
  }

  #text(start: number, end: number): string {
    return this.#bytes.toString("latin1", start, end);
  }

  /** An object within another. A word that is not an object counts as null, as for other readers. */
  #inner(depth: number): PDFObject {
    const object = this.#objectIfAny(depth);
    if (object !== undefined) return object;
    const start = this.offset;
    while (this.offset < this.#bytes.length && !endsToken(this.#bytes[this.offset] ?? 0x20)) this.offset += 1;
    this.#allowance.spend(this.offset - start);
    const word = this.#text(start, Math.min(this.offset, start + MAX_NAME_BYTES));
    if (word === "" || structural.has(word)) throw new Damaged(`an object is broken at offset ${start}`);
    this.#strays += 1;
    return PDFNull;
  }

  /** Reads one object; throws {@link Damaged} where none stands. */
  object(depth = 0): PDFObject {
    const object = this.#objectIfAny(depth);
    if (object === undefined) throw new Damaged(`no object at offset ${this.offset}`);
    return object;
  }

  #objectIfAny(depth: number): PDFObject | undefined {
    if (depth > MAX_DEPTH) throw new TooComplex("objects are nested too deeply");
    this.skipSpace();
    this.#allowance.keep();
    const byte = this.#bytes[this.offset] ?? -1;
    switch (byte) {
      case 0x2f:
        return this.#name();
      case 0x28:
        return this.#string();
      case 0x5b:
        return this.#array(depth);
      case 0x3c:
        return this.#bytes[this.offset + 1] === 0x3c ? this.dictionary(depth) : this.#hexString();
      default:
        return this.#numberOrKeyword(byte);
    }
  }

  #numberOrKeyword(byte: number): PDFObject | undefined {
    if (isDigit(byte)) return this.#referenceOrNumber();
    if (byte === 0x2b || byte === 0x2d || byte === 0x2e) return this.#number();
    if (this.takeKeyword("true")) return PDFBool.True;
    if (this.takeKeyword("false")) return PDFBool.False;
    return this.takeKeyword("null") ? PDFNull : undefined;
  }

  #referenceOrNumber(): PDFObject {
    const start = this.offset;
    const number = this.takeInteger();
    const end = this.offset;
    if (endsToken(this.#bytes[end] ?? 0x20)) {
      this.skipSpace();
      const second = this.offset;
      const generation = this.takeInteger();
      const digits = Math.max(end - start, this.offset - second);
      const isStuck = !endsToken(this.#bytes[this.offset] ?? 0x20);
      if (number !== undefined && generation !== undefined && this.takeKeyword("R")) {
        // Some readers take `5 0 Rx` and `5 0R` for references, and numbers that begin with zeros for others.
        const goesOn = !endsToken(this.#bytes[this.offset] ?? 0x20);
        if (digits > MAX_REFERENCE_DIGITS || isStuck || goesOn) this.#strays += 1;
        return PDFRef.of(number, generation);
      }
      const isShort = number !== undefined && end - start <= MAX_NUMBER_BYTES;
      const small = isShort ? smallNumbers[number] : undefined;
      if (small !== undefined) {
        this.offset = start;
        while (isDigit(this.#bytes[this.offset] ?? 0)) this.offset += 1;
        return small;
      }
    }
    this.offset = start;
    return this.#number();
  }

  #number(): PDFNumber {
    const start = this.offset;
    while (this.offset < this.#bytes.length && !endsToken(this.#bytes[this.offset] ?? 0x20)) this.offset += 1;
    this.#allowance.spend(this.offset - start);
    const text = this.#text(start, this.offset);
    const number = numberOf(text);
    if (number === undefined) throw new Damaged(`no number at offset ${start}`);
    return number;
  }

  #name(): PDFName {
    const start = this.offset + 1;
    let end = start;
    while (end < this.#bytes.length && !endsToken(this.#bytes[end] ?? 0x20)) end += 1;
    this.#allowance.spend(end - start);
    if (end - start > MAX_NAME_BYTES) throw new Damaged("a name is too long");
    this.offset = end;
    const raw = this.#text(start, end);
    const known = knownNames.get(raw);
    if (known !== undefined) return known;
    // It decodes escapes itself, in capitals alone; what was decoded before would be so twice (`#2341`).
    const name = PDFName.of(raw.replace(/#[\dA-Fa-f]{2}/g, (digits) => digits.toUpperCase()));
    if (isOddName(raw)) this.#strays += 1;
    else if (knownNames.size < MAX_KNOWN_NAMES) knownNames.set(raw, name);
    return name;
  }

  #string(): PDFString {
    const start = this.offset + 1;
    let depth = 1;
    let at = start;
    for (; at < this.#bytes.length; at += 1) {
      const byte = this.#bytes[at];
      if (byte === 0x5c) at += 1;
      else if (byte === 0x28) depth += 1;
      else if (byte === 0x29) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    this.#allowance.spend(at - start);
    if (depth !== 0) throw new Damaged(`a string that begins at offset ${start} does not end`);
    this.offset = at + 1;
    return PDFString.of(this.#text(start, at));
  }

  #hexString(): PDFHexString {
    const start = this.offset + 1;
    const end = this.#bytes.indexOf(0x3e, start);
    this.#allowance.spend((end < 0 ? this.#bytes.length : end) - start);
    if (end < 0) throw new Damaged(`a string that begins at offset ${start} does not end`);
    this.offset = end + 1;
    return PDFHexString.of(this.#text(start, end));
  }

  #array(depth: number): PDFArray {
    this.offset += 1;
    const strays = this.#strays;
    const array = PDFArray.withContext(this.#context);
    for (;;) {
      this.skipSpace();
      if (this.#bytes[this.offset] === 0x5d) break;
      if (array.size() >= MAX_ITEMS) throw new TooComplex("an array of it is too long");
      array.push(this.#inner(depth + 1));
    }
    this.offset += 1;
    if (this.#strays > strays) noteStray(array);
    return array;
  }

  /** Reads a dictionary; a stream that follows it is left where it stands. */
  dictionary(depth = 0): PDFDict {
    this.skipSpace();
    if (this.#bytes[this.offset] !== 0x3c || this.#bytes[this.offset + 1] !== 0x3c) {
      throw new Damaged(`no dictionary at offset ${this.offset}`);
    }
    this.offset += 2;
    const strays = this.#strays;
    const entries = new Map<PDFName, PDFObject>();
    let count = 0;
    for (;;) {
      this.skipSpace();
      const byte = this.#bytes[this.offset];
      if (byte === 0x3e && this.#bytes[this.offset + 1] === 0x3e) break;
      if (byte !== 0x2f) {
        // A value without a name before it belongs to nothing.
        this.#inner(depth + 1);
        this.#strays += 1;
        continue;
      }
      if (entries.size >= MAX_ENTRIES) throw new TooComplex("a dictionary of it is too large");
      const key = this.#name();
      // Some readers have no entry without a name.
      if (key === EMPTY_NAME) this.#strays += 1;
      this.skipSpace();
      const isEmpty = this.#bytes[this.offset] === 0x3e;
      if (isEmpty) this.#strays += 1;
      entries.set(key, isEmpty ? PDFNull : this.#inner(depth + 1));
      count += 1;
    }
    this.offset += 2;
    const dict = PDFDict.fromMapWithContext(entries, this.#context);
    if (count > entries.size) noteTwice(dict);
    if (this.#strays > strays) noteStray(dict);
    return dict;
  }
}
