import { Damaged } from "@rubrica/pdf-reading/faults";
import { inflateStructure } from "@rubrica/pdf-reading/inflate";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { cffGlyphs } from "./cff.ts";
import {
  type CharacterMap,
  characterMapsOf,
  isLookedInto,
  isMapOfMacintosh,
  isMapOfSymbols,
} from "./character-maps.ts";
import { isBeyondToldBox } from "./font-box.ts";
import { isOwnEncoding, type NamedGlyphs } from "./named-glyphs.ts";
import { type Posted, postedNames } from "./posted-names.ts";
import { doubtfulIn, isCollection, isFirstBlank, isOfOneSize, isWithinTables, soundTables } from "./sfnt.ts";
import { type1Glyphs } from "./type1.ts";

/** Programs of fonts that a file brings along: what they hold decides which characters are seen. */

/** Of a font's descriptor, each for a program. */
export const PROGRAMS = ["FontFile", "FontFile2", "FontFile3"].map((name) => PDFName.of(name));
/** What programs begin with: TrueType twice, OpenType and a collection of them; Type 1 as text and in segments; CFF. */
const SFNT = /^(?:00010000|74727565|4f54544f|74746366)/;
const TYPE1 = /^(?:09|0a|0d|20)*2521|^8001/;
const COMPACT = /^01/;
/** Lists of glyphs' names: one of its own, or none. */
const NAMES = /^000[23]0000/;
const [WINDOWS, CHARACTERS] = [3, 1];
/** Kinds of fonts by the outlines that they have. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  trueType: ["TrueType", "CIDFontType2"],
  compact: ["Type1", "MMType1", "CIDFontType0"],
  openType: ["Type1", "MMType1", "CIDFontType0"],
  type1: ["Type1", "MMType1"],
};
export const SIMPLE: readonly (string | undefined)[] = ["Type1", "MMType1", "TrueType"];
/** Bits of a font's flags (ISO 32000-2, table 121). */
const [SYMBOLIC, NONSYMBOLIC] = [4, 32];

/** What is in a program. */
export interface Program {
  kind: keyof typeof KINDS;
  /** Whether simple fonts have one glyph for each code by it: of characters, and of symbols. */
  isPlain: { characters: boolean; symbols: boolean };
  /** Whether it has codes of its own alone, and some of them readers take otherwise where a font names an encoding. */
  hasOwnCodes: boolean;
  /** Where glyphs have names. */
  glyphs?: NamedGlyphs | undefined;
  /** Where characters are mapped to glyphs, and the names that these have beside. */
  maps?: readonly CharacterMap[] | undefined;
  posted?: Posted | undefined;
  /** Whether nothing is seen of the sign that there is no glyph. */
  hasBlankSign?: boolean;
  /** Glyphs that only some readers draw. */
  doubtful?: ReadonlySet<number> | undefined;
}
/** One program may be that of many fonts. Null: readers don't agree on what is in it. */
const known = new WeakMap<PDFDict, Program | null>();

/** One list may be that of many fonts. */
const lists = new WeakMap<PDFDict, number>();

/** Whether some readers take glyphs from a font's program that others don't: they take them from another font then. */
export const hasDoubtfulProgram = (descriptor: PDFDict, font: PDFDict, file: PdfFile): boolean => {
  const given = programEntry(descriptor, file);
  if (given === undefined) return false;
  const program = given === null ? null : programOf(given, file);
  const type = file.nameEntry(font, "Subtype") ?? "";
  if (program === null || KINDS[program.kind]?.includes(type) !== true) return true;
  const { kind, glyphs } = program;
  if (glyphs !== undefined && isBeyondToldBox(glyphs, kind, descriptor, file)) return true;
  if (isOfNumbersAlone(program) && !type.startsWith("CID")) return true;
  if (hasDoubtfulGlyphs(font, program, file) || hasDoubtfulCodes(font, program, descriptor, file)) return true;
  if (program.kind !== "trueType" || type !== "TrueType") return false;
  return (
    (program.doubtful?.size ?? 0) > 0 || !program.isPlain[isOfSymbols(descriptor, file) ? "symbols" : "characters"]
  );
};

/** A font's program; null where it has several, of which each reader takes another. */
export const programEntry = (descriptor: PDFDict, file: PdfFile): PDFObject | null | undefined => {
  const [given, ...others] = PROGRAMS.flatMap((name) => descriptor.get(name) ?? []).filter((value) =>
    file.resolve(value),
  );
  return others.length > 0 ? null : given;
};

/** Whether a font's codes are no characters that all fonts have. */
export const isOfSymbols = (descriptor: PDFDict, file: PdfFile): boolean =>
  ((file.numberEntry(descriptor, "Flags") ?? 0) & (SYMBOLIC | NONSYMBOLIC)) === SYMBOLIC;

/** Whether glyphs have numbers and no names, by which simple fonts find them. */
export const isOfNumbersAlone = ({ kind, glyphs }: Program): boolean =>
  (kind === "compact" || kind === "openType") && glyphs !== undefined && glyphs.numbered === undefined;

/** Whether a font maps characters to glyphs by a list that not all readers heed, or that ends within a glyph. */
const hasDoubtfulGlyphs = (font: PDFDict, { kind }: Program, file: PdfFile): boolean => {
  const listed = listedGlyphs(font, file);
  // Of an empty one some readers take characters' numbers for glyphs'.
  return listed !== undefined && (kind === "compact" || listed === 0 || !Number.isInteger(listed));
};

/** For how many characters a font lists glyphs; undefined where it does not. */
export const listedGlyphs = (font: PDFDict, file: PdfFile): number | undefined => {
  const given = listOf(font, file);
  const list = file.resolve(given);
  if (given === undefined || !(list instanceof PDFDict)) return undefined;
  const listed = lists.get(list) ?? (dataOf(given, file)?.length ?? 0) / 2;
  lists.set(list, listed);
  return listed;
};

const listOf = (font: PDFDict, file: PdfFile): PDFRef | undefined => {
  const given = font.get(PDFName.of("CIDToGIDMap"));
  return given instanceof PDFRef && file.resolve(given) instanceof PDFDict ? given : undefined;
};

/** The first character of a font whose glyph is among some; undefined where none is. */
export const firstWith = (glyphs: ReadonlySet<number>, font: PDFDict, file: PdfFile): number | undefined => {
  const given = listOf(font, file);
  if (given === undefined) return glyphs.size === 0 ? undefined : Math.min(...glyphs);
  const list = Buffer.from(dataOf(given, file) ?? []);
  for (let at = 0; glyphs.size > 0 && at + 1 < list.length; at += 2)
    if (glyphs.has(list.readUInt16BE(at))) return at / 2;
  return undefined;
};

/** Whether a font that is not of symbols says nothing of its codes: some readers go by its program then, others by the standard. */
const hasDoubtfulCodes = (font: PDFDict, { glyphs }: Program, descriptor: PDFDict, file: PdfFile): boolean =>
  glyphs !== undefined &&
  SIMPLE.includes(file.nameEntry(font, "Subtype")) &&
  file.entry(font, "Encoding") === undefined &&
  ((file.numberEntry(descriptor, "Flags") ?? 0) & SYMBOLIC) === 0 &&
  isOwnEncoding(glyphs);

/** What is in a font's program; null where readers don't agree on that. */
export const programOf = (given: PDFObject, file: PdfFile): Program | null => {
  const dict = file.resolve(given);
  if (!(given instanceof PDFRef && dict instanceof PDFDict)) return null;
  const program = known.has(dict) ? (known.get(dict) ?? null) : lookedInto(given, file);
  known.set(dict, program);
  return program;
};

const lookedInto = (given: PDFRef, file: PdfFile): Program | null => {
  const data = dataOf(given, file);
  if (data === undefined) return null;
  const start = Buffer.from(data.subarray(0, 16)).toString("hex");
  if (SFNT.test(start)) return ofTables(data);
  if (COMPACT.test(start)) return ofNames("compact", cffGlyphs(data));
  const said = file.numberEntry(file.resolve(given) as PDFDict, "Length1");
  return TYPE1.test(start) ? ofNames("type1", type1Glyphs(data, said)) : null;
};

/** In which characters have names. */
const ofNames = (kind: Program["kind"], glyphs: NamedGlyphs | undefined): Program | null =>
  glyphs === undefined ? null : { kind, glyphs, isPlain: { characters: true, symbols: true }, hasOwnCodes: false };

const ofTables = (data: Uint8Array): Program | null => {
  const tables = soundTables(data);
  if (tables === undefined) return null;
  const compact = tables.get("CFF ");
  if (compact !== undefined) {
    const glyphs = cffGlyphs(compact);
    const head = tables.get("head") as Uint8Array;
    // Poppler and PDFium take the numbers of characters for those of glyphs then.
    if (!glyphs || glyphs.isReordered) return null;
    const program = isOfOneSize(glyphs, head) && isWithinTables(glyphs, tables) ? ofNames("openType", glyphs) : null;
    return program && { ...program, maps: characterMapsOf(tables.get("cmap")) };
  }
  const doubtful = doubtfulIn(tables);
  if (doubtful === undefined) return null;
  const maps = isCollection(data) ? undefined : characterMapsOf(tables.get("cmap"));
  const post = tables.get("post");
  const hasNames = post?.[1] === 2;
  // Where a map is of Unicode alone pdf.js takes glyphs by the names of a list, unless the program says that it has none.
  const isByNames = post !== undefined && !NAMES.test(Buffer.from(post.subarray(0, 4)).toString("hex"));
  const isOfUnicode = (isSymbolic: boolean) => maps?.some((map) => isPreferred(map, isSymbolic)) === false;
  const isPlainFor = (isSymbolic: boolean) =>
    maps !== undefined &&
    (maps.length === 0 ? hasNames : !(isByNames && isOfUnicode(isSymbolic)) && !isReadOtherwise(maps, isSymbolic));
  const isPlain = { characters: isPlainFor(false), symbols: isPlainFor(true) };
  const hasOwnCodes = maps !== undefined && haveOwnCodes(maps);
  return {
    kind: "trueType",
    isPlain,
    hasOwnCodes,
    maps,
    posted: post && postedNames(post),
    hasBlankSign: isFirstBlank(tables),
    doubtful,
  };
};

/** Whether pdf.js looks into a map before those of Unicode; into those of symbols for fonts of symbols alone. */
const isPreferred = (map: CharacterMap, isSymbolic: boolean): boolean =>
  isMapOfMacintosh(map) ||
  (map.platform === WINDOWS && (map.encoding === CHARACTERS || (isSymbolic && isMapOfSymbols(map))));

/** Whether some reader takes another glyph, or none, for a code of maps that are of no characters. */
const haveOwnCodes = (maps: readonly CharacterMap[]): boolean => {
  if (maps.length === 0 || !maps.every((map) => isMapOfSymbols(map) || isMapOfMacintosh(map))) return false;
  for (let code = 0; code <= LAST_CODE; code += 1) {
    const glyphs = new Set(maps.map((map) => map.glyphs[code] || map.symbols[code] || 0));
    const isControl = code < FIRST_PRINTED - 1 && !CONTROLS.includes(code);
    if (glyphs.size > 1 || (isControl && !glyphs.has(0))) return true;
  }
  return false;
};

/** Undefined where it can't be read, or is compressed in a way that is not looked into. */
export const dataOf = ({ objectNumber }: PDFRef, file: PdfFile): Uint8Array | undefined => {
  try {
    const stream = file.streamData(objectNumber);
    if (stream === undefined) return undefined;
    const [filter, parameters] = ["Filter", "DecodeParms"].map((name) => {
      const value = file.entry(stream.dict, name);
      if (!(value instanceof PDFArray)) return value;
      if (value.size() > 1) throw new Damaged("a font is compressed more than once");
      return value.size() === 0 ? undefined : file.resolve(value.get(0));
    });
    const name = filter instanceof PDFName ? filter.decodeText() : undefined;
    return inflateStructure(stream.data, name, parameters instanceof PDFDict ? parameters : undefined, file.allowance);
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
};

/** Codes of characters that are seen, and are the same in all encodings. */
const [FIRST_PRINTED, LAST_PRINTED, LAST_CODE] = [0x21, 0x7e, 0xff];
/** What fonts of the Macintosh have glyphs for that are not seen. */
const CONTROLS: readonly number[] = [0x00, 0x08, 0x09, 0x0d, 0x1d];

/** Whether a code has two glyphs, by which of the maps a reader takes it from, or one for some readers only. */
const isReadOtherwise = (maps: readonly CharacterMap[], isSymbolic: boolean): boolean => {
  const [everywhere, ofSymbols] = [maps.filter(isLookedInto), isSymbolic ? maps.filter(isMapOfSymbols) : []];
  const isFound =
    everywhere.some(({ glyphs }) => glyphs.some(isGlyph)) ||
    ofSymbols.some(({ glyphs, symbols }) => glyphs.some(isGlyph) || symbols.some(isGlyph));
  if (!isFound) return true;
  for (let code = FIRST_PRINTED; code <= LAST_PRINTED; code += 1) {
    const plain = new Set(everywhere.map(({ glyphs }) => glyphs[code] ?? 0));
    const all = new Set([...plain, ...glyphsOf(maps, code)].filter(isGlyph));
    const found = [...plain, ...glyphsOf(ofSymbols, code)].some(isGlyph);
    if (plain.size > 1 || all.size > 1 || (all.size > 0 && (!found || isLackedBy(maps, code)))) return true;
  }
  return false;
};

/** Some readers look no further than into one of them, be it for other characters. */
const isLackedBy = (maps: readonly CharacterMap[], code: number): boolean =>
  maps.some((map) => !isMapOfSymbols(map) && !isGlyph(map.glyphs[code] ?? 0));

const isGlyph = (glyph: number): boolean => glyph !== 0;
const glyphsOf = (maps: readonly CharacterMap[], code: number): number[] =>
  maps.flatMap(({ glyphs, symbols }) => [glyphs[code] ?? 0, symbols[code] ?? 0]);
