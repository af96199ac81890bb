import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFObject, PDFRef, PDFString } from "pdf-lib";
import { borrowedSymbols, isAmong } from "./borrowed-symbols.ts";
import { isPlainCodeMap } from "./code-maps.ts";
import { isFigure, isInAllFonts, isListed } from "./latin-names.ts";
import { fallsBack } from "./named-glyphs.ts";
import { dataOf, isOfSymbols, programEntry, programOf } from "./programs.ts";

/** What fonts say of their codes: readers find a glyph by its name, or by its code, each in its own way. */

/** Names that some readers take for a character's number, or for a variant of it, and others do not. */
const MISREAD = /^(?:uni[\dA-F]{4,}|\d+|[A-Za-z]{1,5}\d+|u[\dA-F]{4,6}|[^.]+\..+)$/;
/** Some readers pass over blanks in a name. */
const UNPRINTABLE = /[^!-~]/;
/** Names by the number of a character, which all readers find in TrueType. */
const BY_NUMBER = /^(?:uni[\dA-F]{4}|u[\dA-F]{4,6})$/;
const NO_CHARACTER = /^(?:space|\.notdef)$/;
/** Small capitals and old figures, which some readers do not have in it. */
const EXPERT = "MacExpertEncoding";
/** Maps of codes that readers have themselves (ISO 32000-2, table 116): PDFium and MuPDF have these, and no others. */
const PREDEFINED = new RegExp(
  "^(?:(?:Identity|GB-EUC|GBpc-EUC|GBKp?-EUC|GBK2K|Uni(?:GB|CNS|JIS|KS)-(?:UCS2|UTF16)|B5pc|HKscs-B5|ET(?:en|enms)-B5|" +
    "CNS-EUC|90msp?-RKSJ|Add-RKSJ|EUC|Ext-RKSJ|UniJIS-UCS2-HW|KSC-EUC|KSCms-UHC(?:-HW)?)-)?[HV]$|" +
    "^(?:83pv-RKSJ|90pv-RKSJ|KSCpc-EUC)-H$",
);
/** Collections of characters that have numbers of their own (table 116), and maps to these by their names. */
const collections: Readonly<Record<string, RegExp>> = {
  GB1: /^(?:GB|UniGB)/,
  CNS1: /^(?:B5|HK|ET|CNS|UniCNS)/,
  Japan1: /^(?:83|90|Add|EUC|Ext|UniJIS|[HV]$)/,
  Korea1: /^(?:KSC|UniKS)/,
};
/** Fonts of letters, in whose place pdf.js has one of its own, where it takes characters' numbers for those of its glyphs. */
const OF_LETTERS =
  /Arial|Helvetica|Courier|Times|Calibri|Century|Comic|Symbol|Dingbats|Wingdings|Tahoma|Verdana|Trebuchet|Impact|Segoe|Lucida|Georgia/i;
const CODES = 256;
const [ENCODING, BASE_ENCODING] = names("Encoding", "BaseEncoding");

/** Whether readers show other characters of a font than others do, by what it says of its encoding. */
export const isEncodedOtherwise = (encoding: PDFObject, font: PDFDict, file: PdfFile): boolean => {
  const kind = file.nameEntry(font, "Subtype");
  if (kind === "Type0") {
    if (isOfOwnNumbers(font, encoding, file)) return true;
    return encoding instanceof PDFName ? !PREDEFINED.test(encoding.decodeText()) : !isPlain(encoding, font, file);
  }
  if (!font.has(PDFName.of("BaseFont")) && !font.has(PDFName.of("Widths"))) return false;
  const base = encoding instanceof PDFName ? encoding.decodeText() : file.nameEntry(asDict(encoding), "BaseEncoding");
  if (base === EXPERT) return true;
  const differences = file.entry(asDict(encoding), "Differences");
  if (differences === undefined || kind === "Type3") return false;
  const named = namesIn(differences, file);
  return named === undefined || areMisread(named, font, file);
};

/** What a font says of its codes, without the name of a list for one that has codes of its own: some readers heed such lists, others do not. */
export const settledEncoding = (font: PDFDict, file: PdfFile): PDFObject | undefined => {
  const given = font.get(ENCODING);
  if (!hasOwnCodes(font, file)) return given;
  const encoding = file.resolve(given);
  if (encoding instanceof PDFName) return undefined;
  if (!(encoding instanceof PDFDict && encoding.has(BASE_ENCODING))) return given;
  const settled = encoding.clone();
  settled.delete(BASE_ENCODING);
  return settled;
};

const hasOwnCodes = (font: PDFDict, file: PdfFile): boolean => {
  const descriptor = file.dictEntry(font, "FontDescriptor");
  const program = descriptor && programEntry(descriptor, file);
  if (!descriptor || !program) return (borrowedSymbols(font, file)?.known ?? null) !== null;
  return isOfSymbols(descriptor, file) && programOf(program, file)?.hasOwnCodes === true;
};

/** A code, and the name that it is given. */
export type Named = readonly [code: number, name: string];

const asDict = (value: PDFObject): PDFDict | undefined => (value instanceof PDFDict ? value : undefined);

/** Undefined where a list is not of codes and names alone: some readers go on counting, others do not. */
export const namesIn = (differences: PDFObject | undefined, file: PdfFile): Named[] | undefined => {
  if (!(differences instanceof PDFArray)) return undefined;
  const items = differences.asArray().map((given) => file.resolve(given));
  const isCode = (item: PDFObject | undefined) =>
    item instanceof PDFNumber && Number.isInteger(item.asNumber()) && item.asNumber() >= 0 && item.asNumber() < CODES;
  if (items.length > 0 && !isCode(items[0])) return undefined;
  if (!items.every((item) => item instanceof PDFName || isCode(item))) return undefined;
  let next = 0;
  return items.flatMap((item): Named[] => {
    if (item instanceof PDFName) return [[next++, item.decodeText()]];
    next = item instanceof PDFNumber ? item.asNumber() : next;
    return [];
  });
};

const areMisread = (named: readonly Named[], font: PDFDict, file: PdfFile): boolean => {
  const descriptor = file.dictEntry(font, "FontDescriptor");
  const program = descriptor && programEntry(descriptor, file);
  if (descriptor && program) return areMisreadIn(program, named, isOfSymbols(descriptor, file), file);
  const symbols = borrowedSymbols(font, file)?.known ?? null;
  if (symbols !== null) return named.some(([, name]) => !isAmong(symbols, name) && !NO_CHARACTER.test(name));
  return named.some(([code, name]) => hidesFigure(code, name) || isMisread(name));
};

/** A name that fonts do not have, for a code of a figure: some readers show the figure, others nothing. */
const hidesFigure = (code: number, name: string): boolean =>
  isFigure(code) && !isInAllFonts(name) && !NO_CHARACTER.test(name);

const isMisread = (name: string) => (MISREAD.test(name) && !isListed(name)) || UNPRINTABLE.test(name);

const areMisreadIn = (given: PDFObject, named: readonly Named[], isSymbolic: boolean, file: PdfFile): boolean => {
  const program = programOf(given, file);
  // It is refused by itself.
  if (program === null) return false;
  const { glyphs } = program;
  if (glyphs !== undefined) return named.some(([code, name]) => fallsBack(code, name, glyphs));
  return named.length > 0 && (isSymbolic || named.some(([, name]) => isMisread(name) && !BY_NUMBER.test(name)));
};

/**
 * Whether a font takes characters by the numbers of glyphs in a font that the file does not bring along: each reader shows
 * what its own font has there. Collections say which character a number is; by a map to another one PDFium finds glyphs
 * also in a font that is brought along, where others find none.
 */
const isOfOwnNumbers = (font: PDFDict, encoding: PDFObject, file: PdfFile): boolean => {
  const descendants = file.arrayEntry(font, "DescendantFonts");
  const descendant = descendants?.size() === 1 ? file.resolve(descendants.get(0)) : undefined;
  // Some readers take another one then, or none.
  if (!(descendant instanceof PDFDict) || !isOfToldCollection(descendant, file)) return true;
  const descriptor = file.dictEntry(descendant, "FontDescriptor");
  const name = encoding instanceof PDFName ? encoding.decodeText() : "";
  const isOfCollection = PREDEFINED.test(name) && !name.startsWith("Identity");
  const isBorrowed = descriptor === undefined || programEntry(descriptor, file) === undefined;
  if (!isBorrowed && !isOfCollection) return false;
  if (isBorrowed && isOfLetters(font, descendant, descriptor, file)) return true;
  const info = file.dictEntry(descendant, "CIDSystemInfo");
  const [registry, ordering] = ["Registry", "Ordering"].map((name) => textOf(file.entry(info, name)));
  const maps = registry === "Adobe" && ordering !== undefined ? collections[ordering] : undefined;
  if (maps === undefined) return true;
  return isOfCollection && !maps.test(name);
};

/** Whether a font says of which collection its characters are: Poppler takes none of one that does not. */
const isOfToldCollection = (descendant: PDFDict, file: PdfFile): boolean => {
  const info = file.dictEntry(descendant, "CIDSystemInfo");
  const isText = (name: string) => textOf(file.entry(info, name)) !== undefined;
  return isText("Registry") && isText("Ordering") && file.entry(info, "Supplement") instanceof PDFNumber;
};

/** Whether a composite font is called as one of letters, or brings a list of glyphs along for another one's. */
const isOfLetters = (font: PDFDict, descendant: PDFDict, descriptor: PDFDict | undefined, file: PdfFile): boolean => {
  const names = [font, descendant].map((one) => file.nameEntry(one, "BaseFont"));
  const called = [...names, file.nameEntry(descriptor, "FontName")].map((name) => name?.replaceAll(" ", "") ?? "");
  return called.some((name) => OF_LETTERS.test(name)) || file.dictEntry(descendant, "CIDToGIDMap") !== undefined;
};

/** Whether a font is a composite one that the file does not bring along: pdf.js shows what its list of characters (`ToUnicode`) says, others do not look. */
export const isBorrowedComposite = (font: PDFDict, file: PdfFile): boolean => {
  const descendant = file.resolve(file.arrayEntry(font, "DescendantFonts")?.asArray()[0]);
  if (file.nameEntry(font, "Subtype") !== "Type0" || !(descendant instanceof PDFDict)) return false;
  const descriptor = file.dictEntry(descendant, "FontDescriptor");
  return descriptor === undefined || programEntry(descriptor, file) === undefined;
};

const textOf = (value: PDFObject | undefined): string | undefined =>
  value instanceof PDFString || value instanceof PDFHexString ? value.decodeText() : undefined;

/** One map may be that of many fonts. */
const plainMaps = new WeakMap<PDFDict, boolean>();

/** Whether a map of codes that a file brings along is read alike. */
const isPlain = (map: PDFObject, font: PDFDict, file: PdfFile): boolean => {
  const given = font.get(ENCODING);
  if (!(given instanceof PDFRef && map instanceof PDFDict) || map.has(PDFName.of("UseCMap"))) return false;
  const isKnown = plainMaps.get(map);
  if (isKnown !== undefined) return isKnown;
  const data = dataOf(given, file);
  const isPlainMap = data !== undefined && isPlainCodeMap(data, file.numberEntry(map, "WMode"));
  plainMaps.set(map, isPlainMap);
  return isPlainMap;
};
