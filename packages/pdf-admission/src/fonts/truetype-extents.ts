import { MOST_POINTS } from "./outline-pen.ts";
import { around, moved, type Sides } from "./sides.ts";
import type { GlyphTables } from "./truetype-glyphs.ts";

/** How far outlines of TrueType reach, by their points (ISO/IEC 14496-22, 5.3.3.1); what glyphs say of it some readers pass over. */

const HEAD_BYTES = 10;
const EVERYWHERE: Sides = [
  Number.NEGATIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
];
/** Bits of a point: its places are in bytes, it stands there again, its places are above zero, or those of the one before. */
const [SHORT, AGAIN, ABOVE] = [[2, 4], 8, [16, 32]] as const;
/** Bits of a part: its place is in words, its scale is one number, another part follows, it is two numbers, or four. */
const [IN_WORDS, SCALED, GOES_ON, SCALED_TWICE, TURNED] = [1, 8, 0x20, 0x40, 0x80];
const FIXED = 0x4000;

/** Where the points of a program's glyphs are. */
export class Extents {
  readonly #tables: GlyphTables;
  readonly #known = new Map<number, Sides | undefined>();
  readonly #broken = new Set<number>();
  readonly #points = new Map<number, number>();

  constructor(tables: GlyphTables) {
    this.#tables = tables;
  }

  /** Of a glyph whose parts are finite; undefined where it has no outline, or its data end within it. */
  of(glyph: number): Sides | undefined {
    const known = this.#known.get(glyph);
    if (known !== undefined || this.#known.has(glyph)) return known;
    const [start, end] = [this.#tables.places[glyph] as number, this.#tables.places[glyph + 1] as number];
    const view = new DataView(this.#tables.glyf.buffer, this.#tables.glyf.byteOffset + start, end - start);
    const found = end - start < HEAD_BYTES ? undefined : this.#in(view, glyph);
    this.#known.set(glyph, found);
    return found;
  }

  /** Whether a glyph's data end within it, or tell its points in no order. */
  isBroken(glyph: number): boolean {
    this.of(glyph);
    return this.#broken.has(glyph);
  }

  /** Whether a glyph has more points than readers draw, its parts' together. */
  isTooLarge(glyph: number): boolean {
    this.of(glyph);
    return (this.#points.get(glyph) ?? 0) > MOST_POINTS;
  }

  #in(view: DataView, glyph: number): Sides | undefined {
    try {
      const outlines = view.getInt16(0);
      if (outlines > 0) this.#points.set(glyph, view.getUint16(HEAD_BYTES + outlines * 2 - 2) + 1);
      return outlines < 0 ? this.#together(view, glyph) : outlines === 0 ? undefined : sidesOfPoints(view, outlines);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#broken.add(glyph);
      return undefined;
    }
  }

  /** Of what is turned, a box around the box is taken. */
  #together(glyph: DataView, number: number): Sides | undefined {
    const all: Sides[] = [];
    let points = 0;
    for (let [at, flags] = [HEAD_BYTES, GOES_ON]; (flags & GOES_ON) !== 0; ) {
      flags = glyph.getUint16(at);
      const part = this.of(glyph.getUint16(at + 2));
      points += this.#points.get(glyph.getUint16(at + 2)) ?? 0;
      const isLong = (flags & IN_WORDS) !== 0;
      const [x, y] = isLong
        ? [glyph.getInt16(at + 4), glyph.getInt16(at + 6)]
        : [glyph.getInt8(at + 4), glyph.getInt8(at + 5)];
      at += isLong ? 8 : 6;
      const count = flags & SCALED ? 1 : flags & SCALED_TWICE ? 2 : flags & TURNED ? 4 : 0;
      const given = Array.from({ length: count }, (_, index) => glyph.getInt16(at + index * 2) / FIXED);
      at += count * 2;
      const [a = 1, b = 0, c = 0, d = a] = count === 2 ? [given[0], 0, 0, given[1]] : given;
      if (part !== undefined) all.push(moved(part, [a, b, c, d, x, y]));
    }
    this.#points.set(number, points);
    return around(all);
  }
}

const sidesOfPoints = (glyph: DataView, outlines: number): Sides | undefined => {
  const endsAt = HEAD_BYTES + outlines * 2;
  for (let at = HEAD_BYTES; at + 2 < endsAt; at += 2)
    if (glyph.getUint16(at) > glyph.getUint16(at + 2)) throw new RangeError();
  const count = glyph.getUint16(endsAt - 2) + 1;
  if (count > MOST_POINTS) throw new RangeError();
  // Each that stands elsewhere than the one before takes a byte; more of them take no room, and time.
  if (count > glyph.byteLength) return EVERYWHERE;
  const flags = new Uint8Array(count);
  let at = endsAt + 2 + glyph.getUint16(endsAt);
  for (let point = 0; point < count; ) {
    const flag = glyph.getUint8(at);
    at += 1;
    let times = 1;
    if ((flag & AGAIN) !== 0) {
      times += glyph.getUint8(at);
      at += 1;
    }
    if (point + times > count) throw new RangeError();
    flags.fill(flag, point, point + times);
    point += times;
  }
  const across = rangeAt(glyph, at, flags, 0);
  const up = rangeAt(glyph, across.end, flags, 1);
  return [across.least, up.least, across.most, up.most];
};

/** The least and the most of what points say in one direction, of which each is told by the one before. */
const rangeAt = (glyph: DataView, start: number, flags: Uint8Array, direction: 0 | 1) => {
  const [short, above] = [SHORT[direction], ABOVE[direction]];
  let [at, place, least, most] = [start, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const flag of flags) {
    if ((flag & short) !== 0) {
      place += (flag & above) !== 0 ? glyph.getUint8(at) : -glyph.getUint8(at);
      at += 1;
    } else if ((flag & above) === 0) {
      place += glyph.getInt16(at);
      at += 2;
    }
    if (place < least) least = place;
    if (place > most) most = place;
  }
  return { end: at, least, most };
};
