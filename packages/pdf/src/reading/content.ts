import { latin1 } from "./bytes.ts";
import { endsToken, isWhitespace } from "./lexer.ts";

/** All operators of content streams (ISO 32000-2, annex A). */
const known = new Set(
  (
    "b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EI EMC ET EX f F f* G g gs h i ID j J K k l m M MP n q Q re " +
    "RG rg ri s S SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' \" true false null"
  ).split(" "),
);
const LONGEST_OPERATOR = 5;
const isNumber = /^[+-]*(\d+\.?\d*|\.\d*)(-\d*)?$/;

/** What a page's content leaves behind, counted over its graphics state operators (ISO 32000-2, 8.4.2). */
export interface LeftOpen {
  /** Whether it has words that are no operators: some readers stop there, and draw nothing that follows. */
  dubious: boolean;
  /** Restores without a save before them. */
  surplusRestores: number;
  /** Saves without a restore after them. */
  openSaves: number;
  /** Whether a text object was begun and not ended. */
  inText: boolean;
}

/** Walks over a page's content, given as its decoded streams in order. */
export function leftOpen(streams: readonly Uint8Array[]): LeftOpen {
  let depth = 0;
  let lowest = 0;
  let inText = false;
  let dubious = false;
  for (const stream of streams) {
    for (const operator of operatorsOf(stream)) {
      if (operator === "q") depth += 1;
      else if (operator === "Q") depth -= 1;
      else if (operator === "BT") inText = true;
      else if (operator === "ET") inText = false;
      else if (!known.has(operator)) dubious = true;
      lowest = Math.min(lowest, depth);
    }
  }
  return { surplusRestores: -lowest, openSaves: depth - lowest, inText, dubious };
}

/** The operators; operands, strings, comments and inline images are passed over. A longer word is given as "?". */
function* operatorsOf(bytes: Uint8Array): Generator<string> {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (isWhitespace(byte)) at += 1;
    else if (byte === 0x28) at = afterString(bytes, at);
    else if (byte === 0x25) at = afterLine(bytes, at);
    else if (byte === 0x3c && bytes[at + 1] !== 0x3c) at = afterByte(bytes, at, 0x3e);
    else if (byte === 0x2f || endsToken(byte)) at = byte === 0x2f ? afterToken(bytes, at + 1) : at + 1;
    else {
      const end = afterToken(bytes, at);
      const word = isNumberStart(byte) ? latin1(bytes, at, end) : shortWord(bytes, at, end);
      at = word === "ID" ? afterInlineImage(bytes, end) : end;
      if (!isNumberStart(byte) || !isNumber.test(word)) yield word;
    }
  }
}

const isNumberStart = (byte: number): boolean => byte >= 0x2b && byte <= 0x39;
const shortWord = (bytes: Uint8Array, start: number, end: number): string =>
  end - start <= LONGEST_OPERATOR ? String.fromCharCode(...bytes.subarray(start, end)) : "?";

function afterToken(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && !endsToken(bytes[at] ?? 0)) at += 1;
  return at;
}

function afterByte(bytes: Uint8Array, start: number, byte: number): number {
  const found = bytes.indexOf(byte, start);
  return found < 0 ? bytes.length : found + 1;
}

function afterLine(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
  return at;
}

function afterString(bytes: Uint8Array, start: number): number {
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
  return bytes.length;
}

/** After `EI` that stands alone between white space. */
function afterInlineImage(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at + 1 < bytes.length; at += 1) {
    const alone = isWhitespace(bytes[at - 1] ?? 0) && endsToken(bytes[at + 2] ?? 0x20);
    if (bytes[at] === 0x45 && bytes[at + 1] === 0x49 && alone) return at + 2;
  }
  return bytes.length;
}
