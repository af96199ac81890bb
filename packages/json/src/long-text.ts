import { yieldToOthers } from "@rubrica/runtime";
import type { Extent } from "./scan.ts";

/** What is made a text of in one iteration of the event loop: some 2 ms of work. */
const PIECE_BYTES = 1_048_576;
/** `\uXXXX`, less its last byte: what may stand before the middle of an escape. */
const ESCAPE_BEFORE = 5;
const BACKSLASH = 0x5c;

/**
 * The text of a JSON string of any length, read slice by slice.
 *
 * @param extent of the string, with its quotes, in valid UTF-8
 * @throws {SyntaxError} when it is no JSON string.
 */
export const longTextOf = async (bytes: Buffer, { start, end }: Extent): Promise<string> => {
  const pieces: string[] = [];
  const last = end - 1;
  for (let at = start + 1; at < last; ) {
    await yieldToOthers();
    const next = at + PIECE_BYTES < last ? boundary(bytes, at, at + PIECE_BYTES) : last;
    pieces.push(JSON.parse(`"${bytes.toString("utf8", at, next)}"`));
    at = next;
  }
  await yieldToOthers();
  return pieces.join("");
};

/** The last place up to `at` that is in no escape and in no character. No escape is cut at `from`. */
const boundary = (bytes: Buffer, from: number, at: number): number => {
  for (let before = at - 1; before >= at - ESCAPE_BEFORE; before--) {
    if (bytes[before] !== BACKSLASH) continue;
    const run = before - lastOther(bytes, from, before);
    // Of an even number of backslashes the last one ends an escape.
    return run % 2 === 0 ? before + 1 : before;
  }
  let place = at;
  while (isContinuation(bytes[place])) place--;
  return place;
};

/** The place before the backslashes that end at `last`, at least the one before `from`. */
const lastOther = (bytes: Buffer, from: number, last: number): number => {
  let place = last;
  while (place >= from && bytes[place] === BACKSLASH) place--;
  return place;
};

const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;
