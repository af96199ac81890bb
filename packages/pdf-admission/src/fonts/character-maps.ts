import { LATIN_OF_TWO_BYTES } from "./latin-names.ts";

/** Which glyphs a TrueType program has for codes: it may say so several times, each time for other readers. */

const CODES = 256;
/** Where fonts of symbols have their codes in maps of many characters. */
const SYMBOLS = 0xf000;
const LAST_BEYOND = 0xf2ff;
const [UNICODE, MACINTOSH, MICROSOFT] = [0, 1, 3];
/** Kinds of Unicode that pdf.js looks into. */
const LOOKED_INTO = [0, 1, 3];
const MAX_MAPS = 32;
/** More than Unicode has blocks of, by far. */
const MAX_GROUPS = 65_536;

/** The glyphs of codes of one byte, 0 where there is none. */
export interface CharacterMap {
  platform: number;
  encoding: number;
  glyphs: Uint32Array;
  /** The same of where fonts of symbols have them. */
  symbols: Uint32Array;
  /** The same of where some readers look for them as well. */
  beyond: Uint32Array;
  /** The same of Latin characters of two bytes, by their numbers. */
  latin: Map<number, number>;
}

/** The maps that readers of PDFs look into; undefined where they would find different things in one. */
export const characterMapsOf = (table: Uint8Array | undefined): CharacterMap[] | undefined => {
  if (table === undefined || table.length === 0) return [];
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  try {
    const count = view.getUint16(2);
    if (count > MAX_MAPS) return undefined;
    const heads = Array.from({ length: count }, (_, index) => 4 + index * 8);
    return heads.flatMap((at) => {
      const [platform, encoding] = [view.getUint16(at), view.getUint16(at + 2)];
      const [glyphs, symbols, beyond] = [0, 1, 2].map(() => new Uint32Array(CODES)) as [
        Uint32Array,
        Uint32Array,
        Uint32Array,
      ];
      const map = { platform, encoding, glyphs, symbols, beyond, latin: new Map<number, number>() };
      return fill(map, view, view.getUint32(at + 4)) ? [map] : [];
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** Whether a map is of symbols alone. */
export const isMapOfSymbols = ({ platform, encoding }: CharacterMap): boolean =>
  platform === MICROSOFT && encoding === 0;

/** Whether a map is of the Macintosh's codes. */
export const isMapOfMacintosh = ({ platform, encoding }: CharacterMap): boolean =>
  platform === MACINTOSH && encoding === 0;

/** Whether every reader looks into a map for characters. */
export const isLookedInto = ({ platform, encoding }: CharacterMap): boolean =>
  (platform === UNICODE && LOOKED_INTO.includes(encoding)) ||
  (platform === MACINTOSH && encoding === 0) ||
  (platform === MICROSOFT && encoding === 1);

/** A form that says of characters how they are varied, and has none by itself. */
const OF_VARIANTS = 14;

/** False where it has no characters. Throws `RangeError` where it is broken, or in a form that only some readers know. */
const fill = (map: CharacterMap, view: DataView, offset: number): boolean => {
  const form = view.getUint16(offset);
  const read = forms[form];
  if (read === undefined && form !== OF_VARIANTS) throw new RangeError();
  if (leastLengths[form]?.(view, offset) === false) throw new RangeError();
  read?.(view, offset, map);
  if (map.platform !== MACINTOSH && !isMapOfSymbols(map)) map.symbols.fill(0);
  if (!isMapOfSymbols(map)) map.beyond.fill(0);
  return read !== undefined;
};

/** Takes glyphs from the first to the last of a row of codes, as far as they are of one byte. */
const take = (map: CharacterMap, first: number, last: number, glyphOf: (code: number) => number): void => {
  for (let code = first; code <= Math.min(last, CODES - 1); code += 1) map.glyphs[code] = glyphOf(code);
  for (let code = Math.max(first, SYMBOLS); code <= Math.min(last, SYMBOLS + CODES - 1); code += 1)
    map.symbols[code - SYMBOLS] = glyphOf(code);
  for (let code = Math.max(first, SYMBOLS + CODES); code <= Math.min(last, LAST_BEYOND); code += 1)
    map.beyond[code & (CODES - 1)] ||= glyphOf(code);
  for (const code of LATIN_OF_TWO_BYTES) if (code >= first && code <= last) map.latin.set(code, glyphOf(code));
};

/** Whether a map's own length is within the table and holds what it has to: FreeType takes none of another, others don't look. */
const leastLengths: Readonly<Record<number, (view: DataView, offset: number) => boolean>> = {
  0: (view, offset) => isOfLength(view, offset, view.getUint16(offset + 2), 6 + CODES),
  2: (view, offset) => isOfLength(view, offset, view.getUint16(offset + 2), 6 + CODES * 2),
  // What is beyond the table is cut off by all.
  4: (view, offset) => {
    const length = Math.min(view.getUint16(offset + 2), view.byteLength - offset);
    return isOfLength(view, offset, length, 16 + view.getUint16(offset + 6) * 4);
  },
  6: (view, offset) => isOfLength(view, offset, view.getUint16(offset + 2), 10 + view.getUint16(offset + 8) * 2),
  12: (view, offset) => isOfLength(view, offset, view.getUint32(offset + 4), 16 + view.getUint32(offset + 12) * 12),
};

const isOfLength = (view: DataView, offset: number, length: number, least: number): boolean =>
  length >= least && offset + length <= view.byteLength;

const forms: Readonly<Record<number, (view: DataView, offset: number, map: CharacterMap) => void>> = {
  0: (view, offset, map) => take(map, 0, CODES - 1, (code) => view.getUint8(offset + 6 + code)),
  2: (view, offset, map) => {
    const rows = offset + 6 + CODES * 2;
    const [first, count, delta, range] = [0, 2, 4, 6].map((at) => view.getUint16(rows + at)) as [
      number,
      number,
      number,
      number,
    ];
    // Other rows of codes of one byte pdf.js takes for this one.
    if (first !== 0 || count !== CODES || delta !== 0) throw new RangeError();
    take(map, 0, CODES - 1, (code) =>
      view.getUint16(offset + 6 + code * 2) === 0 ? view.getUint16(rows + 6 + range + code * 2) : 0,
    );
    for (let high = 1; high < CODES; high += 1) {
      const row = rows + view.getUint16(offset + 6 + high * 2);
      if (row === rows) continue;
      const start = high * CODES + view.getUint16(row);
      take(map, start, start + view.getUint16(row + 2) - 1, (code) => {
        const glyph = view.getUint16(row + 6 + view.getUint16(row + 6) + (code - start) * 2);
        return glyph === 0 ? 0 : (glyph + view.getUint16(row + 4)) & 0xffff;
      });
    }
  },
  4: (view, offset, map) => {
    const twice = view.getUint16(offset + 6);
    const [ends, starts] = [offset + 14, offset + 16 + twice];
    const [deltas, ranges] = [starts + twice, starts + 2 * twice];
    let before = -1;
    for (let at = 0; at < twice; at += 2) {
      const [start, end] = [view.getUint16(starts + at), view.getUint16(ends + at)];
      const [delta, range] = [view.getUint16(deltas + at), view.getUint16(ranges + at)];
      // Some readers look from the first, others from the middle.
      if (start <= before || end < start) throw new RangeError();
      before = end;
      if (end === 0xffff && start === 0xffff) continue;
      // FreeType takes no map in which one leads to no list of glyphs.
      const listed = ranges + at + range;
      const isList = listed >= ranges + twice && listed + (end - start + 1) * 2 <= view.byteLength;
      if (range % 2 === 1 || (range !== 0 && !isList)) throw new RangeError();
      take(map, start, end, (code) => {
        if (range === 0) return (code + delta) & 0xffff;
        const glyph = view.getUint16(listed + (code - start) * 2);
        return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
      });
    }
  },
  6: (view, offset, map) => {
    const [first, count] = [view.getUint16(offset + 6), view.getUint16(offset + 8)];
    take(map, first, first + count - 1, (code) => view.getUint16(offset + 10 + (code - first) * 2));
  },
  12: (view, offset, map) => {
    const count = view.getUint32(offset + 12);
    if (count > MAX_GROUPS) throw new RangeError();
    let before = -1;
    for (let at = offset + 16; at < offset + 16 + count * 12; at += 12) {
      const [start, end] = [view.getUint32(at), view.getUint32(at + 4)];
      if (start <= before || end < start) throw new RangeError();
      before = end;
      take(map, start, end, (code) => view.getUint32(at + 8) + code - start);
    }
  },
};
