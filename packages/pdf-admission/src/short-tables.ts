import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFObject, PDFString } from "pdf-lib";
import { dataOf } from "./colors/values.ts";
import { spaceOf } from "./content/resources.ts";

/** Pictures whose numbers may go beyond their table of colors: PDFium draws these in black, others in the table's last color. */

const COLOR_SPACE = PDFName.of("ColorSpace");
const MAX_TABLE_BYTES = 1024 * 1024;
const INDEXED = PDFName.of("Indexed");
/** Bits of a dot whose numbers may be those of a table (8.9.5.1). What says others is refused for that: a table for them could take all memory. */
const DEPTHS = [1, 2, 4, 8];
/** Rules by which a row of a PNG is read (PNG, 9.2). */
const [LEFT, UP, AVERAGE, PAETH] = [1, 2, 3, 4];

/** A picture in numbers of a table that has no color for some of them. */
export interface ShortTable {
  /** Dots of a row. */
  width: number;
  /** Bits of a dot. */
  depth: number;
  /** The last number that there is a color for. */
  most: number;
  /** Whether before each row stands by which rule it is read. */
  hasRules: boolean;
}

/** Null where each number that a dot may have is one of the table's, or there is none. */
export const shortTableOf = (
  image: PDFDict,
  depth: number | undefined,
  hasRules: boolean,
  file: PdfFile,
): ShortTable | null => {
  const space = file.entry(image, "ColorSpace");
  const most = space instanceof PDFArray && file.resolve(space.get(0)) === INDEXED ? file.resolve(space.get(2)) : null;
  if (!(most instanceof PDFNumber) || depth === undefined || !DEPTHS.includes(depth)) return null;
  if (most.asNumber() >= 2 ** depth - 1) return null;
  return { width: file.numberEntry(image, "Width") ?? 0, depth, most: most.asNumber(), hasRules };
};

/** Whether a dot has a number that the table has no color for. `plain`: whole rows, without a compression. */
export const goesBeyond = (plain: Uint8Array, { width, depth, most, hasRules }: ShortTable): boolean => {
  const length = Math.ceil((width * depth) / 8);
  const last = largestBy(depth, width % (8 / depth) || 8 / depth);
  const largest = largestBy(depth, 8 / depth);
  let before = new Uint8Array(length);
  for (let start = hasRules ? 1 : 0; start + length <= plain.length; start += length + (hasRules ? 1 : 0)) {
    const row = plain.slice(start, start + length);
    if (hasRules) undoRule(plain[start - 1] ?? 0, row, before);
    for (let at = 0; at < length - 1; at += 1) if ((largest[row[at] ?? 0] ?? 0) > most) return true;
    if ((last[row[length - 1] ?? 0] ?? 0) > most) return true;
    before = row;
  }
  return false;
};

/** By bits of a dot and count of dots: a file may have thousands of small pictures. */
const largestNumbers = new Map<string, Uint8Array>();

/** The largest of the first so many numbers in a byte, for each byte. */
const largestBy = (depth: number, count: number): Uint8Array => {
  const known = largestNumbers.get(`${depth} ${count}`);
  if (known !== undefined) return known;
  const largest = Uint8Array.from({ length: 256 }, (_, byte) =>
    Math.max(...Array.from({ length: count }, (_one, index) => (byte >> (8 - depth * (index + 1))) & (2 ** depth - 1))),
  );
  largestNumbers.set(`${depth} ${count}`, largest);
  return largest;
};

/** Reads a row of one byte a dot, or several dots a byte, in its place. */
const undoRule = (rule: number, row: Uint8Array, before: Uint8Array): void => {
  for (let at = 0; at < row.length; at += 1) {
    const [left = 0, up = 0, corner = 0] = [row[at - 1], before[at], before[at - 1]];
    row[at] = (row[at] ?? 0) + addedBy(rule, left, up, corner);
  }
};

const addedBy = (rule: number, left: number, up: number, corner: number): number => {
  if (rule === LEFT) return left;
  if (rule === UP) return up;
  if (rule === AVERAGE) return (left + up) >> 1;
  return rule === PAETH ? nearest(left, up, corner) : 0;
};

const nearest = (left: number, up: number, corner: number): number => {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
};

/** Gives a picture a table of its own with a color for each number: the last color for those that had none. */
export const completeTable = (image: PDFObject, file: PdfFile): void => {
  if (!(image instanceof PDFDict)) return;
  const space = file.resolve(image.get(COLOR_SPACE));
  if (!(space instanceof PDFArray)) return;
  const [family, base, last, table] = space.asArray();
  const count = spaceOf(file.resolve(base), file)?.count;
  const colors = colorsOf(table, file);
  const most = Number(file.resolve(last)?.toString());
  const depth = file.numberEntry(image, "BitsPerComponent") ?? 8;
  if (family === undefined || base === undefined || colors === undefined || count === undefined) return;
  const whole = Buffer.alloc(2 ** depth * count, colors.subarray(most * count, (most + 1) * count));
  whole.set(colors.subarray(0, (most + 1) * count));
  const instead = PDFArray.withContext(file.context);
  for (const item of [family, base, PDFNumber.of(2 ** depth - 1), PDFHexString.of(whole.toString("hex"))])
    instead.push(item);
  image.set(COLOR_SPACE, instead);
};

const colorsOf = (given: PDFObject | undefined, file: PdfFile): Uint8Array | undefined => {
  const table = file.resolve(given);
  if (table instanceof PDFString || table instanceof PDFHexString) return table.asBytes();
  return dataOf(given, file, MAX_TABLE_BYTES);
};
