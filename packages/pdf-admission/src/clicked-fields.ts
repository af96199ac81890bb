import { type Form, isAsLargeAsItsBox } from "@rubrica/pdf-reading/annotations/appearances";
import { inherited } from "@rubrica/pdf-reading/annotations/fields";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, type PDFName, PDFNumber } from "pdf-lib";
import { NOTHING as DRAWS_NOTHING, type Plain, plainIn } from "./blank-appearances.ts";
import { kinOf, NOTHING, OFF } from "./field-kinship.ts";

/**
 * Fields that show something else once somebody clicks on them: readers then draw a text or a choice by its value, and some do
 * so at once; boxes change to another of their appearances. An appearance may show anything.
 */

const [TEXT, CHOICE, BUTTON, SIGNATURE, N, STATE_OFF] = names("Tx", "Ch", "Btn", "Sig", "N", "Off");
/** Flags of fields (ISO 32000-2, tables 229 and 233). */
const [PUSH_BUTTON, COMBO] = [0x10000, 0x20000];
/** Honest boxes have two states. */
const MOST_STATES = 10;

/** Whether readers take a field for something else than others do, or may show what it holds. */
export const isHeldOtherwise = (field: PDFDict, file: PdfFile): boolean => {
  const { type, flags = 0, held, isTorn } = kinOf(field, file);
  if (isTorn) return true;
  if (type === SIGNATURE) return false;
  if (type === BUTTON) return (flags & PUSH_BUTTON) === 0 && held > OFF;
  return held > NOTHING || (type === CHOICE && showsOptions(field, flags, file));
};

/** A list shows its options once it is clicked on, and a choice of an empty text the option that stands for it. */
const showsOptions = (field: PDFDict, flags: number, file: PdfFile): boolean => {
  const options = inherited(field, "Opt", file);
  const hasOptions = options instanceof PDFArray && options.size() > 0;
  return hasOptions && ((flags & COMBO) === 0 || inherited(field, "V", file) !== undefined);
};

/**
 * Whether a click may show something else than a field's appearance, or hide what that shows.
 * @param state of those that a box has
 */
export const isAnotherOnceClicked = (field: PDFDict, form: Form, state: PDFName, file: PdfFile): boolean => {
  const { type, flags = 0 } = kinOf(field, file);
  if (isHeldOtherwise(field, file)) return true;
  if (type === BUTTON) return (flags & PUSH_BUTTON) === 0 && !isPlainBox(field, form, state, file);
  // A ground may hide what is below, and honest signed files have some.
  const unsigned = lookWithoutSignature(field, form, file)?.look;
  if (unsigned !== undefined && !isBare(unsigned)) return true;
  return (type === TEXT || type === CHOICE) && !isBlank(field, form, file);
};

/** What is drawn of an empty field for a signature, in whose place MuPDF shows a mark of its own; null of others. */
const lookWithoutSignature = (field: PDFDict, { states }: Form, file: PdfFile): { look: Plain | undefined } | null => {
  const isEmpty = kinOf(field, file).type === SIGNATURE && !(inherited(field, "V", file) instanceof PDFDict);
  return isEmpty ? { look: states === null ? plainIn(appearanceOf(field, file), file) : undefined } : null;
};

/** Whether some readers show a mark of their own in place of what an empty field for a signature says. */
export const isMarkedAsUnsigned = (field: PDFDict, form: Form, file: PdfFile): boolean => {
  const found = lookWithoutSignature(field, form, file);
  return found !== null && (found.look === undefined || found.look.marks > 0);
};

const appearanceOf = (field: PDFDict, file: PdfFile) => file.dictEntry(field, "AP")?.get(N);

/** Whether a field shows nothing but the ground, and the line around it, that readers draw of it anew. */
const isBlank = (field: PDFDict, { states }: Form, file: PdfFile): boolean => {
  const look = states === null ? plainIn(appearanceOf(field, file), file) : undefined;
  if (look === undefined || look.marks > 0) return false;
  const isAsSaid = look.hasGround === hasColor(field, "BG", file) && look.hasFrame === hasColor(field, "BC", file);
  return isAsSaid && (isBare(look) || isAsLargeAsItsBox(field, file));
};

const isBare = ({ hasGround, hasFrame }: Plain): boolean => !hasGround && !hasFrame;

/** Whether a field's characteristics say a color for its ground, or for what is around it. */
const hasColor = (field: PDFDict, name: string, file: PdfFile): boolean => {
  const color = file.entry(file.dictEntry(field, "MK"), name);
  return color instanceof PDFArray && color.asArray().some((one) => file.resolve(one) instanceof PDFNumber);
};

/** Whether a box is empty, and gets no more than a mark by a click. */
const isPlainBox = (field: PDFDict, { states }: Form, state: PDFName, file: PdfFile): boolean => {
  const given = file.dictEntry(file.dictEntry(field, "AP"), "N");
  if (states === null || states.size > MOST_STATES) return false;
  const lookOf = (one: PDFName) => (states.has(one) ? plainIn(given?.get(one), file) : DRAWS_NOTHING);
  const shown = lookOf(state);
  if (shown === undefined || shown.marks > 0) return false;
  return [STATE_OFF, ...states].map(lookOf).every((look) => {
    const isSame = look?.hasGround === shown.hasGround && look.hasFrame === shown.hasFrame;
    return isSame && look.marks <= 1;
  });
};
