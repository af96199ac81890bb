import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, PDFNumber } from "pdf-lib";
import { namesIn } from "./encodings.ts";
import { isCyrillic, isFigure, isFigureName, isLatin } from "./latin-names.ts";
import { isOfSymbols, programEntry } from "./programs.ts";

/** Fonts that a file does not bring along: each reader has its own, and finds a character for other codes in it. */

const SIMPLE: readonly (string | undefined)[] = ["Type1", "MMType1", "TrueType"];
const WIN_ANSI = PDFName.of("WinAnsiEncoding");
/** They have codes of their own. */
const OF_SYMBOLS = /Symbol|Dingbats/;
const [FIRST_PRINTED, LAST_PRINTED, FIRST_BEYOND, CODES] = [0x20, 0x7e, 0x80, 256];
/** A tab, and ends of lines. */
const BLANK: readonly number[] = [0x09, 0x0a, 0x0d];
const SPACES: readonly number[] = [0x20, 0xa0];
const every = Array.from({ length: CODES }, (_, code) => code);
/** In thousandths of the size of text: figures of condensed fonts have some 400. */
const [LEAST_OF_FIGURES, LEAST] = [250, 100];
/** Codes that an encoding does not have, or for whose characters not all readers have a glyph. */
const doubtful: Readonly<Record<string, readonly number[]>> = {
  WinAnsiEncoding: [0x81, 0x8d, 0x8f, 0x90, 0x9d],
  MacRomanEncoding: [
    ...[0xad, 0xb0, 0xb2, 0xb3, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xbd, 0xc3, 0xc5, 0xc6],
    ...[0xd7, 0xdb, 0xde, 0xdf, 0xf0],
  ],
};

/** Codes of the standard encoding beyond ASCII, which fonts of Type 1 have where nothing else is said. */
const standard: readonly number[] = [
  ...[0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf, 0xb1, 0xb2, 0xb3, 0xb4],
  ...[0xb6, 0xb7, 0xb8, 0xba, 0xbb, 0xbc, 0xbd, 0xbf, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xca, 0xcb, 0xcd],
  ...[0xce, 0xcf, 0xd0, 0xe1, 0xe3, 0xe8, 0xe9, 0xea, 0xeb, 0xf1, 0xf5, 0xf8, 0xf9, 0xfa, 0xfb],
];

/** Whether a font is one of text that the file does not bring along. */
export const isBorrowed = (font: PDFDict, file: PdfFile): boolean => {
  const descriptor = file.dictEntry(font, "FontDescriptor");
  const hasNoProgram = descriptor === undefined || programEntry(descriptor, file) === undefined;
  const isOfText = !OF_SYMBOLS.test(file.nameEntry(font, "BaseFont") ?? "");
  return SIMPLE.includes(file.nameEntry(font, "Subtype")) && hasNoProgram && isOfText;
};

/** Names in whose place pdf.js has a font in TrueType. */
const IN_TRUETYPE = /Arial|Helvetica/i;
const FLAGS = PDFName.of("Flags");
const [OF_OWN_SYMBOLS, OF_LETTERS] = [0x4, 0x20];

/**
 * What such a font's descriptor is to say, where it says that it is of symbols and the font names characters by its
 * encoding: pdf.js heeds none of these names then, as with a font that is brought along. Undefined where nothing is to change.
 */
export const settledDescriptor = (descriptor: PDFDict, font: PDFDict, file: PdfFile): PDFDict | undefined => {
  const called = [file.nameEntry(font, "BaseFont"), file.nameEntry(descriptor, "FontName")];
  const isInTrueType = called.some((name) => IN_TRUETYPE.test(name?.replaceAll(" ", "") ?? ""));
  if (!isInTrueType || !isBorrowed(font, file) || file.entry(font, "Encoding") === undefined) return undefined;
  const flags = file.numberEntry(descriptor, "Flags") ?? 0;
  if ((flags & OF_OWN_SYMBOLS) === 0) return undefined;
  const settled = descriptor.clone();
  settled.set(FLAGS, PDFNumber.of((flags & ~OF_OWN_SYMBOLS) | OF_LETTERS));
  return settled;
};

/** The codes for which all readers show the same character of such a font; null for all. */
export const agreedOfBorrowed = (font: PDFDict, file: PdfFile): ReadonlySet<number> | null => {
  const descriptor = file.dictEntry(font, "FontDescriptor");
  const encoding = file.entry(font, "Encoding");
  const given = encoding instanceof PDFDict ? encoding : undefined;
  const base = encoding instanceof PDFName ? encoding.decodeText() : file.nameEntry(given, "BaseEncoding");
  const named = namesIn(file.entry(given, "Differences"), file) ?? [];
  const narrow = narrowCodes(font, new Map(named), file);
  // Those of a font that all readers have are known in it, down to what is no character.
  if (descriptor === undefined && encoding === WIN_ANSI)
    return narrow.length > 0 ? new Set(every.filter((code) => !narrow.includes(code))) : null;
  const codes = new Set(BLANK);
  for (let code = FIRST_PRINTED; code <= LAST_PRINTED; code += 1) codes.add(code);
  const without = doubtful[base ?? ""];
  // PDFium heeds it, others take it for none.
  const isOfText = base === "PDFDocEncoding";
  const isStandard = file.nameEntry(font, "Subtype") === "Type1" && !(descriptor && isOfSymbols(descriptor, file));
  for (let code = FIRST_BEYOND; code < CODES; code += 1)
    if (without ? !without.includes(code) : isStandard && !isOfText && standard.includes(code)) codes.add(code);
  for (const [code, name] of named) {
    if (isLatin(name) || isCyrillic(name)) codes.add(code);
    else codes.delete(code);
  }
  for (const code of narrow) codes.delete(code);
  return codes;
};

/** Codes that a font says are so narrow that some readers squeeze their characters into a line; others show them as they are. */
const narrowCodes = (font: PDFDict, names: ReadonlyMap<number, string>, file: PdfFile): number[] => {
  const first = file.numberEntry(font, "FirstChar") ?? 0;
  const widths = file.arrayEntry(font, "Widths")?.asArray() ?? [];
  const missing = file.entry(file.dictEntry(font, "FontDescriptor"), "MissingWidth");
  return every.filter((code) => {
    const width = file.resolve(widths[code - first]) ?? missing;
    const least = isFigure(code) || isFigureName(names.get(code)) ? LEAST_OF_FIGURES : LEAST;
    const isNarrow = width instanceof PDFNumber && width.asNumber() > 0 && width.asNumber() < least;
    return isNarrow && !SPACES.includes(code);
  });
};
