import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import type { PdfFile } from "../pdf-file.ts";

/** What all readers draw of an annotation. */
export interface Form {
  /** The states that have an appearance each; null where there is one for all. */
  states: ReadonlySet<PDFName> | null;
}

const [N, RECT] = [PDFName.of("N"), PDFName.of("Rect")];
/** Points: programs round one of both. */
const SAME_SIZE = 1;

/** The appearance of an annotation that all readers draw; null where some would draw none, or one of their own. */
export const formIn = (annotation: PDFDict, file: PdfFile): Form | null => {
  const normal = file.resolve(file.dictEntry(annotation, "AP")?.get(N));
  if (!(normal instanceof PDFDict)) return null;
  const known = forms.get(normal);
  if (known !== undefined) return known;
  const form = formOf(normal, file);
  forms.set(normal, form);
  return form;
};

/** Many annotations may share one list of states. */
const forms = new WeakMap<PDFDict, Form | null>();

const formOf = (normal: PDFDict, file: PdfFile): Form | null => {
  if (isForm(normal, file)) return { states: null };
  const states = normal.entries().filter(([, given]) => {
    const state = file.resolve(given);
    return state instanceof PDFDict && isForm(state, file);
  });
  return states.length === 0 ? null : { states: new Set(states.map(([name]) => name)) };
};

/** The sides of a rectangle; null for what is none. */
export const sidesOf = (rectangle: PDFObject | undefined, file: PdfFile) =>
  numbersIn(rectangle, 4, file) as [left: number, bottom: number, right: number, top: number] | null;

/** How much a rectangle has within it; undefined for what is none. */
export const areaOf = (rectangle: PDFObject | undefined, file: PdfFile): number | undefined => {
  const sides = sidesOf(rectangle, file);
  if (sides === null) return undefined;
  const [left, bottom, right, top] = sides;
  return Math.abs((right - left) * (top - bottom));
};

/** Whether the one appearance of an annotation takes the same room wherever its size is taken from. */
export const isAsLargeAsItsBox = (annotation: PDFDict, file: PdfFile): boolean => {
  const form = file.resolve(file.dictEntry(annotation, "AP")?.get(N));
  if (!(form instanceof PDFDict)) return false;
  const [left, bottom, right, top] = sidesOf(file.resolve(annotation.get(RECT)), file) ?? [0, 0, 0, 0];
  const [boxLeft, boxBottom, boxRight, boxTop] = sidesOf(file.entry(form, "BBox"), file) ?? [0, 0, 0, 0];
  const matrix = numbersIn(file.entry(form, "Matrix"), 6, file) ?? [1, 0, 0, 1];
  const isSame = (one: number, other: number) => Math.abs(Math.abs(one) - Math.abs(other)) <= SAME_SIZE;
  return (
    [1, 0, 0, 1].every((unit, index) => matrix[index] === unit) &&
    isSame(right - left, boxRight - boxLeft) &&
    isSame(top - bottom, boxTop - boxBottom)
  );
};

/** A form that has a box, and a matrix that keeps it one; what says that it is a picture is looked at as such. */
const isForm = (dict: PDFDict, file: PdfFile): boolean => {
  if (file.nameEntry(dict, "Subtype") === "Image") return false;
  if ((areaOf(file.entry(dict, "BBox"), file) ?? 0) === 0) return false;
  const matrix = file.entry(dict, "Matrix");
  if (matrix === undefined) return true;
  const [a = 0, b = 0, c = 0, d = 0] = numbersIn(matrix, 6, file) ?? [];
  return a * d - b * c !== 0;
};

export const numbersIn = (value: PDFObject | undefined, count: number, file: PdfFile): number[] | null => {
  if (!(value instanceof PDFArray) || value.size() !== count) return null;
  const items = value.asArray().map((item) => file.resolve(item));
  return items.every((item) => item instanceof PDFNumber) ? items.map((item) => item.asNumber()) : null;
};
