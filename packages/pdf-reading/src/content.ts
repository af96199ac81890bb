import { endsToken, isWhitespace } from "./lexer.ts";

/** All operators of content streams (ISO 32000-2, annex A), by how many operands they need. */
const operandsNeeded = new Map(
  Object.entries({
    0: "b B b* B* BI BT BX EI EMC ET EX f F f* h ID n q Q s S SC SCN sc scn T* W W*",
    1: "BMC CS cs Do G g gs i J j M MP ri sh Tc Tj TJ TL Tr Ts Tw Tz w '",
    2: "BDC d d0 DP l m Td TD Tf",
    3: 'RG rg "',
    4: "K k re v y",
    6: "c cm d1 Tm",
  }).flatMap(([count, names]) => names.split(" ").map((name) => [name, Number(count)] as const)),
);
const LONGEST_OPERATOR = 5;
/** How deep graphics states may be saved, or restored without being saved; readers bear some thirty (ISO 32000-1, annex C). */
const MAX_UNBALANCED = 256;
/** How many parts of content may be marked within each other. */
const MAX_MARKS = 10_000;
/** Words of one and two bytes, by those. */
const shortWords = new Map<number, string>();
const constants = new Set(["true", "false", "null"]);

/** What a token is when it is no operator. */
const [OPERAND, OPENING, CLOSING, BROKEN] = ["0", "[", "]", "?"];

/** What a page's content leaves behind, counted over its graphics state operators (ISO 32000-2, 8.4.2). */
export interface LeftOpen {
  /**
   * Whether it breaks the syntax of contents, or saves more than readers bear: some of them stop there, and draw nothing
   * that follows.
   */
  dubious: boolean;
  /** Restores without a save before them. */
  surplusRestores: number;
  /** Saves without a restore after them. */
  openSaves: number;
  /** Whether a text object was begun and not ended. */
  inText: boolean;
  /** Parts of content that are marked (ISO 32000-2, 14.6), as one that belongs to a layer is, and not ended. */
  openMarks: number;
}

/** Walks over a page's content, given as its decoded streams in order. */
export const leftOpen = (streams: readonly Uint8Array[]): LeftOpen => {
  const walk = new Walk();
  // Streams part between tokens: what one of them opens, or gives as an operand, the next one may use.
  for (const stream of streams) {
    for (const token of tokensOf(stream)) {
      walk.take(token);
      if (walk.isDubious) return walk.leftOpen();
    }
  }
  return walk.leftOpen();
};

class Walk {
  #saves = 0;
  #fewestSaves = 0;
  #inText = false;
  #marks = 0;
  #dubious = false;
  #operands = 0;
  #nesting = 0;

  /** Whether nothing that follows could change what is thought of it. */
  get isDubious(): boolean {
    return this.#dubious;
  }

  take(token: string): void {
    if (token === OPENING || token === OPERAND) {
      if (this.#nesting === 0) this.#operands += 1;
      if (token === OPENING) this.#nesting += 1;
    } else if (token === CLOSING) {
      this.#nesting -= 1;
      if (this.#nesting < 0) this.#dubious = true;
    } else {
      this.#operator(token);
    }
  }

  #operator(word: string): void {
    const needed = operandsNeeded.get(word) ?? Number.POSITIVE_INFINITY;
    if (this.#operands < needed || this.#nesting !== 0) this.#dubious = true;
    this.#operands = 0;
    this.#nesting = 0;
    if (word === "q") this.#saves += 1;
    else if (word === "Q") this.#saves -= 1;
    else if (word === "BT") this.#inText = true;
    else if (word === "ET") this.#inText = false;
    else if (word === "BDC" || word === "BMC" || word === "EMC") this.#mark(word);
    this.#fewestSaves = Math.min(this.#fewestSaves, this.#saves);
    if (Math.abs(this.#saves) > MAX_UNBALANCED) this.#dubious = true;
  }

  #mark(word: string): void {
    if (word !== "EMC") this.#marks += 1;
    else if (this.#marks > 0) this.#marks -= 1;
    if (this.#marks > MAX_MARKS) this.#dubious = true;
  }

  leftOpen(): LeftOpen {
    return {
      surplusRestores: -this.#fewestSaves,
      openSaves: this.#saves - this.#fewestSaves,
      inText: this.#inText,
      openMarks: this.#marks,
      dubious: this.#dubious || this.#nesting !== 0,
    };
  }
}

/** Operators by their names, all else by its kind; comments and the data of inline images are passed over. */
function* tokensOf(bytes: Uint8Array): Generator<string> {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (isWhitespace(byte)) at += 1;
    else if (byte === 0x25) at = afterLine(bytes, at);
    else if (byte === 0x2f) {
      at = afterToken(bytes, at + 1);
      yield OPERAND;
    } else if (endsToken(byte)) {
      const { kind, end } = delimited(bytes, at);
      at = end;
      yield kind;
    } else {
      const end = afterToken(bytes, at);
      const word = isNumber(bytes, at, end) ? OPERAND : shortWord(bytes, at, end);
      at = word === "ID" ? afterInlineImage(bytes, end) : end;
      yield constants.has(word) ? OPERAND : word;
      if (at < 0) return yield BROKEN;
    }
  }
}

/** What begins with a delimiter: a string, or a bracket of an array, dictionary or function. */
const delimited = (bytes: Uint8Array, at: number): { kind: string; end: number } => {
  const byte = bytes[at];
  const doubled = bytes[at + 1] === byte;
  if (byte === 0x28 || (byte === 0x3c && !doubled)) {
    const end = byte === 0x28 ? afterString(bytes, at) : afterByte(bytes, at, 0x3e);
    return end < 0 ? { kind: BROKEN, end: bytes.length } : { kind: OPERAND, end };
  }
  if (byte === 0x5b || byte === 0x5d) return { kind: byte === 0x5b ? OPENING : CLOSING, end: at + 1 };
  if (byte === 0x3c) return { kind: OPENING, end: at + 2 };
  if (byte === 0x3e && doubled) return { kind: CLOSING, end: at + 2 };
  return { kind: BROKEN, end: at + 1 };
};

/** Whether a token is a number; "--5" and "1.2-3" are some too, as some producers write them. */
const isNumber = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte < 0x30 || byte > 0x39) && byte !== 0x2e && byte !== 0x2d && byte !== 0x2b) return false;
  }
  return true;
};

const shortWord = (bytes: Uint8Array, start: number, end: number): string => {
  if (end - start > LONGEST_OPERATOR) return BROKEN;
  if (end - start > 2) return String.fromCharCode(...bytes.subarray(start, end));
  const code = (bytes[start] ?? 0) * 256 + (end - start > 1 ? (bytes[start + 1] ?? 0) : 0);
  const word = shortWords.get(code) ?? String.fromCharCode(...bytes.subarray(start, end));
  shortWords.set(code, word);
  return word;
};

const afterToken = (bytes: Uint8Array, start: number): number => {
  let at = start;
  while (at < bytes.length && !endsToken(bytes[at] ?? 0)) at += 1;
  return at;
};

/** After a byte; -1 when it doesn't come. */
const afterByte = (bytes: Uint8Array, start: number, byte: number): number => {
  const found = bytes.indexOf(byte, start);
  return found < 0 ? -1 : found + 1;
};

const afterLine = (bytes: Uint8Array, start: number): number => {
  let at = start;
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
  return at;
};

/** After a string; -1 when it doesn't end. */
const afterString = (bytes: Uint8Array, start: number): number => {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x5c) at += 1;
    else if (byte === 0x28) depth += 1;
    else if (byte === 0x29) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
};

/** After `EI` that stands alone between white space; -1 when there is none. */
const afterInlineImage = (bytes: Uint8Array, start: number): number => {
  for (let at = start + 1; at + 1 < bytes.length; at += 1) {
    const alone = isWhitespace(bytes[at - 1] ?? 0) && endsToken(bytes[at + 2] ?? 0x20);
    if (bytes[at] === 0x45 && bytes[at + 1] === 0x49 && alone) return at + 2;
  }
  return -1;
};
