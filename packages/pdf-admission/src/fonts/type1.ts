import { drawsNothing } from "./blank-glyphs.ts";
import { isUsualBox, isWithinBox, saidBox } from "./font-box.ts";
import { isSoundScale, UNIT, unitsBy } from "./font-matrix.ts";
import { areAllDrawn, type GoneThrough, reachOf, Steps } from "./glyph-programs.ts";
import type { NamedGlyphs } from "./named-glyphs.ts";
import { OutlinePen } from "./outline-pen.ts";
import { moved } from "./sides.ts";
import { endOfType1 } from "./type1-outlines.ts";
import { isPlainClear, isPlainHidden } from "./type1-words.ts";

/** Programs of fonts in the Type 1 format (Adobe Type 1 Font Format): text, and a part of it that is encrypted. */

const EEXEC = "eexec";
const [KEY, GLYPH_KEY, FACTOR, ADDEND] = [55_665, 4_330, 52_845, 22_719];
const RANDOM_BYTES = 4;
/** How many random bytes glyphs begin with, where it is another number; below zero: they are not encrypted. */
const RANDOM_OF_GLYPHS = /\/lenIV\s+(-?\d+)/;
const NO_GLYPH = ".notdef";
const SEGMENT = 0x80;
const SEGMENT_HEAD_BYTES = 6;
const isHex = (byte: number | undefined): boolean => byte !== undefined && /[\da-fA-F]/.test(String.fromCharCode(byte));
/** A list of glyphs, and how many there are at most. */
const GLYPHS = /\s+(\d+)\s+dict\s+dup\s+begin(?=\s)/y;
/** A glyph: its name, its length, and what says that its bytes follow a blank. */
const GLYPH = /\s*\/([^\s/()<>[\]{}%]+)\s+(\d+)\s+(?:RD|-\|) /y;
const AFTER_GLYPH = /\s*(ND|\|-|(?=\/|end\b))(?=[\s/]|end\b)/y;

/** A routine: its number, its length, and what says that its bytes follow a blank. */
const ROUTINE = /\s*dup\s+(\d+)\s+(\d+)\s+(?:RD|-\|) /y;
const ROUTINES = /\/Subrs\s+(\d+)\s+array\b/g;
/** One word, or two that pdf.js knows. */
const AFTER_ROUTINE = /\s*(noaccess\s+put|(?!noaccess|readonly)[^\s/]+)(?=\s)/y;

/** What all readers take an encoding from: a list that they have, or a list that is written out. */
const ENCODING =
  /\/Encoding\s+(?:StandardEncoding\s+|(?<size>\d+)\s+array\s+(?:0\s+1\s+\d+\s*\{\s*1\s+index\s+exch\s*\/\.notdef\s+put\s*\}\s*for\s+)?(?<listed>(?:dup\s+\d+\s*\/[^\s/()<>[\]{}%]+\s+put\s+)*))(?:readonly\s+)?def\s/y;
const LISTED = /dup\s+(\d+)\s*\/([^\s/]+)/g;
const [FIRST_CHARACTER, CODES] = [32, 256];

/** What follows the last glyph. */
const END = /^\s*end\b[\s\x20-\x7e]*?closefile/;

const MATRIX = /\/FontMatrix\s*[[{]([^\]}]*)[\]}]/g;

const BOX = /\/FontBBox\s*[[{]([^\]}]*)[\]}]/g;

/** The glyphs of a program with one encoding and one list of them, of which each ends where it says; else undefined. */
export const type1Glyphs = (given: Uint8Array): NamedGlyphs | undefined => {
  const data = unsegmented(given);
  if (data === undefined) return undefined;
  const text = Buffer.from(data).toString("latin1");
  const begin = text.indexOf(EEXEC);
  const codes = begin < 0 ? undefined : encodingIn(text.slice(0, begin));
  if (codes === undefined || !isOfOneScale(text.slice(0, begin)) || !hasUsualBox(text)) return undefined;
  const hidden = Buffer.from(decrypted(data, begin + EEXEC.length)).toString("latin1");
  const lists = hidden.split("/CharStrings");
  if (lists.length !== 2) return undefined;
  const start = (lists[0] as string).length;
  const found = glyphsIn(hidden, start + "/CharStrings".length);
  const listed = routinesIn(lists[0] as string);
  if (found === undefined || listed === undefined) return undefined;
  const { glyphs, behind } = found;
  const { routines } = listed;
  if (!isPlainClear(text.slice(0, begin)) || !isPlainHidden(listed.words, behind)) return undefined;
  const random = Number(RANDOM_OF_GLYPHS.exec(hidden)?.[1] ?? RANDOM_BYTES);
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
  const [reach, boxes] = [reachOf(gone.values(), goneOf), numbersIn(text, BOX)];
  const [across, up] = unitsBy(numbersIn(text.slice(0, begin), MATRIX)[0]);
  if (!areAllDrawn(gone.values(), goneOf) || !boxes.every((box) => isWithinBox(reach, box, across))) return undefined;
  const sign = outlines.get(NO_GLYPH);
  const hasBlankSign = sign === undefined || drawsNothing(sign);
  const size = {
    reach: reach && moved(reach, [across, 0, 0, up, 0, 0]),
    unit: across,
    box: saidBox(boxes.length > 0 ? boxes.flat() : undefined),
  };
  return { names: new Set(glyphs.keys()), codes, hasOthers: false, hasBlankSign, ...size };
};

const hasUsualBox = (text: string): boolean => numbersIn(text, BOX).every((box) => isUsualBox(box, UNIT));

const numbersIn = (text: string, list: RegExp): number[][] =>
  [...text.matchAll(list)].map(([, numbers = ""]) => numbers.trim().split(/\s+/).map(Number));

/** Whether a program says how large its glyphs are, as all readers take it. */
const isOfOneScale = (clear: string): boolean => {
  const found = numbersIn(clear, MATRIX);
  return found.length > 0 && found.every((matrix) => isSoundScale(matrix));
};

/** Readers look for it in the text, each in its own way, also in comments; of two some take the first one. */
const encodingIn = (clear: string): Map<number, string> | undefined => {
  const places = [...clear.matchAll(/\/Encoding/g)].map(({ index }) => index);
  const found = places.map((place) => {
    ENCODING.lastIndex = place;
    return ENCODING.exec(clear);
  });
  const [first, second, ...others] = found;
  if (first === undefined || found.includes(null) || others.length > 0) return undefined;
  const listed = [...(first?.groups?.listed ?? "").matchAll(LISTED)];
  const codes = new Map(listed.map(([, code, name = ""]) => [Number(code), name]));
  // FreeType takes no program with codes beyond its list, or beyond one byte.
  const size = Number(first?.groups?.size ?? CODES);
  if (size > CODES || [...codes.keys()].some((code) => code >= size)) return undefined;
  // As macOS writes it: a list without characters, and the standard one.
  const isStandard = second?.groups?.listed === undefined && ![...codes.keys()].some((code) => code >= FIRST_CHARACTER);
  return (second && !isStandard) || isInComment(clear, places[0] ?? 0) ? undefined : codes;
};

const isInComment = (text: string, at: number): boolean =>
  /%[^\r\n]*$/.test(text.slice(Math.max(text.lastIndexOf("\n", at), text.lastIndexOf("\r", at), 0), at));

/** Routines by their numbers, and the words without them; undefined where there are two lists, or more in one than it says. */
const routinesIn = (hidden: string): { routines: Map<number, Uint8Array>; words: string } | undefined => {
  const routines = new Map<number, Uint8Array>();
  const [list, ...others] = hidden.matchAll(ROUTINES);
  if (others.length > 0 || hidden.split("/Subrs").length > (list === undefined ? 1 : 2)) return undefined;
  if (list === undefined) return { routines, words: hidden };
  const first = list.index + list[0].length;
  const endings = new Set<string>();
  for (let at = first; endings.size <= 1; ) {
    ROUTINE.lastIndex = at;
    const [, number, length] = ROUTINE.exec(hidden) ?? [];
    if (length === undefined) return { routines, words: `${hidden.slice(0, first)} ${hidden.slice(at)}` };
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

/** Without the heads that its parts have in files of printers. */
const unsegmented = (data: Uint8Array): Uint8Array | undefined => {
  if (data[0] !== SEGMENT) return data;
  const parts: Uint8Array[] = [];
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; data[at] === SEGMENT && data[at + 1] !== 3; ) {
    if (at + SEGMENT_HEAD_BYTES > data.length) return undefined;
    const start = at + SEGMENT_HEAD_BYTES;
    at = start + view.getUint32(at + 2, true);
    parts.push(data.subarray(start, at));
  }
  return Buffer.concat(parts);
};

const decrypted = (data: Uint8Array, after: number): Uint8Array => {
  let start = after;
  while (start < data.length && [0x20, 0x09, 0x0d, 0x0a].includes(data[start] ?? 0)) start += 1;
  const isText = [0, 1, 2, 3].every((index) => isHex(data[start + index]));
  const cipher = isText
    ? Buffer.from(Buffer.from(data.subarray(start)).toString("latin1").replace(/\s+/g, ""), "hex")
    : data.subarray(start);
  return plainOf(cipher, KEY).subarray(RANDOM_BYTES);
};

const plainOf = (cipher: Uint8Array, first: number): Uint8Array => {
  const plain = new Uint8Array(cipher.length);
  let key = first;
  for (let at = 0; at < cipher.length; at += 1) {
    const byte = cipher[at] ?? 0;
    plain[at] = byte ^ (key >> 8);
    key = ((byte + key) * FACTOR + ADDEND) & 0xffff;
  }
  return plain;
};
