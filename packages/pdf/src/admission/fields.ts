import { PDFBool, type PDFDict, PDFName, type PDFObject } from "pdf-lib";
import type { PdfFile } from "../reading/pdf-file.ts";

/** The fields of a form, and whether readers draw them by their appearances or anew, by what they hold. */

const MAX_PARENTS = 32;
const drawnByText = new Set(["Tx", "Ch"].map((name) => PDFName.of(name)));

/** An entry of a field, or of one above it (ISO 32000-2, 12.7.4.1). */
export const inherited = (dict: PDFDict, name: string, file: PdfFile): PDFObject | undefined => {
  let field: PDFDict | undefined = dict;
  for (let parents = 0; field !== undefined && parents < MAX_PARENTS; parents += 1) {
    const value = file.entry(field, name);
    if (value !== undefined) return value;
    field = file.dictEntry(field, "Parent");
  }
  return undefined;
};

/** Whether readers are asked to draw a field by the text that it holds, whatever its appearance shows; not all do. */
export const isDrawnAnew = (field: PDFDict, file: PdfFile): boolean =>
  drawnByText.has(inherited(field, "FT", file) as PDFName) &&
  file.entry(file.dictEntry(file.catalog, "AcroForm"), "NeedAppearances") === PDFBool.True;
