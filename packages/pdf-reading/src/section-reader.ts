import { PDFArray, type PDFContext, type PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import type { Allowance } from "./allowance.ts";
import { latin1 } from "./bytes.ts";
import { Damaged, TooComplex } from "./faults.ts";
import { inflateStructure } from "./inflate.ts";
import { Lexer } from "./lexer.ts";
import { isOddNumber, isReal } from "./oddities.ts";
import { isPlainlyCompressed } from "./plain-compression.ts";
import { dataStart, filterOf } from "./structure-streams.ts";

/** A row of a table, with what ends its line. */
const ROW = /^\d{10} \d{5} [nf][ \r\n]{2}$/;
const ROW_BYTES = 20;
const PERCENT = 0x25;
/** The most that a file may have, and one object stream. */
export const MAX_OBJECTS = 500_000;
/** The highest that all readers take (ISO 32000-1, annex C). */
export const HIGHEST_OBJECT_NUMBER = 8_388_607;

/** Where an object stands: at an offset of the file, or within an object stream. */
export type Location =
  | { kind: "offset"; offset: number; generation: number }
  | { kind: "compressed"; stream: number; index: number };

/** What the sections tell, apart from where objects stand now. */
export interface Sections {
  /** Offsets of the sections that were read. */
  offsets: number[];
  /** Former places of objects that newer sections moved or deleted. */
  former: [number: number, offset: number][];
  /**
   * Readers may find different objects. Either one section (with the stream that it may hide from old readers) has an object
   * at two places, or lacks some that it says it has. Or an older section has an object in a higher generation than the
   * newest one: some readers then take the older one's.
   */
  contradictory: boolean;
  /** Whether a table, or the end of the file, is not as each reader looks for it: some then look for objects by themselves, or for an older section. */
  isOdd: boolean;
  /** Whether an older section has an object at another place. */
  hasFormer: boolean;
  /** What follows its tables, and the dictionaries of its streams, which need not be objects of the file. */
  trailers: PDFDict[];
}

export const noSections = (): Sections => ({
  offsets: [],
  former: [],
  contradictory: false,
  isOdd: false,
  hasFormer: false,
  trailers: [],
});

const key = (text: string) => PDFName.of(text);
/** An entry that is a number, of a trailer. */
export const integerOf = (dict: PDFDict, name: string): number | undefined => {
  const value = dict.get(key(name));
  return value instanceof PDFNumber ? value.asNumber() : undefined;
};

/** Reads cross-reference sections. Where several name an object, the one read first counts. */
export class SectionReader {
  readonly locations = new Map<number, Location | null>();
  readonly sections: Sections = noSections();
  /** The entries of the section that is being read. The hidden stream of a hybrid file (7.5.8.4) replaces only those that its table has free. */
  #own = new Map<number, Location | null>();
  #isHidden = false;
  /** Objects that only hidden streams have: PDFium does not find them. */
  readonly #untabled = new Set<number>();
  readonly #bytes: Uint8Array;
  readonly #context: PDFContext;
  readonly #allowance: Allowance;
  readonly #hidden = new Set<number>();

  constructor(bytes: Uint8Array, context: PDFContext, allowance: Allowance) {
    this.#bytes = bytes;
    this.#context = context;
    this.#allowance = allowance;
  }

  #lexerAt(offset: number): Lexer {
    return new Lexer(this.#bytes, this.#context, offset, this.#allowance);
  }

  /** Whether each object that a hidden stream has is in some table, or in another stream. */
  get areTabled(): boolean {
    return this.#untabled.size === 0;
  }

  section(offset: number): { trailer: PDFDict; kind: "table" | "stream" } {
    if (offset >= this.#bytes.length) throw new Damaged("its cross-reference is out of the file");
    this.sections.offsets.push(offset);
    this.#own = new Map();
    const lexer = this.#lexerAt(offset);
    if (!lexer.takeKeyword("xref")) return { trailer: this.#stream(lexer), kind: "stream" };
    this.#table(lexer);
    const trailer = lexer.dictionary();
    this.#noteTrailer(trailer);
    // A hybrid file (7.5.8.4) hides objects from old readers: its stream ranks before older sections.
    const hidden = integerOf(trailer, "XRefStm");
    if (hidden !== undefined && !this.#hidden.has(hidden)) {
      this.#hidden.add(hidden);
      this.sections.offsets.push(hidden);
      this.#isHidden = true;
      this.#stream(this.#lexerAt(hidden));
      this.#isHidden = false;
    }
    return { trailer, kind: "table" };
  }

  #noteTrailer(trailer: PDFDict): void {
    this.sections.trailers.push(trailer);
    // Poppler follows a reference to an older section's place, others don't.
    const arePlain = ["Prev", "XRefStm"].every((name) => {
      const place = trailer.get(key(name), true);
      return place === undefined || isInteger(place);
    });
    if (!arePlain || !hasHeldSize(trailer)) this.sections.contradictory = true;
  }

  #note(number: number, location: Location | null): void {
    if (!isHeld(number)) this.sections.contradictory = true;
    this.#noteOwn(number, location);
    const newer = this.locations.get(number);
    if (!this.#isHidden) this.#untabled.delete(number);
    else if (newer === undefined && location !== null) this.#untabled.add(number);
    if (newer !== undefined) {
      if (location !== null && !isSamePlace(newer, location)) this.sections.hasFormer = true;
      if (location?.kind === "offset") this.sections.former.push([number, location.offset]);
      if (newer !== null && generationOf(location) > generationOf(newer)) this.sections.contradictory = true;
      return;
    }
    if (this.locations.size >= MAX_OBJECTS) throw new TooComplex("it has too many objects");
    this.locations.set(number, location);
  }

  #noteOwn(number: number, location: Location | null): void {
    const own = this.#own.get(number);
    if (own === undefined || (own === null && this.#isHidden)) this.#own.set(number, location);
    else if (!isSamePlace(own, location)) this.sections.contradictory = true;
  }

  #table(lexer: Lexer): void {
    const tableAt = lexer.offset;
    while (!lexer.takeKeyword("trailer")) {
      const first = lexer.takeInteger();
      const count = lexer.takeInteger();
      if (first === undefined || count === undefined) throw new Damaged("its cross-reference table is broken");
      lexer.skipSpace();
      const rowsAt = lexer.offset;
      for (let index = 0; index < count; index += 1) {
        if (!this.#isPlainRow(rowsAt + index * ROW_BYTES)) this.sections.isOdd = true;
        const offset = lexer.takeInteger();
        const generation = lexer.takeInteger();
        if (offset === undefined || generation === undefined) throw new Damaged("its cross-reference table is broken");
        if (lexer.takeKeyword("n")) this.#note(first + index, { kind: "offset", offset, generation });
        else if (lexer.takeKeyword("f")) this.#note(first + index, null);
        else throw new Damaged("its cross-reference table is broken");
      }
    }
    if (this.#bytes.subarray(tableAt, lexer.offset).includes(PERCENT)) this.sections.isOdd = true;
  }

  /** Some readers take rows by their length. */
  #isPlainRow(at: number): boolean {
    return ROW.test(latin1(this.#bytes, at, at + ROW_BYTES));
  }

  #stream(lexer: Lexer): PDFDict {
    const [number, generation] = [lexer.takeInteger(), lexer.takeInteger()];
    if (number === undefined || generation === undefined || !lexer.takeKeyword("obj")) {
      throw new Damaged("its cross-reference is not where it should be");
    }
    const dict = lexer.dictionary();
    if (dict.get(key("Type")) !== key("XRef")) throw new Damaged("its cross-reference is not where it should be");
    this.#noteTrailer(dict);
    const length = integerOf(dict, "Length");
    if (!lexer.takeKeyword("stream") || length === undefined) throw new Damaged("its cross-reference stream is broken");
    const start = dataStart(this.#bytes, lexer.offset);
    const { filter, parameters } = filterOf(dict);
    const stored = this.#bytes.subarray(start, start + length);
    if (!isPlainlyCompressed(dict)) this.sections.contradictory = true;
    this.#entries(dict, inflateStructure(stored, filter, parameters, this.#allowance));
    return dict;
  }

  #entries(dict: PDFDict, data: Uint8Array): void {
    const widths = numbers(dict.get(key("W")));
    const [typeWidth = 0, secondWidth = 0, thirdWidth = 0] = widths;
    const rowWidth = typeWidth + secondWidth + thirdWidth;
    if (widths.length < 3 || rowWidth < 1 || rowWidth > 32) throw new Damaged("its cross-reference stream is broken");
    const index = numbers(dict.get(key("Index")));
    const ranges = index.length > 0 ? index : [0, integerOf(dict, "Size") ?? 0];
    const rows = ranges.reduce((sum, count, at) => sum + (at % 2 === 0 ? 0 : count), 0);
    const isWhole = rows * rowWidth <= data.length && ranges.length % 2 === 0;
    // qpdf finds nothing by a stream with an empty section among others.
    const isBare = ranges.length > 2 && ranges.some((count, at) => at % 2 === 1 && count === 0);
    if (!isWhole || isBare || hasOddNumbers(dict) || !areHeld(widths, ranges)) this.sections.contradictory = true;
    this.#allowance.spend(data.length);
    let at = 0;
    for (let range = 0; range + 1 < ranges.length; range += 2) {
      const [first = 0, count = 0] = [ranges[range], ranges[range + 1]];
      for (let entry = 0; entry < count && at + rowWidth <= data.length; entry += 1, at += rowWidth) {
        const type = typeWidth === 0 ? 1 : bigEndian(data, at, typeWidth);
        const second = bigEndian(data, at + typeWidth, secondWidth);
        const third = bigEndian(data, at + typeWidth + secondWidth, thirdWidth);
        if (type === 0) this.#note(first + entry, null);
        else if (type === 1) this.#note(first + entry, { kind: "offset", offset: second, generation: third });
        else if (type === 2) this.#note(first + entry, { kind: "compressed", stream: second, index: third });
        // Some readers pass over a row of another type; others over the whole section, and look for the objects.
        else this.sections.contradictory = true;
      }
    }
  }
}

/** Objects in object streams have generation 0 (7.5.7). */
const generationOf = (location: Location | null): number => (location?.kind === "offset" ? location.generation : 0);

/** Whether two entries have an object at one place, or both have none. */
export const isSamePlace = (one: Location | null | undefined, other: Location | null | undefined): boolean => {
  if (!one || !other) return !one && !other;
  if (one.kind === "offset") return other.kind === "offset" && one.offset === other.offset;
  return other.kind === "compressed" && one.stream === other.stream && one.index === other.index;
};

/** The widest types and other fields, in bytes, for which no reader passes over the section. */
const [MAX_TYPE_WIDTH, MAX_WIDTH] = [4, 8];

const isHeld = (number: number): boolean => number >= 0 && number <= HIGHEST_OBJECT_NUMBER;

/** Whether no reader passes over a cross-reference stream for its widths, or for the objects that it has. */
const areHeld = ([type = 0, ...others]: readonly number[], ranges: readonly number[]): boolean =>
  type <= MAX_TYPE_WIDTH &&
  others.length === 2 &&
  others.every((width) => width <= MAX_WIDTH) &&
  ranges.every(isHeld) &&
  ranges.every((first, at) => at % 2 === 1 || isHeld(first + (ranges[at + 1] ?? 0)));

/** Whether no reader passes over a section for the count of objects that its trailer says; a stream has to say one. */
const hasHeldSize = (trailer: PDFDict): boolean => {
  const isTable = trailer.get(key("Type")) !== key("XRef");
  return isTable && !trailer.has(key("Size")) ? true : isHeld(integerOf(trailer, "Size") ?? Number.NaN);
};

/** Whether readers take some numbers of a cross-reference stream for none. */
const hasOddNumbers = (dict: PDFDict): boolean =>
  ["W", "Index"].some((name) => {
    const list = dict.get(key(name));
    return list !== undefined && !(list instanceof PDFArray && list.asArray().every(isInteger));
  });

const isInteger = (value: PDFObject): boolean => value instanceof PDFNumber && !isReal(value) && !isOddNumber(value);

const numbers = (value: unknown): number[] =>
  value instanceof PDFArray ? value.asArray().map((item) => (item instanceof PDFNumber ? item.asNumber() : 0)) : [];

const bigEndian = (data: Uint8Array, at: number, width: number): number => {
  let value = 0;
  for (let index = 0; index < width; index += 1) value = value * 256 + (data[at + index] ?? 0);
  return value;
};
