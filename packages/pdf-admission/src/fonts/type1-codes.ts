import { isInComment, NAME } from "./type1-words.ts";

/** The codes that a program of Type 1 gives its glyphs in its clear part (Adobe Type 1 Font Format, 2.2). */

const listedBy = (pattern: string, flags: string): RegExp =>
  new RegExp(pattern.replaceAll("_", String.raw`[ \t\r\n]`).replaceAll("NAME", NAME), flags);
/** What all readers take an encoding from: a list that they have, or a list that is written out. */
const ENCODING = listedBy(
  String.raw`/Encoding_+(?:StandardEncoding_+|(?<size>\d+)_+array_+` +
    String.raw`(?:0_+1_+\d+_*\{_*1_+index_+exch_*/\.notdef_+put_*\}_*for_+)?` +
    String.raw`(?<listed>(?:dup_+\d+_*/NAME_+put_+)*))(?:readonly_+)?def_`,
  "y",
);
const LISTED = listedBy(String.raw`dup_+(\d+)_*/(NAME)`, "g");
const [FIRST_CHARACTER, CODES] = [32, 256];

/** What Poppler finds a list by, and takes of it: the start of a line among the first ones, and lines that are not long. */
const OF_POPPLER = "/Encoding 256 array";
const [MOST_LINES_BEFORE, MOST_LINES, LONGEST_LINE] = [100, 300, 253];
const LINE_END = /\r\n|\r|\n/;
const LINE_OF_CODES = new RegExp(String.raw`^[ \t]*(?:dup[ \t]+\d+[ \t]*/${NAME}[ \t]+put[ \t]*)*$`);
const MAYBE_LISTED = /dup[ \t\r\n]*\d/g;

/** Names by codes, and whether some readers pass over them. */
export interface Type1Codes {
  codes: ReadonlyMap<number, string>;
  areOverlooked: boolean;
}

/**
 * The only list that all readers find, of two that they take as one the first; else undefined. Each looks for it in the
 * text in its own way, also in comments.
 */
export const type1Codes = (clear: string): Type1Codes | undefined => {
  const places = [...clear.matchAll(/\/Encoding/g)].map(({ index }) => index);
  const found = places.map((place) => {
    ENCODING.lastIndex = place;
    return ENCODING.exec(clear);
  });
  const [first, second, ...others] = found;
  if (!first || found.includes(null) || others.length > 0) return undefined;
  const listed = [...(first.groups?.listed ?? "").matchAll(LISTED)];
  const codes = new Map(listed.map(([, code, name = ""]) => [Number(code), name]));
  // FreeType takes no program with codes beyond its list, or beyond one byte.
  const size = Number(first.groups?.size ?? CODES);
  if (size > CODES || [...codes.keys()].some((code) => code >= size)) return undefined;
  // Of a code that is there twice some readers take the first name, others the last one.
  if (codes.size < listed.length) return undefined;
  // As macOS writes it: a list without characters, and the standard one.
  const isStandard = second?.groups?.listed === undefined && ![...codes.keys()].some((code) => code >= FIRST_CHARACTER);
  if ((second && !isStandard) || isInComment(clear, first.index)) return undefined;
  return { codes, areOverlooked: codes.size > 0 && !isInLines(clear, first, listed.length) };
};

/** Whether Poppler finds all of a list, which it reads line by line, and no other codes behind it. */
const isInLines = (clear: string, { 0: whole, index, groups = {} }: RegExpExecArray, count: number): boolean => {
  const { listed = "" } = groups;
  const [before, head, rows] = [clear.slice(0, index), whole.slice(0, whole.indexOf(listed)), listed].map((text) =>
    text.split(LINE_END),
  ) as [string[], string[], string[]];
  const isFound = before.length <= MOST_LINES_BEFORE && before.at(-1) === "" && whole.startsWith(OF_POPPLER);
  const isOfLines = head.length > 1 && /^[ \t]*$/.test(head.at(-1) as string) && rows.every(isLineOfCodes);
  const [, ...lines] = whole.split(LINE_END);
  const areFew = lines.length < MOST_LINES && lines.every(({ length }) => length <= LONGEST_LINE);
  return isFound && isOfLines && areFew && clear.match(MAYBE_LISTED)?.length === count;
};

const isLineOfCodes = (line: string): boolean => LINE_OF_CODES.test(line);
