/** Glyphs of TrueType as a program has them in its tables (ISO/IEC 14496-22, 5.3.3): outlines, and glyphs made of others. */

import { isWithinBox } from "./font-box.ts";
import { Extents } from "./truetype-extents.ts";

/** FreeType, which most readers draw with, takes no font of other units, and another one in its place. */
const [LEAST_UNITS, MOST_UNITS] = [16, 16_384];
const HEAD_BYTES = 10;
/** So far may a glyph stand from where the list of widths says, of which pdf.js knows nothing where it draws by itself. */
const MOST_ASIDE = 0.1;
/** Bits of what is said of a part (table `glyf`): its place is in words, in numbers, ... */
const [IN_WORDS, IN_NUMBERS, SCALED, GOES_ON, SCALED_TWICE, TURNED, PLACE_SCALED] = [1, 2, 8, 0x20, 0x40, 0x80, 0x800];
const [MAX_DEPTH, MAX_PARTS] = [8, 256];

export interface GlyphTables {
  unitsPerEm: number;
  /** What the program says that all of its glyphs are within. */
  box: readonly number[];
  /** What Poppler prints of each. */
  room: readonly number[];
  count: number;
  /** Where each glyph begins, and where the last one ends. */
  places: readonly number[];
  glyf: DataView;
  hmtx: DataView;
  /** How many glyphs have a width of their own. */
  wide: number;
}

/**
 * The glyphs that only some readers draw; undefined where not all others are drawn alike and in the same place by every
 * reader.
 */
export const doubtfulGlyphs = (tables: GlyphTables): ReadonlySet<number> | undefined => {
  const { unitsPerEm, count, places, wide } = tables;
  if (unitsPerEm < LEAST_UNITS || unitsPerEm > MOST_UNITS || wide === 0) return undefined;
  const extents = new Extents(tables);
  const parts = new Map<number, readonly number[]>();
  const doubtful = new Set<number>();
  for (let glyph = 0; glyph < count; glyph += 1) {
    const [start, end] = [places[glyph] as number, places[glyph + 1] as number];
    if (end - start < HEAD_BYTES) continue;
    const outlines = tables.glyf.getInt16(start);
    // pdf.js draws nothing of such a glyph; of a broken one Poppler prints what it draws nothing of on screen.
    if (outlines < -1 || (outlines >= 0 && extents.isBroken(glyph))) {
      doubtful.add(glyph);
      continue;
    }
    const found = outlines < 0 ? partsAt(tables, start, end) : [];
    if (found === undefined || !isPlacedWell(tables, glyph, start)) return undefined;
    if (found.length > 0) parts.set(glyph, found);
  }
  const isMadeOfDoubtful = [...parts.values()].some((some) => some.some((part) => doubtful.has(part)));
  if (isMadeOfDoubtful || !areFinite(parts) || beyond(tables.box, tables, extents).length > 0) return undefined;
  const tooLarge = [...parts.keys()].filter((glyph) => extents.isTooLarge(glyph));
  return new Set([...doubtful, ...tooLarge, ...beyond(tables.room, tables, extents)]);
};

/** The glyphs, of which none is made of itself, that go beyond a box. */
const beyond = (box: readonly number[], { count, unitsPerEm }: GlyphTables, extents: Extents): number[] =>
  Array.from({ length: count }, (_, glyph) => glyph).filter(
    (glyph) => !isWithinBox(extents.of(glyph), box, 1 / unitsPerEm),
  );

/** Whether a glyph's box is one, and begins where the list of widths says. */
const isPlacedWell = ({ glyf, hmtx, wide, unitsPerEm }: GlyphTables, glyph: number, start: number): boolean => {
  const [left, bottom, right, top] = [2, 4, 6, 8].map((at) => glyf.getInt16(start + at)) as [
    number,
    number,
    number,
    number,
  ];
  const at = glyph < wide ? glyph * 4 + 2 : wide * 4 + (glyph - wide) * 2;
  // Of glyphs that the list does not reach readers take zero.
  const side = at + 2 <= hmtx.byteLength ? hmtx.getInt16(at) : 0;
  return left <= right && bottom <= top && Math.abs(side - left) <= unitsPerEm * MOST_ASIDE;
};

/** The glyphs that one is made of; undefined where some are not there, or readers place them in several ways. */
const partsAt = ({ glyf, count }: GlyphTables, start: number, end: number): number[] | undefined => {
  const parts: number[] = [];
  let flags = GOES_ON;
  for (let at = start + HEAD_BYTES; (flags & GOES_ON) !== 0; ) {
    if (at + 4 > end) return undefined;
    flags = glyf.getUint16(at);
    const part = glyf.getUint16(at + 2);
    // Places by the numbers of points, or in the scale of a part, pdf.js takes for others where it draws by itself.
    if (part >= count || (flags & IN_NUMBERS) === 0 || (flags & PLACE_SCALED) !== 0) return undefined;
    parts.push(part);
    const scale = flags & SCALED ? 2 : flags & SCALED_TWICE ? 4 : flags & TURNED ? 8 : 0;
    at += 4 + (flags & IN_WORDS ? 4 : 2) + scale;
    if (at > end) return undefined;
  }
  return parts;
};

/** Whether glyphs that are made of others are of a few in the end, and none of itself: some readers then draw a part of it, others nothing. */
const areFinite = (parts: ReadonlyMap<number, readonly number[]>): boolean => {
  const sizes = new Map<number, number>();
  const sizeOf = (glyph: number, depth: number): number => {
    const known = sizes.get(glyph);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
    const own = parts.get(glyph);
    let size = 1;
    for (const part of own ?? []) {
      size += sizeOf(part, depth + 1);
      if (size > MAX_PARTS) return Number.POSITIVE_INFINITY;
    }
    sizes.set(glyph, size);
    return size;
  };
  return [...parts.keys()].every((glyph) => sizeOf(glyph, 0) <= MAX_PARTS);
};
