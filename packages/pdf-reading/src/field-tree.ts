import { type PDFArray, PDFDict } from "pdf-lib";
import { TooComplex } from "./faults.ts";
import type { PdfFile } from "./pdf-file.ts";

/** The most that a form may have. */
export const MAX_FIELDS = 50_000;
export const MAX_FIELD_DEPTH = 50;

/**
 * Makes sure that a form's fields can be walked through by who visits each as often as it stands in the tree, as other
 * readers do: with two places for each field among its parent's kids, 25 levels take them hours, and nobody could tell
 * whether a seal is valid. Throws {@link TooComplex}.
 */
export const assertFieldsCanBeWalked = (file: PdfFile): void => {
  const ancestors = new Set<PDFDict>();
  let visits = 0;
  const walk = (list: PDFArray | undefined): void => {
    for (let index = 0; index < (list?.size() ?? 0); index += 1) {
      visits += 1;
      if (visits > MAX_FIELDS || ancestors.size > MAX_FIELD_DEPTH) throw new TooComplex("its form is too large");
      const field = file.resolve(list?.get(index));
      if (!(field instanceof PDFDict) || ancestors.has(field)) continue;
      ancestors.add(field);
      walk(file.arrayEntry(field, "Kids"));
      ancestors.delete(field);
    }
  };
  walk(file.arrayEntry(file.dictEntry(file.catalog, "AcroForm"), "Fields"));
};
