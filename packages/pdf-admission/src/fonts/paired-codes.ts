import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, PDFRef } from "pdf-lib";
import { hasOddCodes } from "./code-maps.ts";
import { dataOf } from "./programs.ts";

/** Fonts whose codes are of two bytes each (ISO 32000-2, 9.7.5): some readers show a sign for half a code at a string's end. */

/** Stands for half a code among codes that are shown; beyond those that something follows. */
export const HALVED = 512;
/** Maps that readers have themselves, all of whose codes are so. */
const PAIRED = /^(?:(?:Identity|Uni[A-Z]+-(?:UCS2(?:-HW)?|UTF16))-)?[HV]$/;
const ENCODING = PDFName.of("Encoding");
/** One map may be that of many fonts. */
const known = new WeakMap<PDFDict, boolean>();

export const hasPairedCodes = (font: PDFDict, file: PdfFile): boolean => {
  if (file.nameEntry(font, "Subtype") !== "Type0") return false;
  const encoding = file.entry(font, "Encoding");
  if (encoding instanceof PDFName) return PAIRED.test(encoding.decodeText());
  if (!(encoding instanceof PDFDict)) return false;
  const isPaired = known.get(encoding) ?? isOfPairs(font, file);
  known.set(encoding, isPaired);
  return isPaired;
};

const isOfPairs = (font: PDFDict, file: PdfFile): boolean => {
  const map = font.get(ENCODING);
  const data = map instanceof PDFRef ? dataOf(map, file) : undefined;
  return data !== undefined && !hasOddCodes(data);
};
