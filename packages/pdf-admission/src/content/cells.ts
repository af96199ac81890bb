import { numbersIn } from "@rubrica/pdf-reading/annotations/appearances";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, type PDFObject } from "pdf-lib";
import type { Matrix } from "./shifts.ts";

/** Cells of patterns that lie askew: MuPDF cuts them off by a box that is not turned, and shows more of them than others do. */
export interface Cell {
  /** Whether the pattern turns its cells itself; they may also be turned by what draws a form that uses it. */
  isAskew: boolean;
  /** What cuts off its content as most readers do, if it stands first. */
  clip: string;
}

const PATTERN_TYPE = PDFName.of("PatternType");

/** Whether a matrix turns boxes by other than quarters, or slants them. */
export const isAskew = ([a, b, c, d]: Matrix): boolean => (a !== 0 || d !== 0) && (b !== 0 || c !== 0);

/**
 * The cell of a pattern, or what an annotation looks like, which pdf.js cuts off by the annotation's rectangle alone;
 * undefined for what is none of these, or has a box that is judged by itself.
 */
export const cellOf = (content: PDFObject | undefined, isAppearance: boolean, file: PdfFile): Cell | undefined => {
  if (!(content instanceof PDFDict) || !(content.has(PATTERN_TYPE) || isAppearance)) return undefined;
  const sides = numbersIn(file.entry(content, "BBox"), 4, file);
  if (sides === null) return undefined;
  const [left = 0, bottom = 0, right = 0, top = 0] = sides;
  const box = [Math.min(left, right), Math.min(bottom, top), Math.abs(right - left), Math.abs(top - bottom)];
  return { isAskew: isAskewForm(content, file), clip: `${box.map(written).join(" ")} re W n\n` };
};

/** Whether the matrix of a form or a pattern is such a one. */
export const isAskewForm = (form: PDFDict, file: PdfFile): boolean =>
  isAskew((numbersIn(file.entry(form, "Matrix"), 6, file) ?? [1, 0, 0, 1, 0, 0]) as unknown as Matrix);

const written = (number: number): string => String(Number(number.toFixed(6)));
