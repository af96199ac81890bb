import { PDFDict, PDFName, type PDFObject } from "pdf-lib";
import type { PdfFile } from "../reading/pdf-file.ts";

/** Fonts that a file names and does not bring along: readers take others, and find glyphs in them each in its own way. */

const EMBEDDED = ["FontFile", "FontFile2", "FontFile3"];
/** Names that some readers take for a character's number, or for a variant of it, and others do not. */
const MISREAD = /^(?:uni[\dA-F]{4,}|\d+|[A-Za-z]{1,5}\d+|u[\dA-F]{4,6}|[^.]+\..+)$/;
/** Of such a form, but listed (Adobe Glyph List). */
const LISTED = /^(?:afii\d{5,}|H\d{5}|SF\d{6})$/;
/** What fonts of symbols call their own characters. */
const ofSymbols = [
  ["Dingbats", /^a\d{1,3}$/],
  ["Symbol", /^(?:omega|phi|sigma|theta|Upsilon)1$/],
] as const;

/** Whether readers show other characters of a font than others do, by what it says of its encoding. */
export const isReadOtherwise = (encoding: PDFObject, font: PDFDict, file: PdfFile): boolean => {
  const name = file.nameEntry(font, "BaseFont");
  if (name === undefined) return false;
  const kind = file.nameEntry(font, "Subtype");
  if (kind === "Type0" || kind === "Type3") return false;
  const differences = encoding instanceof PDFDict ? file.arrayEntry(encoding, "Differences") : undefined;
  const isMisread = (differences?.asArray() ?? []).some((given) => {
    const glyph = file.resolve(given);
    const text = glyph instanceof PDFName ? glyph.decodeText() : "";
    const isOwn = ofSymbols.some(([font, names]) => name.endsWith(font) && names.test(text));
    return MISREAD.test(text) && !LISTED.test(text) && !isOwn;
  });
  return isMisread && !isEmbedded(font, file);
};

/** What is no program is refused by itself. */
const isEmbedded = (font: PDFDict, file: PdfFile): boolean => {
  const descriptor = file.dictEntry(font, "FontDescriptor");
  return EMBEDDED.some((name) => file.resolve(descriptor?.get(PDFName.of(name))) instanceof PDFDict);
};
