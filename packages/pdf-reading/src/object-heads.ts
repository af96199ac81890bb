import { bufferOf } from "./bytes.ts";
import { isWhitespace } from "./characters.ts";

/** A place at which some reader may find the head of an object: its number, its generation, and `obj`. */
export interface ObjectHead {
  /** Where its number begins. */
  at: number;
  number: number;
  generation: number;
}

const [NINE, ZERO, PLUS, PERCENT, LINE_FEED, CARRIAGE_RETURN] = [0x39, 0x30, 0x2b, 0x25, 0x0a, 0x0d];

/**
 * What may be the head of an object to some reader, in whatever spelling: readers differ on how many digits, blanks,
 * comments and signs they take. Null for one that is not spelled as PDF has it (ISO 32000-2, 7.3.10).
 */
export function* objectHeadsIn(bytes: Uint8Array, from: number): Generator<ObjectHead | null> {
  const buffer = bufferOf(bytes);
  for (let at = buffer.indexOf("obj", from); at >= 0; at = buffer.indexOf("obj", at + 3)) {
    const head = headBefore(buffer, at, from);
    if (head !== undefined) yield head;
  }
}

/** The head that ends with `obj` at a place; undefined where no reader can take it for one. */
const headBefore = (buffer: Buffer, obj: number, from: number): ObjectHead | null | undefined => {
  const generation = numberBefore(buffer, obj, from);
  if (generation === "commented") return null;
  if (generation === undefined) return undefined;
  const number = numberBefore(buffer, generation.start, from);
  if (number === "commented") return null;
  if (number === undefined || number.end === generation.start) return undefined;
  const isPlain = [number, generation].every(({ text }) => /^\d{1,15}$/.test(text));
  return isPlain ? { at: number.start, number: Number(number.text), generation: Number(generation.text) } : null;
};

interface Numeral {
  start: number;
  end: number;
  text: string;
}

/** The number that stands before a place with nothing but white space between; `commented` where a comment may be there. */
const numberBefore = (buffer: Buffer, place: number, from: number): Numeral | "commented" | undefined => {
  let end = place;
  let crossesLine = false;
  while (end > from && isWhitespace(buffer[end - 1] ?? 0)) {
    end -= 1;
    if (isLineEnd(buffer[end])) crossesLine = true;
  }
  let start = end;
  while (start > from && isOfNumber(buffer[start - 1])) start -= 1;
  const text = buffer.toString("latin1", start, end);
  if (/\d/.test(text)) return { start, end, text };
  return crossesLine && hasComment(buffer, end, from) ? "commented" : undefined;
};

/** Whether a line that ends at a place may end with a comment. */
const hasComment = (buffer: Buffer, end: number, from: number): boolean => {
  for (let at = end - 1; at >= from && !isLineEnd(buffer[at]); at -= 1) if (buffer[at] === PERCENT) return true;
  return false;
};

const isLineEnd = (byte: number | undefined): boolean => byte === LINE_FEED || byte === CARRIAGE_RETURN;

/** A digit, a sign or a point. */
const isOfNumber = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= ZERO && byte <= NINE) || byte === PLUS || byte === PLUS + 2 || byte === PLUS + 3);
