import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { type Named, namesIn } from "./encodings.ts";
import { ASCII_NAMES } from "./named-glyphs.ts";

/** Fonts whose glyphs are contents (Type 3, ISO 32000-2, 9.6.4): what is missing of them each reader makes up. */

const [FIRST_PRINTED, LAST_CODE] = [32, 255];
/** How far a font's origin may be moved, in the size of text. */
const NOWHERE = 1e-6;

/** Whether all readers draw the glyphs of a font at the same places, in the same size and for the same codes. */
export const hasSoundDrawnGlyphs = (procedures: PDFObject, font: PDFDict, file: PdfFile): boolean => {
  if (!(procedures instanceof PDFDict) || !procedures.values().every((glyph) => isStream(glyph, file))) return false;
  const encoding = file.entry(font, "Encoding");
  // PDFium follows no reference to a name, and draws no glyphs by a list that it does not know.
  if (!(encoding instanceof PDFDict) && !LISTS.includes(font.get(PDFName.of("Encoding")))) return false;
  const differences = encoding instanceof PDFDict ? file.entry(encoding, "Differences") : undefined;
  // By names of a list alone all readers find them; by nothing at all some do.
  const named = differences === undefined ? [] : namesIn(differences, file);
  if (named === undefined || (encoding instanceof PDFDict && named.length === 0 && !encoding.has(BASE))) return false;
  const drawn = named.filter(([, name]) => procedures.has(PDFName.of(name)));
  return hasPlainMatrix(font, file) && haveWidths(drawn, font, file);
};

/** Poppler prints nothing of a page with a glyph that is none. */
const isStream = (glyph: PDFObject, file: PdfFile): boolean =>
  glyph instanceof PDFRef && file.streamData(glyph.objectNumber) !== undefined;

const BASE = PDFName.of("BaseEncoding");
const LISTS: readonly (PDFObject | undefined)[] = ["WinAnsiEncoding", "MacRomanEncoding"].map((name) =>
  PDFName.of(name),
);

/** The codes that have a glyph in such a font, and a width: for others Poppler prints its first one, and PDFium takes the glyph's own width. */
export const drawnCodes = (font: PDFDict, file: PdfFile): ReadonlySet<number> => {
  const procedures = file.dictEntry(font, "CharProcs");
  const encoding = file.entry(font, "Encoding");
  const given = encoding instanceof PDFDict ? encoding : undefined;
  const isOfList = encoding instanceof PDFName || given?.has(BASE) === true;
  const named = namesIn(file.entry(given, "Differences"), file) ?? [];
  const names = new Map([
    ...(isOfList ? ASCII_NAMES : []).map((name, index): [number, string] => [index + FIRST_PRINTED, name]),
    ...named.map(([code, name]): [number, string] => [code, name]),
  ]);
  const first = file.numberEntry(font, "FirstChar") ?? 0;
  const widths = numbersIn(file.entry(font, "Widths"), file);
  const isDrawn = ([code, name]: [number, string]) =>
    procedures?.has(PDFName.of(name)) === true && Boolean(widths[code - first]);
  return new Set([...names].filter(isDrawn).map(([code]) => code));
};

const numbersIn = (value: PDFObject | undefined, file: PdfFile): (number | undefined)[] =>
  value instanceof PDFArray
    ? value.asArray().map((item) => {
        const number = file.resolve(item);
        return number instanceof PDFNumber ? number.asNumber() : undefined;
      })
    : [];

/** Not turned, not moved: some readers do neither. */
const hasPlainMatrix = (font: PDFDict, file: PdfFile): boolean => {
  const matrix = numbersIn(file.entry(font, "FontMatrix"), file);
  if (matrix.length !== 6 || matrix.includes(undefined)) return false;
  const [a, b, , d, e, f] = matrix as [number, number, number, number, number, number];
  return a !== 0 && d !== 0 && b === 0 && Math.abs(e) < NOWHERE && Math.abs(f) < NOWHERE;
};

/** Whether the font says how wide each glyph is: where it does not, one reader goes by what the glyph says of itself. */
const haveWidths = (drawn: readonly Named[], font: PDFDict, file: PdfFile): boolean => {
  const [first = 0, last] = ["FirstChar", "LastChar"].map((name) => file.numberEntry(font, name));
  const widths = numbersIn(file.entry(font, "Widths"), file);
  const isSound = Number.isInteger(first) && first >= 0 && last !== undefined && last >= first && last <= LAST_CODE;
  if (!isSound || widths.length > last - first + 1) return false;
  // Some programs give codes that they do not use a glyph of another code.
  const wide = new Set(drawn.filter(([code]) => Boolean(widths[code - first])).map(([, name]) => name));
  return drawn.every(([, name]) => wide.has(name));
};
