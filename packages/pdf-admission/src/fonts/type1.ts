import { drawsNothing } from "./blank-glyphs.ts";
import { isUsualBox, isWithinBox, saidBox } from "./font-box.ts";
import { isSoundScale, UNIT, unitsBy } from "./font-matrix.ts";
import { areAllDrawn, type GoneThrough, reachOf, Steps } from "./glyph-programs.ts";
import type { NamedGlyphs } from "./named-glyphs.ts";
import { OutlinePen } from "./outline-pen.ts";
import { moved } from "./sides.ts";
import { type1Codes } from "./type1-codes.ts";
import { endOfType1 } from "./type1-outlines.ts";
import { plainOf, type1Parts } from "./type1-parts.ts";
import { isInComment, isPlainClear, isPlainHidden, leadingBytes, NAME } from "./type1-words.ts";

/** Programs of fonts in the Type 1 format (Adobe Type 1 Font Format): text, and a part of it that is encrypted. */

const GLYPH_KEY = 4_330;
const NO_GLYPH = ".notdef";
/** A list of glyphs, and how many there are at most. */
const GLYPHS = /[ \t\r\n]+(\d+)[ \t\r\n]+dict[ \t\r\n]+dup[ \t\r\n]+begin(?=[ \t\r\n])/y;
/** A glyph: its name, its length, and what says that its bytes follow a blank. */
const GLYPH = new RegExp(String.raw`[ \t\r\n]*/(${NAME})[ \t\r\n]+(\d+)[ \t\r\n]+(?:RD|-\|) `, "y");
const AFTER_GLYPH = /[ \t\r\n]*(ND|\|-|(?=\/|end\b))(?=[ \t\r\n/]|end\b)/y;

/** A routine: its number, its length, and what says that its bytes follow a blank. */
const ROUTINE = /[ \t\r\n]*dup[ \t\r\n]+(\d+)[ \t\r\n]+(\d+)[ \t\r\n]+(?:RD|-\|) /y;
const ROUTINES = /\/Subrs[ \t\r\n]+(\d+)[ \t\r\n]+array\b/g;
/** One word, or two that pdf.js knows. */
const AFTER_ROUTINE =
  /[ \t\r\n]*(noaccess[ \t\r\n]+put|(?!noaccess|readonly)(?:(?![()<>[\]{}/%])[!-~\u0080-\u00ff])+)(?=[ \t\r\n])/y;

const UNREAD = /dup[ \t\r\n]+\d+[ \t\r\n]+(\d+)[ \t\r\n]+(?:RD|-\|) /g;

/** What follows the last glyph. */
const END = /^[ \t\r\n]*end\b[\t\r\n -~]*?closefile/;

const MATRIX = /\/FontMatrix[ \t\r\n]*[[{]([^\]}]*)[\]}]/g;

const BOX = /\/FontBBox[ \t\r\n]*[[{]([^\]}]*)[\]}]/g;

/**
 * The glyphs of a program with one encoding and one list of them, of which each ends where it says; else undefined.
 * @param said how many bytes the file says that the clear part of it has
 */
export const type1Glyphs = (given: Uint8Array, said?: number): NamedGlyphs | undefined => {
  const parts = type1Parts(given, said);
  const found = parts && type1Codes(parts.clear);
  if (!parts || !found || !isOfOneScale(parts.clear) || !hasUsualBox(parts.clear)) return undefined;
  const { clear, hidden } = parts;
  const lists = hidden.split("/CharStrings");
  if (lists.length !== 2) return undefined;
  const [before] = lists as [string];
  const drawn = glyphsIn(hidden, before.length + "/CharStrings".length);
  const listed = routinesIn(before);
  if (!drawn || !listed || isInComment(listed.words, listed.words.length)) return undefined;
  const { glyphs, behind } = drawn;
  const { routines } = listed;
  if (!isPlainClear(clear) || !isPlainHidden(listed.words, behind)) return undefined;
  const random = leadingBytes(listed);
  if (random === undefined) return undefined;
  const isCut = (one: Uint8Array) => one.length < random;
  if ([...glyphs.values(), ...routines.values()].some(isCut)) return undefined;
  const plain = <Key>(data: ReadonlyMap<Key, Uint8Array>) =>
    new Map([...data].map(([name, one]) => [name, random < 0 ? one : plainOf(one, GLYPH_KEY).subarray(random)]));
  const outlines = plain(glyphs);
  const steps = new Steps(given.length);
  const plainRoutines = plain(routines);
  const gone = new Map(
    [...outlines].map(([name, outline]): [string, GoneThrough] => {
      const pen = new OutlinePen();
      return [name, { end: endOfType1(outline, plainRoutines, steps, pen), pen }];
    }),
  );
  const goneOf = (name: string) => gone.get(name);
  const [reach, boxes] = [reachOf(gone.values(), goneOf), numbersIn(clear, BOX)];
  const [across, up] = unitsBy(numbersIn(clear, MATRIX)[0]);
  if (!areAllDrawn(gone.values(), goneOf) || !boxes.every((box) => isWithinBox(reach, box, across))) return undefined;
  const sign = outlines.get(NO_GLYPH);
  const hasBlankSign = sign === undefined || drawsNothing(sign);
  const size = {
    reach: reach && moved(reach, [across, 0, 0, up, 0, 0]),
    unit: across,
    box: saidBox(boxes.length > 0 ? boxes.flat() : undefined),
  };
  return { names: new Set(glyphs.keys()), ...found, hasOthers: false, hasBlankSign, ...size };
};

const hasUsualBox = (text: string): boolean => numbersIn(text, BOX).every((box) => isUsualBox(box, UNIT));

const numbersIn = (text: string, list: RegExp): number[][] =>
  [...text.matchAll(list)].map(([, numbers = ""]) =>
    numbers
      .trim()
      .split(/[ \t\r\n]+/)
      .map(Number),
  );

/** Whether a program says how large its glyphs are, as all readers take it. */
const isOfOneScale = (clear: string): boolean => {
  const found = numbersIn(clear, MATRIX);
  // Of two cairo takes the first one for the widths.
  return found.length === 1 && isSoundScale(found[0]);
};

/** Routines by their numbers, the words without them, and of these how many stand before them. */
interface Listed {
  routines: Map<number, Uint8Array>;
  words: string;
  first: number;
}

/** Routines by their numbers, and the words without them; undefined where there are two lists, or more in one than it says. */
const routinesIn = (hidden: string): Listed | undefined => {
  const routines = new Map<number, Uint8Array>();
  const [list, ...others] = hidden.matchAll(ROUTINES);
  if (others.length > 0 || hidden.split("/Subrs").length > (list === undefined ? 1 : 2)) return undefined;
  if (list === undefined) return { routines, words: hidden, first: hidden.length };
  const first = list.index + list[0].length;
  if (isInComment(hidden, list.index)) return undefined;
  const endings = new Set<string>();
  for (let at = first; endings.size <= 1; ) {
    ROUTINE.lastIndex = at;
    const [, number, length] = ROUTINE.exec(hidden) ?? [];
    if (length === undefined) {
      const behind = withoutUnread(hidden.slice(at));
      return behind === undefined ? undefined : { routines, words: `${hidden.slice(0, first)} ${behind}`, first };
    }
    const start = ROUTINE.lastIndex;
    const end = start + Number(length);
    if (Number(number) >= Number(list[1]) || routines.has(Number(number)) || end > hidden.length) return undefined;
    routines.set(Number(number), Buffer.from(hidden.slice(start, end), "latin1"));
    AFTER_ROUTINE.lastIndex = end;
    const [ended, ending = ""] = AFTER_ROUTINE.exec(hidden) ?? [];
    if (ended === undefined) return undefined;
    endings.add(ending);
    at = end + ended.length;
  }
  return undefined;
};

/**
 * What stands behind a list of routines that ends early, since one is longer than it says, without the bytes of further
 * ones, which FreeType passes over; undefined where others see something in these.
 */
const withoutUnread = (behind: string): string | undefined => {
  let words = "";
  let at = 0;
  for (const { 0: found, 1: length, index } of behind.matchAll(UNREAD)) {
    if (index < at) continue;
    const start = index + found.length;
    const end = start + Number(length);
    if (/[/%]/.test(behind.slice(start, end))) return undefined;
    words += behind.slice(at, index);
    at = end;
  }
  return words + behind.slice(at);
};

/** By their names, and what stands behind them. */
const glyphsIn = (hidden: string, from: number): { glyphs: Map<string, Uint8Array>; behind: string } | undefined => {
  GLYPHS.lastIndex = from;
  const most = Number(GLYPHS.exec(hidden)?.[1] ?? 0);
  const glyphs = new Map<string, Uint8Array>();
  const endings = new Set<string>();
  for (let at = GLYPHS.lastIndex; glyphs.size <= most; ) {
    GLYPH.lastIndex = at;
    const [, name = "", length] = GLYPH.exec(hidden) ?? [];
    if (length === undefined) {
      const end = END.exec(hidden.slice(at, at + 600))?.[0];
      // What cairo takes for the end of the first one it takes for that of all.
      return endings.size === 1 && end !== undefined ? { glyphs, behind: end } : undefined;
    }
    const start = GLYPH.lastIndex;
    const end = start + Number(length);
    if (end > hidden.length || glyphs.has(name)) return undefined;
    glyphs.set(name, Buffer.from(hidden.slice(start, end), "latin1"));
    AFTER_GLYPH.lastIndex = end;
    const [ended, ending = ""] = AFTER_GLYPH.exec(hidden) ?? [];
    if (ended === undefined) return undefined;
    endings.add(ending);
    at = end + ended.length;
  }
  return undefined;
};
