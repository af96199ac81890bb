import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import type { PDFDict } from "pdf-lib";
import { agreedOfBorrowed, isBorrowed } from "./borrowed.ts";
import { borrowedSymbols } from "./borrowed-symbols.ts";
import { agreedOfProgram } from "./brought-codes.ts";
import { isMapped, type MappedCodes } from "./code-maps.ts";
import { drawnCodes } from "./drawn-glyphs.ts";
import { broughtCodes, type PairedCodes, pairedCodes } from "./paired-codes.ts";
import { FOLLOWED, shiftingOf } from "./shifting.ts";

const EVERY = Array.from({ length: 256 }, (_, code) => code);
/** All but letters and figures: in the place of a font of symbols that they lack, some readers show these. */
const AS_MARKS: ReadonlySet<number> = new Set(EVERY.filter((code) => !/[0-9A-Za-z]/.test(String.fromCharCode(code))));

/** What all readers show the same for, of a font that is brought along or not. */
export interface AgreedCodes {
  /** Codes of one byte, and beyond these those that may be followed by something; null for all. */
  codes: ReadonlySet<number> | null;
  /** Null for a font whose codes are not of two bytes each. */
  pairs: PairedCodes | null;
  /** Null for a font whose codes are all of one length. */
  mixed: readonly MappedCodes[] | null;
}

/** In Symbol, for which Poppler shows nothing. */
const EURO = 0xa0;

/** One font may be that of many pages. */
const known = new WeakMap<PDFDict, AgreedCodes>();

export const agreedCodes = (font: PDFDict, file: PdfFile): AgreedCodes => {
  const agreed = known.get(font) ?? {
    codes: withFollowed(codesOf(font, file), font, file),
    pairs: pairedCodes(font, file),
    mixed: mixedCodes(font, file),
  };
  known.set(font, agreed);
  return agreed;
};

const mixedCodes = (font: PDFDict, file: PdfFile): readonly MappedCodes[] | null => {
  const mapped = file.nameEntry(font, "Subtype") === "Type0" ? broughtCodes(font, file) : null;
  return mapped !== null && mapped.length > 1 ? mapped : null;
};

const withFollowed = (codes: ReadonlySet<number> | null, font: PDFDict, file: PdfFile) => {
  const shifting = shiftingOf(font, file).codes;
  if (codes === null && shifting.size === 0) return null;
  const followed = EVERY.filter((code) => !shifting.has(code)).map((code) => FOLLOWED + code);
  return new Set([...(codes ?? EVERY), ...followed]);
};

const codesOf = (font: PDFDict, file: PdfFile): ReadonlySet<number> | null => {
  const kind = file.nameEntry(font, "Subtype");
  if (kind === "Type3") return drawnCodes(font, file);
  const symbols = borrowedSymbols(font, file);
  if (symbols?.known === null) return AS_MARKS;
  const agreed = isBorrowed(font, file) ? agreedOfBorrowed(font, file) : agreedOfProgram(font, file);
  if (symbols?.known === "Symbol") return new Set(EVERY.filter((code) => code !== EURO && agreed?.has(code) !== false));
  const [mapped, ...others] = (kind === "Type0" && broughtCodes(font, file)) || [];
  if (mapped?.bytes !== 1 || others.length > 0) return agreed;
  return new Set(EVERY.filter((code) => isMapped(code, mapped) && agreed?.has(code) !== false));
};
