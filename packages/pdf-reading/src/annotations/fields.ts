import { PDFBool, type PDFDict, PDFName, type PDFObject } from "pdf-lib";
import { TooComplex } from "../faults.ts";
import { MAX_FIELD_DEPTH } from "../field-tree.ts";
import type { PdfFile } from "../pdf-file.ts";
import { textOf } from "../signatures.ts";

/** The fields of a form, and whether readers are asked to draw them anew, by what they hold. */

const ofText = new Set(["Tx", "Ch"].map((name) => PDFName.of(name)));

/** An entry of a field, or of one above it (ISO 32000-2, 12.7.4.1). Throws `TooComplex`: readers look further up. */
export const inherited = (dict: PDFDict, name: string, file: PdfFile): PDFObject | undefined => {
  const passed: PDFDict[] = [];
  let field: PDFDict | undefined = dict;
  while (field !== undefined && !passed.includes(field)) {
    const value = file.entry(field, name);
    if (value !== undefined) return value;
    if (passed.length === MAX_FIELD_DEPTH) throw new TooComplex("its fields are nested too deeply");
    passed.push(field);
    field = file.dictEntry(field, "Parent");
  }
  return undefined;
};

/** What a form says of all of its fields. */
export interface Fields {
  /** Whether readers are asked to draw fields by what they hold, whatever their appearances show; not all do. */
  areDrawnAnew: boolean;
  /** How text looks where a field does not say it. */
  style: string;
}

/** Read before anything is changed. */
export const fieldsOf = (file: PdfFile): Fields => {
  const form = file.dictEntry(file.catalog, "AcroForm");
  return {
    areDrawnAnew: file.entry(form, "NeedAppearances") === PDFBool.True,
    style: textOf(file.entry(form, "DA")) ?? "",
  };
};

/** Whether a field shows text that it holds, which is what counts where fields are drawn anew. */
export const holdsText = (field: PDFDict, file: PdfFile): boolean =>
  ofText.has(inherited(field, "FT", file) as PDFName);
