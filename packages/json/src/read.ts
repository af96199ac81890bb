import { isUtf8 } from "node:buffer";
import { pacer, yieldToOthers } from "@rubrica/runtime";
import { NotUnicode } from "./errors.ts";
import { longTextOf } from "./long-text.ts";
import { type Cut, type Extent, type JsonBounds, JsonScan, type Parts } from "./scan.ts";
import { refuseHalfCharacters, SURROGATE_ESCAPE } from "./well-formed.ts";

/** A text up to this long is read at once, in less than a millisecond. */
const SMALL_BYTES = 65_536;
const EMPTY = { text: Buffer.from('""'), rows: Buffer.from("[]") };

/** What makes a value of a JSON text; `JSON.parse`, or what refuses more. */
export type ParseJson = (text: string) => unknown;

/**
 * Reads a JSON text within bounds, which are found out before anything is made of it. A long one is read slice by
 * slice: its long text and its rows piece by piece, the rest, which is bounded, at once.
 *
 * @throws {NotUnicode} for bytes that are no UTF-8, and for texts with half a character
 * @throws {JsonBoundExceeded}
 * @throws whatever `parse` throws. @throws {SyntaxError}
 */
export const readJson = async (bytes: Buffer, bounds: JsonBounds, parse: ParseJson = JSON.parse): Promise<unknown> => {
  if (bytes.length > SMALL_BYTES) await yieldToOthers();
  if (!isUtf8(bytes)) throw new NotUnicode("");
  return read(bytes, bounds, (text, path) => {
    const value = parse(text);
    if (SURROGATE_ESCAPE.test(text)) refuseHalfCharacters(value, path);
    return value;
  });
};

/** Reads a JSON text that was written here, slice by slice: what it may hold was found out before. */
export const readOwnJson = (bytes: Buffer, rowsField: string): Promise<unknown> => {
  const all = Number.POSITIVE_INFINITY;
  const bounds = { values: all, depth: all, rows: { field: rowsField, count: all, bytes: all } };
  return read(bytes, bounds, (text) => JSON.parse(text));
};

type ParseAt = (text: string, path: string) => unknown;

const read = async (bytes: Buffer, bounds: JsonBounds, parse: ParseAt): Promise<unknown> => {
  const parts = await partsOf(bytes, bounds);
  if (bytes.length > SMALL_BYTES) await yieldToOthers();
  const value = parse(restOf(bytes, parts.cuts).toString("utf8"), "");
  const { rows, longText = "" } = bounds;
  const long: Record<string, unknown> = {};
  if (parts.rows && rows) long[rows.field] = await rowsOf(bytes, parts.rows, rows.field, parse);
  if (parts.text) long[longText] = await textOf(bytes, parts.text, longText);
  return typeof value === "object" && value !== null ? Object.assign(value, long) : value;
};

const partsOf = async (bytes: Buffer, bounds: JsonBounds): Promise<Parts> => {
  const scan = new JsonScan(bytes, bounds);
  while (scan.advance()) await yieldToOthers();
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

/** What one iteration of the event loop makes of rows, unless one is larger. */
const ROWS_OF_SLICE_BYTES = 65_536;

const rowsOf = async (bytes: Buffer, rows: readonly Extent[], field: string, parse: ParseAt): Promise<unknown[]> => {
  const values: unknown[] = [];
  const pace = pacer(ROWS_OF_SLICE_BYTES);
  for (const [index, { start, end }] of rows.entries()) {
    await pace(end - start);
    values.push(parse(bytes.toString("utf8", start, end), `${field}[${index}]`));
  }
  return values;
};

const textOf = async (bytes: Buffer, extent: Extent, field: string): Promise<string> => {
  const text = await longTextOf(bytes, extent);
  if (!text.isWellFormed()) throw new NotUnicode(field);
  return text;
};
