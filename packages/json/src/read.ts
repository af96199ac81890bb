import { isUtf8 } from "node:buffer";
import { nextTurn } from "@rubrica/runtime";
import { NotUnicode } from "./errors.ts";
import { longTextOf } from "./long-text.ts";
import { type Cut, type JsonBounds, JsonScan, type Parts } from "./scan.ts";
import { refuseHalfCharacters, SURROGATE_ESCAPE } from "./well-formed.ts";

/** A text up to this long is read at once, in less than a millisecond. */
const SMALL_BYTES = 65_536;
const EMPTY = { text: Buffer.from('""'), rows: Buffer.from("[]") };

/** What makes a value of a JSON text; `JSON.parse`, or what refuses more. */
export type ParseJson = (text: string) => unknown;

/**
 * Reads a JSON text within bounds, which are found out before anything is made of it. A long one is read in turns of the
 * event loop: its long text and its rows piece by piece, the rest, which is bounded, at once.
 *
 * @throws {NotUnicode} for bytes that are no UTF-8, and for texts with half a character
 * @throws {JsonBoundExceeded}
 * @throws whatever `parse` throws. @throws {SyntaxError}
 */
export const readJson = async (bytes: Buffer, bounds: JsonBounds, parse: ParseJson = JSON.parse): Promise<unknown> => {
  const isSmall = bytes.length <= SMALL_BYTES;
  if (!isSmall) await nextTurn();
  if (!isUtf8(bytes)) throw new NotUnicode("");
  const parts = await partsOf(bytes, bounds);
  if (!isSmall) await nextTurn();
  const value = parsed(restOf(bytes, parts.cuts), parse, "");
  if (parts.rows)
    Object.assign(Object(value), { [bounds.rows?.field ?? ""]: await rowsOf(bytes, parts, bounds, parse) });
  if (parts.text) Object.assign(Object(value), { [bounds.longText ?? ""]: await textOf(bytes, parts.text, bounds) });
  return value;
};

const partsOf = async (bytes: Buffer, bounds: JsonBounds): Promise<Parts> => {
  const scan = new JsonScan(bytes, bounds);
  while (scan.advance()) await nextTurn();
  return scan.parts();
};

/** What is left when its long parts are cut out. */
const restOf = (bytes: Buffer, cuts: readonly Cut[]): Buffer => {
  let at = 0;
  const kept = cuts.flatMap(({ kind, start, end }) => {
    const before = bytes.subarray(at, start);
    at = end;
    return [before, EMPTY[kind]];
  });
  return at === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(at)]);
};

const parsed = (bytes: Buffer, parse: ParseJson, path: string): unknown => {
  const text = bytes.toString("utf8");
  const value = parse(text);
  if (SURROGATE_ESCAPE.test(text)) refuseHalfCharacters(value, path);
  return value;
};

/** What one turn of the event loop makes of rows, unless one is larger. */
const ROWS_OF_TURN_BYTES = 131_072;

const rowsOf = async (bytes: Buffer, parts: Parts, { rows }: JsonBounds, parse: ParseJson): Promise<unknown[]> => {
  const values: unknown[] = [];
  let turnBytes = 0;
  for (const [index, { start, end }] of (parts.rows ?? []).entries()) {
    turnBytes += end - start;
    if (turnBytes > ROWS_OF_TURN_BYTES) {
      await nextTurn();
      turnBytes = end - start;
    }
    values.push(parsed(bytes.subarray(start, end), parse, `${rows?.field}[${index}]`));
  }
  return values;
};

const textOf = async (bytes: Buffer, extent: Cut | (Parts["text"] & object), { longText = "" }: JsonBounds) => {
  const text = await longTextOf(bytes, extent);
  if (!text.isWellFormed()) throw new NotUnicode(longText);
  return text;
};
