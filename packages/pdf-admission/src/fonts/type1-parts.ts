import { isInComment } from "./type1-words.ts";

/** The two parts of a program of Type 1 (Adobe Type 1 Font Format, 7): its clear part, and one that is encrypted. */

const EEXEC = "eexec";
const [KEY, FACTOR, ADDEND] = [55_665, 52_845, 22_719];
const RANDOM_BYTES = 4;
const SEGMENT = 0x80;
const SEGMENT_HEAD_BYTES = 6;
/** Of which kinds segments are: text, bytes, and text behind them. pdf.js does not take the heads of others out. */
const KINDS = /^121*$/;
/** What ends the line of the word before the encrypted part. Of further blanks some readers take the first for a part of it. */
const LINE_END = /(?:\r\n|[ \t\r\n])(?![ \t\r\n])/y;
/** As many digits the most careful reader looks at to tell text from bytes, and as few the others. */
const [IN_DIGITS, MAYBE_IN_DIGITS] = [/^[\da-fA-F]{8}/, /^[\da-fA-F]{4}/];
/** pdf.js looks through pieces that are so much apart for the word, where its place is not told, and skips blanks within one. */
const PIECE = 2_043;
const LAST_OF_PIECE = 2_042;

/** A program's text, and the other part, which is decrypted. */
export interface Type1Parts {
  clear: string;
  hidden: string;
}

/**
 * The parts that all readers find; else undefined.
 * @param said how many bytes the file says that the clear part has: pdf.js goes by it where a word ends there
 */
export const type1Parts = (given: Uint8Array, said: number | undefined): Type1Parts | undefined => {
  const whole = unsegmented(given);
  if (whole === undefined) return undefined;
  const { data, first = said } = whole;
  const text = Buffer.from(data).toString("latin1");
  const begin = text.indexOf(EEXEC);
  const end = begin + EEXEC.length;
  LINE_END.lastIndex = end;
  if (begin < 0 || text.includes(EEXEC, end) || isInComment(text, begin) || !LINE_END.test(text)) return undefined;
  const start = LINE_END.lastIndex;
  const isTold = first === start;
  if (whole.first !== undefined && !isTold) return undefined;
  const isCutShort = start - end > 1 && (first === start - 1 || begin % PIECE === LAST_OF_PIECE);
  if (!isTold && isCutShort) return undefined;
  const hidden = decrypted(data.subarray(start));
  return hidden && { clear: text.slice(0, begin), hidden: Buffer.from(hidden).toString("latin1") };
};

/** Without the heads that its parts have in files of printers, and how long the first one is; undefined where these are others than usual. */
const unsegmented = (data: Uint8Array): { data: Uint8Array; first?: number } | undefined => {
  if (data[0] !== SEGMENT) return { data };
  const parts: Uint8Array[] = [];
  let kinds = "";
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; data[at] === SEGMENT && data[at + 1] !== 3; ) {
    const start = at + SEGMENT_HEAD_BYTES;
    if (start > data.length) return undefined;
    kinds += data[at + 1];
    at = start + view.getUint32(at + 2, true);
    parts.push(data.subarray(start, at));
    // Nobody needs what follows the encrypted part.
    if (at > data.length && parts.length <= 2) return undefined;
  }
  const [first] = parts;
  return first && KINDS.test(kinds) ? { data: Buffer.concat(parts), first: first.length } : undefined;
};

/** Undefined where some readers take for bytes what is text to others. */
const decrypted = (data: Uint8Array): Uint8Array | undefined => {
  const start = Buffer.from(data.subarray(0, 8)).toString("latin1");
  const isText = IN_DIGITS.test(start);
  if (!isText && MAYBE_IN_DIGITS.test(start)) return undefined;
  const cipher = isText
    ? Buffer.from(
        Buffer.from(data)
          .toString("latin1")
          .replace(/[ \t\r\n]+/g, ""),
        "hex",
      )
    : data;
  return plainOf(cipher, KEY).subarray(RANDOM_BYTES);
};

/** What a cipher of Type 1 hides, its random bytes included. */
export const plainOf = (cipher: Uint8Array, first: number): Uint8Array => {
  const plain = new Uint8Array(cipher.length);
  let key = first;
  for (let at = 0; at < cipher.length; at += 1) {
    const byte = cipher[at] ?? 0;
    plain[at] = byte ^ (key >> 8);
    key = ((byte + key) * FACTOR + ADDEND) & 0xffff;
  }
  return plain;
};
