import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { type Box, cornersOf, type Page } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import type { Revision } from "@rubrica/pdf-reading/revision";
import { PDFArray, type PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { STAMP_BOX } from "../placement.ts";
import type { Matrix } from "./on-page.ts";

/** Print, ReadOnly, Locked and LockedContents (ISO 32000-2, table 167). */
const STAMP_FLAGS = 4 | 64 | 128 | 512;
/** Hidden and NoView. */
const UNSEEN_FLAGS = 2 | 32;

const ANNOTS = PDFName.of("Annots");

/** Puts a form on a page as a stamp annotation, which is drawn whatever is wrong with the page's content. */
export const addStampAnnotation = (
  document: OpenDocument,
  revision: Revision,
  page: Page,
  form: PDFRef,
  matrix: Matrix,
): void => {
  const annotation = revision.context.obj({
    Type: "Annot",
    Subtype: "Stamp",
    F: STAMP_FLAGS,
    P: page.ref,
    Rect: rectangleOf(matrix),
    AP: { N: form },
  });
  addAnnotation(document, revision, page, revision.add(annotation));
};

/** The upright rectangle that a stamp takes on a page, for a matrix that takes its space to the page's. */
export const rectangleOf = ([a, b, c, d, e, f]: Matrix): number[] => {
  const xs = [e, e + a * STAMP_BOX.width + c * STAMP_BOX.height];
  const ys = [f, f + b * STAMP_BOX.width + d * STAMP_BOX.height];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
};

/** A box with given corners; none when it has no area. */
export const boxFrom = ([
  x1 = Number.NaN,
  y1 = Number.NaN,
  x2 = Number.NaN,
  y2 = Number.NaN,
]: readonly number[]): Box[] => {
  const box = { left: Math.min(x1, x2), bottom: Math.min(y1, y2), right: Math.max(x1, x2), top: Math.max(y1, y2) };
  return box.right - box.left > 0 && box.top - box.bottom > 0 ? [box] : [];
};

/** The rectangle of an annotation on its page; none when it isn't seen. */
export const seenBox = (file: PdfFile, annotation: PDFDict): Box[] => {
  if (((file.numberEntry(annotation, "F") ?? 0) & UNSEEN_FLAGS) !== 0) return [];
  const rectangle = file.arrayEntry(annotation, "Rect");
  return rectangle === undefined ? [] : boxFrom(cornersOf(file, rectangle));
};

/** Adds an annotation to those that a page has. */
export const addAnnotation = ({ file }: OpenDocument, revision: Revision, page: Page, annotation: PDFRef): void => {
  const given = page.dict.get(ANNOTS);
  if (given instanceof PDFRef && file.resolve(given) instanceof PDFArray) {
    // One list may be that of many pages: it is copied once.
    const changed = revision.changed(given);
    const list = changed instanceof PDFArray ? changed : copyOf(revision, file.resolve(given));
    list.push(annotation);
    revision.replace(given, list);
    return;
  }
  const dict = (revision.changed(page.ref) as PDFDict | undefined) ?? page.dict.clone();
  const list = copyOf(revision, file.resolve(dict.get(ANNOTS)));
  list.push(annotation);
  dict.set(ANNOTS, list);
  revision.replace(page.ref, dict);
};

/** A list's items in a list of its own, which may be changed. */
export const copyOf = (revision: Revision, list: PDFObject | undefined): PDFArray => {
  const copy = PDFArray.withContext(revision.context);
  if (list instanceof PDFArray) for (const item of list.asArray()) copy.push(item);
  return copy;
};
