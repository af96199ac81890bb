import { characterMapsOf } from "./character-maps.ts";
import { isUsualBox, isWithinBox } from "./font-box.ts";
import type { NamedGlyphs } from "./named-glyphs.ts";
import { doubtfulGlyphs } from "./truetype-glyphs.ts";

/** Programs of fonts as TrueType and OpenType have them: tables in a directory (ISO/IEC 14496-22). */

const ENTRY_BYTES = 16;
const HEAD_BYTES = 12;
const MAX_FONTS = 64;
const MAX_TABLES = 64;
/** What no reader draws a glyph without, and how many bytes of it have a fixed place. */
const NEEDED = { head: 54, hhea: 36, maxp: 6, hmtx: 4 } as const;
/** Tables that say which glyph is drawn, and how. */
const LOOKED_AT = new Set(["loca", "glyf", "CFF ", "cmap", "post", "OS/2", ...Object.keys(NEEDED)]);
/** Glyphs in colors, as pictures and of other outlines: some readers draw these, others what `glyf` and `CFF` have, or nothing. */
const DRAWN_INSTEAD = new Set(["COLR", "SVG ", "sbix", "CBDT", "CFF2"]);
/** What the fonts of a collection have to have in common, and which bytes of their heads: units, and the form of `loca`. */
const SHARED = ["loca", "glyf", "maxp"];
const HEAD_FIELDS = [18, 19, 50, 51];

/** Where directories begin: a collection has several. */
const startsOf = (data: Uint8Array): number[] => {
  if (!isCollection(data)) return [0];
  const view = viewOf(data);
  const count = data.length < HEAD_BYTES ? 0 : view.getUint32(8);
  if (count > MAX_FONTS || HEAD_BYTES + count * 4 > data.length) return [];
  return Array.from({ length: count }, (_, index) => view.getUint32(HEAD_BYTES + index * 4));
};

/** Whether a program has several fonts: some readers take the first one, others one by its name. */
export const isCollection = (data: Uint8Array): boolean =>
  Buffer.from(data.subarray(0, 4)).toString("latin1") === "ttcf";

/** Tables by their names; undefined where readers find other ones, or some readers none. */
const tablesOf = (data: Uint8Array): Map<string, Uint8Array> | undefined => {
  const [first, ...others] = startsOf(data).map((start) => tablesAt(data, start));
  const isShared = (tables: Map<string, Uint8Array> | undefined) =>
    SHARED.every((name) => tables?.get(name)?.byteOffset === first?.get(name)?.byteOffset) &&
    HEAD_FIELDS.every((at) => tables?.get("head")?.[at] === first?.get("head")?.[at]);
  return others.every(isShared) ? first : undefined;
};

const tablesAt = (data: Uint8Array, start: number): Map<string, Uint8Array> | undefined => {
  const entries = entriesAt(data, start);
  if (entries === undefined) return undefined;
  const tables = new Map<string, Uint8Array>();
  for (const { name, table } of entries) {
    if (DRAWN_INSTEAD.has(name)) return undefined;
    if (!LOOKED_AT.has(name)) continue;
    if (tables.has(name) || table === undefined) return undefined;
    tables.set(name, table);
  }
  return tables;
};

/** What a directory tells of tables, which are undefined where they are beyond the data. */
const entriesAt = (data: Uint8Array, start: number) => {
  if (start + HEAD_BYTES > data.length) return undefined;
  const view = viewOf(data);
  const [count, first] = [view.getUint16(start + 4), start + HEAD_BYTES];
  if (count === 0 || count > MAX_TABLES || first + count * ENTRY_BYTES > data.length) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * ENTRY_BYTES;
    const [offset, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    const table = offset + length > data.length ? undefined : data.subarray(offset, offset + length);
    return { name: Buffer.from(data.subarray(at, at + 4)).toString("latin1"), table };
  });
};

/** All tables of a sound program's first font, of two alike the first one. */
export const allTables = (data: Uint8Array): Map<string, Uint8Array> => {
  const tables = new Map<string, Uint8Array>();
  for (const { name, table } of entriesAt(data, startsOf(data)[0] ?? 0) ?? [])
    if (table !== undefined && !tables.has(name)) tables.set(name, table);
  return tables;
};

/** The tables of a program; undefined where some reader takes others, or lacks one that it needs. What outlines they have is not looked into. */
export const soundTables = (data: Uint8Array): ReadonlyMap<string, Uint8Array> | undefined => {
  const tables = tablesOf(data);
  if (tables === undefined || characterMapsOf(tables.get("cmap")) === undefined) return undefined;
  if (Object.entries(NEEDED).some(([name, length]) => (tables.get(name)?.length ?? 0) < length)) return undefined;
  if (!hasUsualBox(tables.get("head") as Uint8Array)) return undefined;
  const isCompact = tables.has("CFF ");
  // FreeType takes none of a font that begins as one of the other outlines.
  if (!isCollection(data) && startsAsCompact(data) !== isCompact) return undefined;
  return isCompact && tables.has("glyf") ? undefined : tables;
};

const startsAsCompact = (data: Uint8Array): boolean => Buffer.from(data.subarray(0, 4)).toString("latin1") === "OTTO";

/** Scales are rounded. */
const MOST_OFF = 0.01;

/** Whether outlines in the Compact Font Format are of the units that the tables say: some readers go by these, others by those. */
export const isOfOneSize = ({ scale }: NamedGlyphs, head: Uint8Array): boolean =>
  scale === undefined || Math.abs(scale * headOf(head).unitsPerEm - 1) < MOST_OFF;

/** Whether outlines in the Compact Font Format are within the boxes that the tables say. */
export const isWithinTables = ({ reach }: NamedGlyphs, tables: ReadonlyMap<string, Uint8Array>): boolean => {
  const { box, unitsPerEm } = headOf(tables.get("head") as Uint8Array);
  return [box, roomIn(tables)].every((sides) =>
    isWithinBox(
      reach,
      sides.map((side) => side / unitsPerEm),
      1,
    ),
  );
};

const OS2_BYTES = 78;
/** Honest fonts have signs that are higher than that by a fifteenth, of which nobody misses what is cut. */
const MOST_CUT = 1.1;

/**
 * How far to each side of where letters begin cairo takes text to reach, which Poppler prints by and cuts it there: as far as
 * lines are high or the widest letter is wide. Where one of these is zero, it looks at each glyph.
 */
const roomIn = (tables: ReadonlyMap<string, Uint8Array>): readonly number[] => {
  const [hhea, os2] = ["hhea", "OS/2"].map((name) => viewOf(tables.get(name) ?? new Uint8Array()));
  if (hhea === undefined || hhea.byteLength < NEEDED.hhea) return NOWHERE;
  const heightAt = (view: DataView, at: number) => view.getInt16(at) - view.getInt16(at + 2) + view.getInt16(at + 4);
  const isSaid = hhea.getInt16(4) !== 0 || hhea.getInt16(6) !== 0;
  const hasOther = !isSaid && os2 !== undefined && os2.byteLength >= OS2_BYTES;
  const other = hasOther ? heightAt(os2, 68) || os2.getUint16(74) + os2.getUint16(76) : 0;
  const [height, width] = [isSaid ? heightAt(hhea, 4) : other, hhea.getUint16(10)];
  const room = height === 0 || width === 0 ? 0 : Math.max(height, width);
  return [-room, -room * MOST_CUT, room, room * MOST_CUT];
};
const NOWHERE: readonly number[] = [0, 0, 0, 0];

const hasUsualBox = (head: Uint8Array): boolean => {
  const { box, unitsPerEm } = headOf(head);
  return isUsualBox(box, 1 / unitsPerEm);
};

const MAGIC = 0x5f0f3cf5;

/** The glyphs that only some readers draw; undefined where not each of the others has a place, and is drawn alike. */
export const doubtfulIn = (tables: ReadonlyMap<string, Uint8Array>): ReadonlySet<number> | undefined => {
  const [head, maxp, loca, glyf] = ["head", "maxp", "loca", "glyf"].map((name) => tables.get(name));
  const [hhea, hmtx] = ["hhea", "hmtx"].map((name) => tables.get(name));
  if (!head || !maxp || !loca || !glyf || !hhea || !hmtx) return undefined;
  const [{ format, magic, unitsPerEm, box }, count] = [headOf(head), viewOf(maxp).getUint16(4)];
  if (magic !== MAGIC || unitsPerEm === 0 || count === 0 || (format !== 0 && format !== 1)) return undefined;
  if (loca.length < (count + 1) * (format === 0 ? 2 : 4)) return undefined;
  const found = placesIn(tables);
  if (found.some((place, glyph) => place < (found[glyph - 1] ?? 0) || place > glyf.length)) return undefined;
  const wide = viewOf(hhea).getUint16(34);
  const [room, views] = [roomIn(tables), { glyf: viewOf(glyf), hmtx: viewOf(hmtx) }];
  return doubtfulGlyphs({ unitsPerEm, box, room, count, places: found, ...views, wide });
};

/** Where each glyph of sound tables begins in `glyf`, and where the last one ends. */
export const placesIn = (tables: ReadonlyMap<string, Uint8Array>): number[] => {
  const [head, maxp, loca] = ["head", "maxp", "loca"].map((name) => tables.get(name) ?? new Uint8Array());
  const [{ format }, places] = [headOf(head as Uint8Array), viewOf(loca as Uint8Array)];
  return Array.from({ length: viewOf(maxp as Uint8Array).getUint16(4) + 1 }, (_, glyph) =>
    format === 0 ? places.getUint16(glyph * 2) * 2 : places.getUint32(glyph * 4),
  );
};

/** Whether the first glyph of sound tables, which stands for those that there are not, has no outline. */
export const isFirstBlank = (tables: ReadonlyMap<string, Uint8Array>): boolean => {
  const [head, loca] = [tables.get("head"), tables.get("loca")];
  if (!head || !loca) return false;
  const width = headOf(head).format === 0 ? 2 : 4;
  return loca.subarray(0, width).every((byte, at) => byte === loca[width + at]);
};

const headOf = (head: Uint8Array) => {
  const view = viewOf(head);
  const box = [36, 38, 40, 42].map((at) => view.getInt16(at));
  return { magic: view.getUint32(12), unitsPerEm: view.getUint16(18), format: view.getInt16(50), box };
};

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
