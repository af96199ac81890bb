import { names } from "@rubrica/pdf-reading/names";
import { isReal } from "@rubrica/pdf-reading/oddities";
import { PDFArray, PDFDict, PDFName, PDFNull, type PDFObject } from "pdf-lib";
import { type Judge, OTHERWISE, type Otherwise, refused } from "../otherwise.ts";
import { settledDescriptor } from "./borrowed.ts";
import { settledSymbols } from "./borrowed-symbols.ts";
import { hasSoundDrawnGlyphs } from "./drawn-glyphs.ts";
import { isBorrowedComposite, isEncodedOtherwise, settledEncoding } from "./encodings.ts";
import { hasDoubtfulProgram } from "./programs.ts";
import { descendantsApart, isTakenForAnother } from "./shared-descriptors.ts";
import {
  areSoundCharacterWidths,
  areSoundHeights,
  isSoundHeight,
  isSoundWidth,
  settledName,
  settledWidths,
} from "./widths.ts";

/** Entries of fonts that readers take each in their own way. */

const [ENCODING, BASE_FONT, MISSING_WIDTH] = names("Encoding", "BaseFont", "MissingWidth");
const EMPTY = PDFName.of("");
const MAPS = names("Identity-H", "Identity-V") as readonly PDFName[];

/** For null PDFium takes zero, where others take what stands for none. */
const ofNothing = (value: PDFObject): Otherwise | null => (value === PDFNull ? OTHERWISE : null);

/** What a font says of its codes. */
const encoding: Judge = (value, dict, file) => {
  if (isEncodedOtherwise(value, dict, file)) return refused(value);
  const instead = settledEncoding(dict, file);
  return instead === dict.get(ENCODING) ? null : { ...OTHERWISE, ...(instead && { instead }) };
};

/** How wide a font says its characters are. */
const widths: Judge = (value, dict, file) => {
  const instead = settledWidths(dict, file);
  if (instead === value) return null;
  return instead === undefined ? OTHERWISE : { ...OTHERWISE, instead: instead ?? value };
};

const fontName: Judge = (value, dict, file) => {
  // PDFium takes a text for a name; for other things, and an empty name, Poppler and pdf.js show no text.
  if (!(value instanceof PDFName) || value === EMPTY) return refused(value);
  const ofSymbols = settledSymbols("BaseFont", value, dict, file);
  if (ofSymbols !== null) return ofSymbols;
  const instead = settledName(dict, file);
  return instead === dict.get(BASE_FONT) ? null : { ...OTHERWISE, instead: instead ?? value };
};

/** What kind of font it is. */
export const fontKind: Judge = (value, dict, file) => settledSymbols("Subtype", value, dict, file);

/** Judges of them, by their names. */
export const fontEntries = {
  Encoding: encoding,
  // PDFium takes a text for a name, others for none.
  BaseEncoding: (value) => (value instanceof PDFName ? null : OTHERWISE),
  // pdf.js shows no text of a font whose differences are no list.
  Differences: (value) => (value instanceof PDFArray ? null : OTHERWISE),
  // By a name that is no map pdf.js shows no text.
  ToUnicode: (value, dict, file) =>
    isBorrowedComposite(dict, file) || (value instanceof PDFName && !MAPS.includes(value)) ? OTHERWISE : null,
  Widths: widths,
  BaseFont: fontName,
  W: (value, dict, file) => (areSoundCharacterWidths(value, dict, file) ? null : refused(value)),
  W2: (value, dict, file) => (areSoundHeights(value, dict, file) ? null : refused(value)),
  DW2: (value, _dict, file) => ofNothing(value) ?? (isSoundHeight(value, file) ? null : refused(value)),
  // Poppler takes an integer alone.
  DW: (value) => ofNothing(value) ?? (isSoundWidth(value) && !isReal(value) ? null : refused(value)),
  MissingWidth: (value) => (isSoundWidth(value) ? null : refused(value)),
  CharProcs: (value, dict, file) =>
    dict.has(ENCODING) && hasSoundDrawnGlyphs(value, dict, file) ? null : refused(value),
  DescendantFonts: (value, dict, file) => {
    const instead = descendantsApart(value, dict, file);
    return instead === undefined ? null : { ...OTHERWISE, instead };
  },
  FontDescriptor: (value, dict, file) => {
    if (!(value instanceof PDFDict)) return refused(value);
    // pdf.js takes none of a font whose name is none.
    const called = file.entry(value, "FontName");
    if ((called !== undefined && !(called instanceof PDFName)) || hasDoubtfulProgram(value, dict, file))
      return refused(value);
    const ofSymbols = settledSymbols("FontDescriptor", value, dict, file);
    if (ofSymbols !== null) return ofSymbols;
    const settled = settledDescriptor(value, dict, file);
    if (settled !== undefined) return { ...OTHERWISE, instead: settled };
    if (isTakenForAnother(dict, file)) return { ...OTHERWISE, instead: value.clone() };
    // Of drawn glyphs Poppler heeds it, and that in print alone.
    if (file.nameEntry(dict, "Subtype") !== "Type3" || !value.has(MISSING_WIDTH)) return null;
    const instead = value.clone();
    instead.delete(MISSING_WIDTH);
    return { ...OTHERWISE, instead };
  },
} satisfies Record<string, Judge>;
