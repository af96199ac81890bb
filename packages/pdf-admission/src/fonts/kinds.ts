import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type PDFArray, PDFDict, PDFNumber, type PDFObject } from "pdf-lib";

/** Kinds of fonts (ISO 32000-2, table 108), and what each must say of itself: where it does not, readers take another one, or none. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  Type0: ["DescendantFonts", "Encoding"],
  Type1: ["BaseFont"],
  MMType1: ["BaseFont"],
  TrueType: ["BaseFont"],
  Type3: ["CharProcs", "Encoding"],
};

/** Whether all readers take an object for a font, and of the same kind. */
export const isFont = (object: PDFObject | undefined, file: PdfFile): object is PDFDict =>
  object instanceof PDFDict &&
  (NEEDED[file.nameEntry(object, "Subtype") ?? ""]?.every((name) => file.entry(object, name) !== undefined) ?? false);

/** Whether the glyphs of a font are contents. */
export const isDrawnFont = (object: PDFObject | undefined, file: PdfFile): boolean =>
  object instanceof PDFDict && file.nameEntry(object, "Subtype") === "Type3";

/** Most letters are half as wide as high. */
const OF_LETTERS = 0.5;
/** Many contents may show text in one font. */
const widest = new WeakMap<PDFDict, number>();

/** How far the widest glyph of a font moves text, as a share of the text's size: where its glyphs are contents, this may be anything. */
export const widestGlyphOf = (font: PDFObject | undefined, file: PdfFile): number => {
  if (!(font instanceof PDFDict) || !isDrawnFont(font, file)) return OF_LETTERS;
  const known = widest.get(font);
  if (known !== undefined) return known;
  const [scale = 0] = numbersIn(file.arrayEntry(font, "FontMatrix"), file);
  const most = numbersIn(file.arrayEntry(font, "Widths"), file).reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  widest.set(font, most * Math.abs(scale));
  return most * Math.abs(scale);
};

const numbersIn = (list: PDFArray | undefined, file: PdfFile): number[] =>
  (list?.asArray() ?? []).map((item) => {
    const number = file.resolve(item);
    return number instanceof PDFNumber ? number.asNumber() : 0;
  });
