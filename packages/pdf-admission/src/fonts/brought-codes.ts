import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName } from "pdf-lib";
import { type CharacterMap, isLookedInto, isMapOfSymbols } from "./character-maps.ts";
import { namesIn } from "./encodings.ts";
import {
  BY_NUMBER,
  charactersNamed,
  isMappedTo,
  isNamedThere,
  isThere,
  listedCharacters,
  numberNamed,
} from "./glyphs-there.ts";
import { isLatin, isListed } from "./latin-names.ts";
import { ASCII_NAMES, type NamedGlyphs, standardName } from "./named-glyphs.ts";
import { isOfNumbersAlone, isOfSymbols, type Program, programEntry, programOf, SIMPLE } from "./programs.ts";

/** Codes of fonts that a file brings along: for some, readers show each another glyph of the program, or none. */

const [FIRST, LAST, CODES] = [0x21, 0x7e, 256];
const [SPACE, SYMBOLIC, NONSYMBOLIC] = [0x20, 4, 32];
/** Lists of names by codes that all readers have alike, and what these two call other than the standard one does. */
const NAMED_LISTS = /^(?:WinAnsi|MacRoman)Encoding$/;
const OWN_NAMES: ReadonlyMap<number, string> = new Map([
  [0x27, "quotesingle"],
  [0x60, "grave"],
]);
/** What stands for nothing that is seen. */
const BLANK = /^(?:space|nbspace|nonbreakingspace|sfthyphen|softhyphen|\.notdef|\.null|nonmarkingreturn|uni00[2A]0)$/;
const ascii = new Set(ASCII_NAMES);
/** As Turkish fonts have it. */
const WITH_DOT = /^[A-Za-z]dot$/;
const UNICODE = 0;
const NO_CHARACTER = ".notdef";
const asciiCodes: ReadonlyMap<string, number> = new Map([
  ...ASCII_NAMES.map((name, index): [string, number] => [name, SPACE + index]).filter(
    ([, code]) => !OWN_NAMES.has(code),
  ),
  ...[...OWN_NAMES].map(([code, name]): [string, number] => [name, code]),
]);

/** What a font says of its codes. */
interface Said {
  isNothing: boolean;
  list: string | undefined;
  names: ReadonlyMap<number, string>;
  isSymbolic: boolean;
  /** Whether some readers go by codes, whatever it names, and whether all go by names. */
  isOfBoth: boolean;
  isOfNames: boolean;
}

/** The codes for which all readers show the same glyph of a simple font's program; null for all. */
export const agreedOfProgram = (font: PDFDict, file: PdfFile): ReadonlySet<number> | null => {
  const descriptor = file.dictEntry(font, "FontDescriptor");
  const given = descriptor && programEntry(descriptor, file);
  if (!descriptor || !given || !SIMPLE.includes(file.nameEntry(font, "Subtype"))) return null;
  const program = programOf(given, file);
  // It is refused by itself.
  if (program === null) return null;
  const said = saidOf(font, descriptor, file);
  const { glyphs } = program;
  const isAgreed = glyphs
    ? (code: number) => isNamed(code, said, glyphs, program.maps)
    : (code: number) => isMapped(code, said, program);
  if (isOfNumbersAlone(program)) return null;
  const codes = Array.from({ length: CODES }, (_, code) => code).filter(isAgreed);
  return codes.length === CODES ? null : new Set(codes);
};

const saidOf = (font: PDFDict, descriptor: PDFDict, file: PdfFile): Said => {
  const encoding = file.entry(font, "Encoding");
  const given = encoding instanceof PDFDict ? encoding : undefined;
  const list = encoding instanceof PDFName ? encoding.decodeText() : file.nameEntry(given, "BaseEncoding");
  const names = new Map(namesIn(file.entry(given, "Differences"), file) ?? []);
  const flags = file.numberEntry(descriptor, "Flags") ?? 0;
  const isSymbolic = isOfSymbols(descriptor, file);
  return {
    isNothing: encoding === undefined,
    list,
    names,
    isSymbolic,
    isOfBoth: (flags & SYMBOLIC) !== 0,
    isOfNames: (flags & NONSYMBOLIC) !== 0,
  };
};

const isPrinted = (code: number): boolean => code >= FIRST && code <= LAST;
const asciiName = (code: number): string | undefined => ASCII_NAMES[code - SPACE];

/** Of a program whose glyphs have names. */
const isNamed = (code: number, said: Said, glyphs: NamedGlyphs, maps: readonly CharacterMap[] = []): boolean => {
  const isOfList = NAMED_LISTS.test(said.list ?? "");
  const name = said.names.get(code) ?? (isOfList ? (OWN_NAMES.get(code) ?? asciiName(code)) : undefined);
  if (name !== undefined) return isFound(code, name, glyphs);
  // What these lists call other codes is not known here.
  if (isOfList) return code > LAST || glyphs.hasBlankSign;
  const isOwn = glyphs.codes.has(code) || (glyphs.codes.size > 0 && said.list === undefined && code !== SPACE);
  const own = isOwn ? glyphs.codes.get(code) : standardName(code);
  const isThere = isSeen(own, glyphs) || (own === "" && glyphs.hasOthers);
  // In fonts of symbols PDFium goes by the maps that OpenType has beside its outlines.
  if (said.isOfBoth && maps.some((map) => glyphIn(map, code) !== (glyphs.numbers?.get(own ?? "") ?? 0))) return false;
  if (glyphs.areOverlooked && own !== standardName(code))
    return glyphs.hasBlankSign && !isThere && !isSeen(standardName(code), glyphs);
  if (!isPrinted(code)) return isThere || glyphs.hasBlankSign;
  // Some readers go by the program's own codes, others by the standard ones.
  const isByProgram = said.isNothing || (said.isSymbolic && said.list === undefined);
  if (isByProgram || own === asciiName(code)) return isThere;
  return glyphs.hasBlankSign && !isThere && !isSeen(asciiName(code), glyphs);
};

const glyphIn = (map: CharacterMap, code: number): number => map.glyphs[code] || map.symbols[code] || 0;

const isSeen = (name: string | undefined, { names }: NamedGlyphs): boolean =>
  name !== undefined && name !== NO_CHARACTER && names.has(name);

/** Whether a program has the glyph of a name, or no reader another one for its code. */
const isFound = (code: number, name: string, glyphs: NamedGlyphs): boolean => {
  if (isSeen(name, glyphs)) return true;
  if (glyphs.hasOthers && !ascii.has(name) && !BLANK.test(name) && !BY_NUMBER.test(name)) return true;
  const others = [glyphs.codes.get(code), asciiName(code)].filter((one) => one !== name);
  if (!glyphs.hasBlankSign) return false;
  return BLANK.test(name) && !isPrinted(code) && !others.some((one) => isSeen(one, glyphs));
};

/** Of a program that maps characters to glyphs. */
const isMapped = (code: number, said: Said, program: Program): boolean => {
  const given = said.names.get(code);
  if (given === undefined && !isPrinted(code))
    return showsNothing(program) || isThere(code, listedCharacters(code, said.list), program);
  // PDFium heeds names only of a font that says whether it is of symbols.
  if (given !== undefined && said.list === undefined && !said.isOfBoth && !said.isOfNames) return false;
  const { maps = [] } = program;
  const posted = program.posted?.names;
  const isOfSeveral = (name: string) => program.posted?.ofSeveral.has(name) === true;
  const name = given ?? OWN_NAMES.get(code) ?? asciiName(code) ?? "";
  const isOfList = NAMED_LISTS.test(said.list ?? "");
  if (maps.length === 0) {
    const isTold = (given !== undefined || isOfList) && (said.names.size === 0 || said.isOfNames);
    return isTold && posted?.has(name) === true && !isOfSeveral(name);
  }
  const hasGlyph = maps.some((map) => [map.glyphs, map.symbols, map.beyond].some((glyphs) => (glyphs[code] ?? 0) > 0));
  if (BLANK.test(name)) return !isPrinted(code) && isBlank(name, hasGlyph, program);
  const character = characterOf(name);
  if (character === undefined)
    return (
      !said.isOfBoth &&
      !(isPrinted(code) && hasGlyph) &&
      isOfOthers(name, code, maps, isOfSeveral(name) ? undefined : posted) &&
      (showsNothing(program) || isNamedThere(name, code, program))
    );
  const isNowhere = !hasGlyph && !posted?.has(name) && maps.every(({ glyphs }) => glyphs[character] === 0);
  if (isNowhere && showsNothing(program)) return true;
  if (character !== code && said.isOfBoth) return false;
  // Maps of symbols are not looked into then.
  const isByNames = isOfList && !said.isOfBoth && maps.some((map) => isLookedInto(map) && map.platform !== UNICODE);
  const glyph = glyphOf(code, character, maps, isByNames);
  return glyph !== undefined && [undefined, glyph].includes(posted?.get(name));
};

/** Whether nothing is seen of what stands for nothing: readers show the glyph of that name, of the code, or the sign for none. */
const isBlank = (name: string, hasGlyph: boolean, program: Program): boolean =>
  isMappedTo(charactersNamed(name), program) || (showsNothing(program) && !hasGlyph);

/** Whether no reader shows something for what the maps lack: some take glyphs by names that others do not know. */
const showsNothing = ({ hasBlankSign, posted }: Program): boolean =>
  hasBlankSign === true && posted?.isDoubtful !== true;

/** The glyph of a character that all readers take, be it by the code that stands for it; undefined where there is none. */
const glyphOf = (
  code: number,
  character: number,
  maps: readonly CharacterMap[],
  isByNames: boolean,
): number | undefined => {
  const looked = maps.filter(isLookedInto);
  const ofSymbols = maps.filter(isMapOfSymbols);
  const found = new Set(looked.map(({ glyphs }) => glyphs[character] ?? 0));
  for (const { glyphs, symbols } of ofSymbols) {
    const glyph = glyphs[code] || symbols[code] || 0;
    if (glyph !== 0 || !isByNames) found.add(glyph);
  }
  if (character === code) for (const { beyond } of ofSymbols) if (beyond[code]) found.add(beyond[code] as number);
  const [glyph = 0] = found;
  return found.size === 1 && glyph !== 0 ? glyph : undefined;
};

const characterOf = (name: string): number | undefined => {
  const number = numberNamed(name) ?? asciiCodes.get(name);
  return number !== undefined && number <= LAST ? number : undefined;
};

/** Whether a name beyond ASCII is one that readers find a character by, or a glyph. */
const isOfOthers = (
  name: string,
  code: number,
  maps: readonly CharacterMap[],
  posted: ReadonlyMap<string, number> | undefined,
): boolean => {
  if (posted?.has(name)) return true;
  const looked = maps.filter(isLookedInto);
  // Of these pdf.js goes by the code alone.
  const isOfUnicode = looked.every(({ platform }) => platform === UNICODE);
  if (isOfUnicode && !(code > LAST && looked.some(({ glyphs }) => glyphs[code] !== 0))) return false;
  return isLatin(name) || isListed(name) || WITH_DOT.test(name) || BY_NUMBER.test(name);
};
