import { formIn } from "@rubrica/pdf-reading/annotations/appearances";
import { type Fields, fieldsOf, inherited } from "@rubrica/pdf-reading/annotations/fields";
import { writtenIn } from "@rubrica/pdf-reading/annotations/written";
import { MAX_FIELD_DEPTH } from "@rubrica/pdf-reading/field-tree";
import { names } from "@rubrica/pdf-reading/names";
import { pagesOf } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { textOf } from "@rubrica/pdf-reading/signatures";
import { PDFDict, PDFName, type PDFObject } from "pdf-lib";
import { nameAsPdfiumReads } from "./content.ts";

/**
 * Text that has no appearance of its own: readers draw it by what its form says, in a font that the form names. What an
 * update adds to the form can change what is seen of it.
 */

const [AS, SUBTYPE, WIDGET, FREE_TEXT, BUTTON, SIGNATURE] = names("AS", "Subtype", "Widget", "FreeText", "Btn", "Sig");
/** Honest names of fields have some hundred characters. */
const MAX_NAME_LENGTH = 4_096;

/** Whether a page of a file has text that readers draw by what its form says. Throws `Damaged` and `TooComplex`. */
export const hasTextWithoutAppearance = (file: PdfFile): boolean => {
  const fields = fieldsOf(file);
  for (const annotation of annotationsOf(file)) if (lacksAppearance(annotation, file, fields)) return true;
  return false;
};

/**
 * Whether a page of a file has a field of a name that is not one for signatures: readers take another one of that name for
 * the same field.
 */
export const hasFieldNamed = (name: string, file: PdfFile): boolean => {
  for (const annotation of annotationsOf(file))
    if (inherited(annotation, "FT", file) !== SIGNATURE && [name, null].includes(fullName(annotation, file)))
      return true;
  return false;
};

/**
 * A field's name with those of its parents before it (ISO 32000-2, 12.7.4.2), as PDFium takes it: up to a part without a
 * letter. Null where it is of something else than text, or too long.
 */
export const fullName = (field: PDFDict, file: PdfFile): string | null => {
  const names: string[] = [];
  let at: PDFDict | undefined = field;
  for (let depth = 0; at !== undefined; depth += 1) {
    const given = file.entry(at, "T");
    const own = textOf(given);
    const isSound = given === undefined || (own !== undefined && own.length <= MAX_NAME_LENGTH);
    if (!isSound || depth > MAX_FIELD_DEPTH) return null;
    if (own) names.unshift(own);
    at = file.dictEntry(at, "Parent");
  }
  return nameAsPdfiumReads(names.join("."));
};

function* annotationsOf(file: PdfFile): Generator<PDFDict> {
  const seen = new Set<PDFObject>();
  for (const { dict } of pagesOf(file)) {
    const list = file.arrayEntry(dict, "Annots");
    if (list === undefined || seen.has(list)) continue;
    seen.add(list);
    for (const given of list.asArray()) {
      const annotation = file.resolve(given);
      if (!(annotation instanceof PDFDict) || seen.has(annotation)) continue;
      seen.add(annotation);
      yield annotation;
    }
  }
}

const lacksAppearance = (annotation: PDFDict, file: PdfFile, fields: Fields): boolean => {
  const subtype = file.resolve(annotation.get(SUBTYPE));
  if (subtype !== WIDGET && subtype !== FREE_TEXT) return false;
  const form = formIn(annotation, file);
  const hasAppearance = form !== null && (form.states?.has(file.resolve(annotation.get(AS)) as PDFName) ?? true);
  if (hasAppearance && !(fields.areDrawnAnew && subtype === WIDGET)) return false;
  const type = subtype === WIDGET ? inherited(annotation, "FT", file) : undefined;
  // PDFium takes a kind that is a string for one, too.
  if (type !== undefined && !(type instanceof PDFName)) return true;
  const written = type === SIGNATURE ? null : writtenIn(annotation, subtype, file, fields);
  // An unchecked box draws nothing in a font.
  return written !== null && (type !== BUTTON || written.text !== "" || written.isChecked);
};
