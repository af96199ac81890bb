import { formIn } from "@rubrica/pdf-reading/annotations/appearances";
import { holdsText, inherited } from "@rubrica/pdf-reading/annotations/fields";
import { ContentTokens, END, WORD } from "@rubrica/pdf-reading/content-tokens";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { textOf } from "@rubrica/pdf-reading/signatures";
import { PDFArray, PDFDict, PDFName, type PDFObject } from "pdf-lib";
import { dataOf } from "./colors/values.ts";

/**
 * Fields for text and choices that show something else once somebody clicks on them: readers then draw their value, and some
 * do so at once. An appearance may show anything.
 */

const N = PDFName.of("N");
/** Appearances of empty fields have some hundred bytes; a file may have thousands of them. */
const MAX_BYTES = 4_096;
/** What draws the ground of a field and a line around it, and what text may begin and end with. */
const PLAIN = new Set(
  "q Q cm BMC BDC EMC re m l h W W* n f F f* S s B B* b b* w J j M d g G rg RG k K gs BT ET Tf Td TD Tm T* TL Tc Tw Tz".split(
    " ",
  ),
);
const OF_PATHS: Readonly<Record<string, number>> = { re: 3, m: 1, l: 1 };
/** A ground, a line around it, and one on each side that makes it look raised: figures could be made of more. */
const MOST_OF_PATHS = 18;

/** Whether a field for text or choices holds something. */
export const isFilled = (field: PDFDict, file: PdfFile): boolean => {
  if (!holdsText(field, file)) return false;
  const value = inherited(field, "V", file);
  if (value instanceof PDFArray) return value.size() > 0;
  return value !== undefined && textOf(value) !== "";
};

/** Whether a click may show something else than a field's appearance, or hide what that shows. */
export const isAnotherOnceClicked = (field: PDFDict, file: PdfFile): boolean =>
  isFilled(field, file) || (holdsText(field, file) && !isBlank(field, file));

/** Many fields may share one appearance. */
const blank = new WeakMap<PDFDict, boolean>();

const isBlank = (field: PDFDict, file: PdfFile): boolean => {
  const given = file.dictEntry(field, "AP")?.get(N);
  const form = file.resolve(given);
  if (!(form instanceof PDFDict) || formIn(field, file)?.states !== null) return false;
  const known = blank.get(form) ?? drawsNothing(contentOf(given, file));
  blank.set(form, known);
  return known;
};

/** Undefined where it is larger, or can't be read. */
const contentOf = (given: PDFObject | undefined, file: PdfFile): Uint8Array | undefined => {
  try {
    return dataOf(given, file, MAX_BYTES);
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
};

const drawsNothing = (content: Uint8Array | undefined): boolean => {
  if (content === undefined) return false;
  const tokens = new ContentTokens(content);
  let left = MOST_OF_PATHS;
  for (let kind = tokens.take(); kind !== END; kind = tokens.take()) {
    if (kind !== WORD) continue;
    const operator = tokens.bytes.toString("latin1", tokens.start, tokens.at);
    left -= OF_PATHS[operator] ?? 0;
    if (!PLAIN.has(operator) || left < 0) return false;
  }
  return true;
};
