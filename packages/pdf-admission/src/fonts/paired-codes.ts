import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, PDFRef } from "pdf-lib";
import { type MappedCodes, mappedCodes } from "./code-maps.ts";
import { dataOf, firstWith, listedGlyphs, type Program, programEntry, programOf } from "./programs.ts";

/** Fonts whose codes are of two bytes each (ISO 32000-2, 9.7.5). */
export interface PairedCodes {
  /** The last one that all readers find the same glyph by. */
  last: number;
  /** Those of a map that the file brings along; null where readers have the map themselves. */
  mapped: MappedCodes | null;
}

/** Maps that readers have themselves, all of whose codes are so. */
const PAIRED = /^(?:(?:Identity|Uni[A-Z]+-(?:UCS2(?:-HW)?|UTF16))-)?[HV]$/;
/** By these a code is the character's number in its font. */
const IDENTITY = /^Identity-[HV]$/;
const ENCODING = PDFName.of("Encoding");
const LAST = 0xffff;
const NONE: ReadonlySet<number> = new Set();
/** One map may be that of many fonts. */
const known = new WeakMap<PDFDict, readonly MappedCodes[] | null>();

/** Null for a font that has others. */
export const pairedCodes = (font: PDFDict, file: PdfFile): PairedCodes | null => {
  if (file.nameEntry(font, "Subtype") !== "Type0") return null;
  const encoding = file.entry(font, "Encoding");
  const isIdentity = encoding instanceof PDFName && IDENTITY.test(encoding.decodeText());
  // Which characters other maps lead to is not looked into.
  if (!isIdentity && (programIn(font, file)?.doubtful?.size ?? 0) > 0) return { last: -1, mapped: null };
  if (encoding instanceof PDFDict) {
    const [mapped, ...others] = broughtCodes(font, file) ?? [];
    return mapped?.bytes === 2 && others.length === 0 ? { last: LAST, mapped } : null;
  }
  const name = encoding instanceof PDFName ? encoding.decodeText() : "";
  if (!PAIRED.test(name)) return null;
  return { last: isIdentity ? lastListed(font, file) : LAST, mapped: null };
};

const descendantOf = (font: PDFDict, file: PdfFile): PDFDict | undefined => {
  const descendant = file.resolve(file.arrayEntry(font, "DescendantFonts")?.asArray()[0]);
  return descendant instanceof PDFDict ? descendant : undefined;
};

const programIn = (font: PDFDict, file: PdfFile): Program | null => {
  const descriptor = file.dictEntry(descendantOf(font, file), "FontDescriptor");
  const given = descriptor && programEntry(descriptor, file);
  return given ? programOf(given, file) : null;
};

/**
 * Of a character beyond a list of glyphs some readers take its number for the glyph's, others show nothing; of one beyond the
 * glyphs of CFF pdf.js shows a sign.
 */
const lastListed = (font: PDFDict, file: PdfFile): number => {
  const descendant = descendantOf(font, file);
  if (descendant === undefined) return LAST;
  const program = programIn(font, file);
  const listed = listedGlyphs(descendant, file) ?? program?.glyphs?.numbered ?? LAST + 1;
  return Math.min(listed, firstWith(program?.doubtful ?? NONE, descendant, file) ?? listed) - 1;
};

/** The codes of the map that a file brings along for a font, by their lengths; null where there is none. */
export const broughtCodes = (font: PDFDict, file: PdfFile): readonly MappedCodes[] | null => {
  const given = font.get(ENCODING);
  const map = file.resolve(given);
  if (!(given instanceof PDFRef && map instanceof PDFDict)) return null;
  const found = known.get(map);
  if (found !== undefined) return found;
  const data = dataOf(given, file);
  const mapped = data === undefined ? null : mappedCodes(data);
  known.set(map, mapped);
  return mapped;
};
