import { numbersIn } from "@rubrica/pdf-reading/annotations/appearances";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFNumber, type PDFObject } from "pdf-lib";

/** Forms of masks with a matrix, which Poppler prints without it: what they draw is moved in its stead. */

/** Where a form that is to lose its matrix is to be, and what is to stand before its content. */
export interface UnturnedMask {
  box: PDFArray;
  before: string;
}

const [MATRIX, BBOX] = names("Matrix", "BBox");
const [PLAIN, DIGITS] = ["1 0 0 1 0 0", 6];

/** The same mask without a matrix; undefined where the form has none, null where the matrix turns it by other than quarters. */
export const unturnedMaskOf = (form: PDFObject | undefined, file: PdfFile): UnturnedMask | null | undefined => {
  if (!(form instanceof PDFDict) || !form.has(MATRIX)) return undefined;
  const [matrix, sides] = [
    numbersIn(file.entry(form, "Matrix"), 6, file),
    numbersIn(file.entry(form, "BBox"), 4, file),
  ];
  if (matrix === null || sides === null) return null;
  const said = matrix.map(written).join(" ");
  if (said === PLAIN) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = matrix;
  if ((b !== 0 || c !== 0) && (a !== 0 || d !== 0)) return null;
  const [left = 0, bottom = 0, right = 0, top = 0] = sides;
  const corners = [
    a * left + c * bottom + x,
    b * left + d * bottom + y,
    a * right + c * top + x,
    b * right + d * top + y,
  ];
  const box = PDFArray.withContext(file.context);
  for (const side of corners) box.push(PDFNumber.of(Number(written(side))));
  return { box, before: `${said} cm\n` };
};

const written = (number: number): string => String(Number(number.toFixed(DIGITS)));

/** Takes the matrix from a form. */
export const unturnMask = (form: PDFObject, mask: UnturnedMask | undefined): void => {
  if (mask === undefined || !(form instanceof PDFDict)) return;
  form.delete(MATRIX);
  form.set(BBOX, mask.box);
};
