import { JsonBoundExceeded } from "./errors.ts";

/** How much of a JSON text is looked at in one iteration of the event loop: a few milliseconds of work. */
const SLICE_BYTES = 1_048_576;
/** So many bytes of a string are looked at one by one before the next sign is searched for, which costs a call. */
const SHORT_STRING_BYTES = 32;
/** Shorter texts are no burden where they stand. */
const LEAST_LONG_TEXT_BYTES = 4_096;
/** A field's name, with its quotes; no field that is asked for has a longer one. */
const LONGEST_NAME_BYTES = 512;
/** Each character of a text may be written as an escape of six. */
const ESCAPED_TIMES = 6;
/** The least that an entry of an object takes, `"":1,`: a row of so many bytes can't hold more values. */
const LEAST_ENTRY_BYTES = 5;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What a JSON text may hold. All is found out before anything is made of it. */
export interface JsonBounds {
  /** Values at all depths, but those in `rows`. An object or a list counts as two. */
  values: number;
  depth: number;
  /** Bytes of all but `longText` and `rows`. Default: any number. */
  bytes?: number | undefined;
  /** The field of the outermost object that may be a text as long as there are bytes. */
  longText?: string | undefined;
  /** The field of the outermost object that may be a list of many elements. */
  rows?: RowBounds | undefined;
}

export interface RowBounds {
  field: string;
  /** Elements. */
  count: number;
  /** The most that one element may take, as compact JSON; written with escapes it may take six times as many. */
  bytes: number;
}

/** A part of a text: from the first byte to the one after the last. */
export interface Extent {
  start: number;
  end: number;
}

/** A part that is read by itself: what stands in its place in the rest is empty. */
export interface Cut extends Extent {
  kind: "text" | "rows";
}

/** Where the parts of a JSON text are that are read by themselves. */
export interface Parts {
  /** In their order; the last of a kind that is not superseded is the field's value. */
  cuts: readonly Cut[];
  /** The long text, with its quotes; undefined when the field has no such value. */
  text: Extent | undefined;
  /** The elements of `rows`; undefined when the field is no list, or an empty one. */
  rows: readonly Extent[] | undefined;
}

const broken = (): SyntaxError => new SyntaxError("the text is no JSON");

/**
 * Looks through a JSON text, slice by slice, without making anything of it: counts what stands outside of strings and
 * finds the parts that are to be read by themselves. What it lets through may still be no JSON; where a parser would
 * read on, it sees the same signs as the parser.
 */
export class JsonScan {
  readonly #bytes: Buffer;
  readonly #bounds: JsonBounds;
  /** The brackets that are open, by what closes them. */
  readonly #closers: number[] = [];
  #at = 0;
  #values = 1;
  /** The next of each sign within a string, once it was searched for: each byte is passed by one search alone. */
  #nextQuote = -1;
  #nextBackslash = -1;
  #stringStart = -1;

  /** The field of the outermost object that is being read. */
  #field: string | undefined;
  #inValue = false;
  #cuts: Cut[] = [];
  #text: Extent | undefined;
  #rows: Extent[] | undefined;
  #rowsStart = -1;
  #rowStart = 0;
  #rowValues = 0;

  constructor(bytes: Buffer, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  /** Looks at the next slice; false once all is looked at. @throws {JsonBoundExceeded} @throws {SyntaxError} */
  advance(): boolean {
    const bytes = this.#bytes;
    const end = Math.min(this.#at + SLICE_BYTES, bytes.length);
    while (this.#at < end) {
      if (this.#stringStart >= 0) {
        this.#passString(end);
        continue;
      }
      const byte = bytes[this.#at] ?? 0;
      if (byte === QUOTE) this.#stringStart = this.#at;
      else if (byte === COMMA) this.#comma();
      else if (byte === COLON) this.#colon();
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open(byte + 2);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close(byte);
      this.#at++;
    }
    return this.#at < bytes.length;
  }

  /** What was found, once all is looked at. @throws {JsonBoundExceeded} @throws {SyntaxError} */
  parts(): Parts {
    if (this.#stringStart >= 0 || this.#closers.length > 0) throw broken();
    const cutBytes = this.#cuts.reduce((sum, { start, end }) => sum + end - start, 0);
    const { bytes: maxBytes = Number.POSITIVE_INFINITY } = this.#bounds;
    if (this.#bytes.length - cutBytes > maxBytes) throw new JsonBoundExceeded("bytes", "", maxBytes);
    return { cuts: this.#cuts, text: this.#text, rows: this.#rows };
  }

  /** Goes on in a string, at most to `end` or the first sign after it. */
  #passString(end: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    const oneByOne = Math.min(at + SHORT_STRING_BYTES, end);
    while (at < oneByOne) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#endString(at);
        return;
      }
      at += byte === BACKSLASH ? 2 : 1;
    }
    if (at >= end) {
      this.#at = at;
      return;
    }
    if (this.#nextQuote < at) this.#nextQuote = indexOrEnd(bytes, QUOTE, at);
    if (this.#nextBackslash < at) this.#nextBackslash = indexOrEnd(bytes, BACKSLASH, at);
    this.#at = Math.min(this.#nextQuote, this.#nextBackslash);
  }

  #endString(at: number): void {
    const start = this.#stringStart;
    this.#stringStart = -1;
    this.#at = at + 1;
    if (this.#closers.length !== 1 || this.#closers[0] !== CLOSE_OBJECT) return;
    if (!this.#inValue) this.#field = this.#keyAt(start, at + 1);
    else if (this.#field === this.#bounds.longText && this.#field !== undefined) this.#longText(start, at + 1);
  }

  #keyAt(start: number, end: number): string | undefined {
    return end - start > LONGEST_NAME_BYTES ? undefined : nameOf(this.#bytes.toString("utf8", start, end));
  }

  #longText(start: number, end: number): void {
    if (end - start < LEAST_LONG_TEXT_BYTES) return;
    this.#text = { start, end };
    this.#cuts.push({ kind: "text", start, end });
  }

  #comma(): void {
    const depth = this.#closers.length;
    if (this.#rowsStart < 0) {
      this.#countValue();
      if (depth === 1) this.#endField();
    } else if (depth === 2) this.#endRow();
    else this.#countRowValue();
  }

  #colon(): void {
    if (this.#closers.length !== 1 || this.#inValue) return;
    this.#inValue = true;
    // The field's last value counts, whatever it is.
    if (this.#field === this.#bounds.longText) this.#text = undefined;
    if (this.#field === this.#bounds.rows?.field) this.#rows = undefined;
  }

  #endField(): void {
    this.#inValue = false;
    this.#field = undefined;
  }

  #open(closer: number): void {
    const { depth, rows } = this.#bounds;
    const startsRows =
      closer === CLOSE_LIST && this.#closers.length === 1 && this.#inValue && rows && this.#field === rows.field;
    this.#closers.push(closer);
    if (this.#closers.length > depth) throw new JsonBoundExceeded("depth", this.#path(), depth);
    if (startsRows) {
      this.#rowsStart = this.#at;
      this.#rows = [];
      this.#beginRow();
    } else if (this.#rowsStart < 0) this.#countValue();
    else this.#countRowValue();
  }

  #close(byte: number): void {
    if (this.#closers.pop() !== byte) throw broken();
    if (this.#closers.length === 1 && this.#rowsStart >= 0) this.#endRows();
    if (this.#closers.length === 0) this.#endField();
  }

  #countValue(): void {
    this.#values++;
    const { values } = this.#bounds;
    if (this.#values > values) throw new JsonBoundExceeded("values", this.#path(), values);
  }

  #countRowValue(): void {
    this.#rowValues++;
    const bytes = this.#bounds.rows?.bytes ?? 0;
    if (this.#rowValues > bytes / LEAST_ENTRY_BYTES) throw this.#rowTooLarge(bytes);
  }

  #beginRow(): void {
    this.#rowStart = this.#at + 1;
    this.#rowValues = 0;
  }

  #endRow(): void {
    const { field = "", count = 0, bytes = 0 } = this.#bounds.rows ?? {};
    if (this.#at - this.#rowStart > bytes * ESCAPED_TIMES) throw this.#rowTooLarge(bytes);
    this.#rows?.push({ start: this.#rowStart, end: this.#at });
    if ((this.#rows?.length ?? 0) > count) throw new JsonBoundExceeded("rows", field, count);
    this.#beginRow();
  }

  #endRows(): void {
    const start = this.#rowsStart;
    const isEmpty = this.#rows?.length === 0 && isBlank(this.#bytes.subarray(this.#rowStart, this.#at));
    if (!isEmpty) this.#endRow();
    this.#rowsStart = -1;
    if (isEmpty) this.#rows = undefined;
    else this.#cuts.push({ kind: "rows", start, end: this.#at + 1 });
  }

  #rowTooLarge(bytes: number): JsonBoundExceeded {
    return new JsonBoundExceeded("row", `${this.#bounds.rows?.field}[${this.#rows?.length}]`, bytes);
  }

  #path(): string {
    return this.#rowsStart >= 0 ? `${this.#bounds.rows?.field}[${this.#rows?.length}]` : (this.#field ?? "");
  }
}

const indexOrEnd = (bytes: Buffer, byte: number, from: number): number => {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? bytes.length : at;
};

const nameOf = (json: string): string | undefined => {
  try {
    return JSON.parse(json);
  } catch {
    // No JSON; whoever parses it says so.
    return undefined;
  }
};

const isBlank = (bytes: Buffer): boolean => bytes.length < SLICE_BYTES && bytes.toString("latin1").trim() === "";
