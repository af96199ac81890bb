import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, type PDFDict, PDFNumber, type PDFObject } from "pdf-lib";

/** How wide fonts say their characters are (ISO 32000-2, 9.6.2 and 9.7.4.3), in thousandths of the size of text. */

/** Some readers take widths below zero for none, and larger ones than 16 bits hold for others; honest ones are below 2,000. */
const WIDEST = 4_000;

const isWidth = (value: PDFObject | undefined): boolean =>
  value instanceof PDFNumber && value.asNumber() >= 0 && value.asNumber() <= WIDEST;

const itemsOf = (list: PDFArray, file: PdfFile): (PDFObject | undefined)[] =>
  list.asArray().map((item) => file.resolve(item));

/** Whether all readers take the widths of a font's codes alike. Drawn glyphs have them in units of their own. */
export const areSoundWidths = (value: PDFObject, font: PDFDict, file: PdfFile): boolean =>
  file.nameEntry(font, "Subtype") === "Type3" || !(value instanceof PDFArray) || itemsOf(value, file).every(isWidth);

/** The same of one that stands for others. */
export const isSoundWidth = (value: PDFObject): boolean => !(value instanceof PDFNumber) || isWidth(value);

/** The same of a font of characters: a code and the widths from there on, or two codes and the width of all between. */
export const areSoundCharacterWidths = (value: PDFObject, font: PDFDict, file: PdfFile): boolean => {
  if (!file.nameEntry(font, "Subtype")?.startsWith("CIDFont") || !(value instanceof PDFArray)) return true;
  const items = itemsOf(value, file);
  for (let at = 0; at < items.length; ) {
    const next = items[at + 1];
    const isList = next instanceof PDFArray;
    if (!(isList ? itemsOf(next, file).every(isWidth) : isWidth(items[at + 2]))) return false;
    at += isList ? 2 : 3;
  }
  return true;
};
