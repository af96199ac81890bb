import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, type PDFObject } from "pdf-lib";

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
