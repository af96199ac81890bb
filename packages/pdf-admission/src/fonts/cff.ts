import { drawsNothing } from "./blank-glyphs.ts";
import { charsetOf, codesOf, nameOf, numberAt, STANDARD_NAMES } from "./cff-codes.ts";
import { isUsualBox, isWithinBox, saidBox } from "./font-box.ts";
import { isSoundScale, UNIT, unitsBy } from "./font-matrix.ts";
import { areAllDrawn, type GoneThrough, reachOf, Steps } from "./glyph-programs.ts";
import type { NamedGlyphs } from "./named-glyphs.ts";
import { OutlinePen } from "./outline-pen.ts";
import { around, moved, type Sides } from "./sides.ts";
import { endOfType2 } from "./type2-glyphs.ts";

/** Programs of fonts in the Compact Font Format (Adobe Technical Note 5176). */

const OPERATORS = {
  box: 5,
  charset: 15,
  encoding: 16,
  charStrings: 17,
  private: 18,
  routines: 19,
  fdArray: 1236,
  fdSelect: 1237,
  ros: 1230,
  glyphType: 1206,
  matrix: 1207,
};
const ESCAPE = 12;
/**
 * How many numbers operators take, by these numbers; others take any. FreeType takes no program of others, and cairo none
 * that names strings that there are not.
 */
const OPERANDS: Readonly<Record<number, readonly number[]>> = {
  1: [
    ...[0, 1, 2, 3, 4, 13, 15, 16, 17, 19, 20, 21, 10, 11, 1200, 1201, 1202, 1203, 1204, 1205, 1206, 1208, 1209, 1210],
    ...[1211, 1214, 1217, 1218, 1219, 1220, 1221, 1222, 1231, 1232, 1233, 1234, 1235, 1236, 1237, 1238],
  ],
  2: [18],
  3: [1230],
  4: [5],
  6: [1207],
};
const counts: ReadonlyMap<number, number> = new Map(
  Object.entries(OPERANDS).flatMap(([count, all]) =>
    all.map((operator): [number, number] => [operator, Number(count)]),
  ),
);
/** Those whose numbers are of strings, but for the last one of three. */
const OF_STRINGS: readonly number[] = [0, 1, 2, 3, 4, 1200, 1221, 1222, 1230, 1238];
const LARGEST_SCALE = 0.1;
const [HEAD_BYTES, MOST_OFFSET_BYTES] = [4, 4];
/** Of glyphs the format has only those of its second kind: FreeType and pdf.js call routines of the first one by other numbers. */
const GLYPHS_OF_TYPE_2 = 2;
/** Of a font that is made of another, or of several; FreeType takes none of some of these. */
const isOfSeveral = (operator: number): boolean =>
  operator === 1220 || (operator >= 1223 && operator < 1230) || operator > 1238;

/** Where the parts of an INDEX begin and end, and where it ends. */
interface Index {
  parts: Uint8Array[];
  end: number;
}

/** The glyphs of a program that holds together from its head to its last one; else undefined. */
export const cffGlyphs = (data: Uint8Array): NamedGlyphs | undefined => {
  try {
    return soundGlyphs(data);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

const soundGlyphs = (data: Uint8Array): NamedGlyphs => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [major, offsetSize] = [0, 3].map((at) => view.getUint8(at)) as [number, number];
  if (major !== 1 || view.getUint8(2) < HEAD_BYTES || offsetSize < 1 || offsetSize > MOST_OFFSET_BYTES)
    throw new RangeError();
  const fonts = indexAt(view, view.getUint8(2));
  const tops = indexAt(view, fonts.end);
  const strings = indexAt(view, tops.end);
  const all = indexAt(view, strings.end).parts;
  const [called] = fonts.parts;
  // By a name without a letter, or with a NUL, Poppler prints nothing.
  if (tops.parts.length !== 1 || fonts.parts.length !== 1 || !called?.length || called.includes(0))
    throw new RangeError();
  const top = dictOf(tops.parts[0] as Uint8Array, strings.parts.length);
  const glyphs = indexAt(view, top.get(OPERATORS.charStrings)?.[0] ?? 0).parts;
  if (glyphs.length === 0) throw new RangeError();
  const isCid = top.has(OPERATORS.ros);
  const box = top.get(OPERATORS.box);
  if (box && !isUsualBox(box, UNIT)) throw new RangeError();
  if ((top.get(OPERATORS.glyphType)?.[0] ?? GLYPHS_OF_TYPE_2) !== GLYPHS_OF_TYPE_2) throw new RangeError();
  if (!isCid && !isSoundScale(top.get(OPERATORS.matrix))) throw new RangeError();
  const partOf = isCid ? partsOf(view, top, glyphs.length, strings.parts.length) : wholeOf(view, top);
  const charset = charsetOf(view, top.get(OPERATORS.charset)?.[0] ?? 0, glyphs.length);
  // In fonts of many characters these are the characters' own numbers; of two alike each reader takes another one.
  if (isCid && (isListed(top) || new Set(charset).size < charset.length)) throw new RangeError();
  const named = isCid ? [] : charset.map((number) => nameOf(number, strings.parts));
  const steps = new Steps(data.length);
  const gone = glyphs.map((glyph, index): GoneThrough => {
    const pen = new OutlinePen();
    return { end: endOfType2(glyph, { all, own: partOf(index).routines }, steps, pen), pen };
  });
  // Of two glyphs of one name the first one is found by it.
  const numbers = new Map(named.map((name, index): [string, number] => [name ?? "", index + 1]).reverse());
  const goneOf = (name: string) => gone[numbers.get(name) ?? -1];
  if (!areAllDrawn(gone, goneOf)) throw new RangeError();
  const encoding = top.get(OPERATORS.encoding)?.[0] ?? 0;
  const codes = codesOf(view, isCid ? 0 : encoding, { charset, strings: strings.parts });
  const names = new Set(named.filter((name) => name !== undefined));
  const hasBlankSign = drawsNothing(glyphs[0] as Uint8Array);
  const numbered = isCid ? undefined : glyphs.length;
  const isReordered = isCid && charset.some((number, index) => number !== index + 1);
  const scaled = (sides: Sides | undefined, [across, up]: readonly [number, number]) =>
    sides === undefined ? [] : [moved(sides, [across, 0, 0, up, 0, 0])];
  const inParts = () => around(gone.flatMap(({ pen }, index) => scaled(pen.sides, partOf(index).units)));
  const size = sizeOf(top, isCid ? inParts() : scaled(reachOf(gone, goneOf), partOf(0).units)[0]);
  const own = { names, codes, numbers, hasOthers: named.includes(undefined) };
  return { ...own, hasBlankSign, numbered, isReordered, ...size };
};

const sizeOf = (top: ReadonlyMap<number, number[]>, reach: Sides | undefined) => {
  const [box, matrix] = [top.get(OPERATORS.box), top.get(OPERATORS.matrix)];
  const [told, up] = unitsBy(matrix);
  // Of a font whose parts say it.
  const [unit, unitUp] = told > LARGEST_SCALE ? [UNIT, UNIT] : [told, up];
  const scaledBox = box?.map((side, index) => side * (index % 2 === 0 ? unit : unitUp));
  return {
    scale: top.has(OPERATORS.ros) ? undefined : told,
    unit,
    reach,
    box: saidBox(box),
    isBeyondBox: scaledBox !== undefined && !isWithinBox(reach, scaledBox, 1),
  };
};

/** Whether the glyphs are those of a list that every reader has. */
const isListed = (top: ReadonlyMap<number, number[]>): boolean => (top.get(OPERATORS.charset)?.[0] ?? 0) <= 2;

const indexAt = (view: DataView, at: number): Index => {
  if (at <= 0) throw new RangeError();
  const count = view.getUint16(at);
  if (count === 0) return { parts: [], end: at + 2 };
  const width = view.getUint8(at + 2);
  if (width < 1 || width > 4) throw new RangeError();
  const base = at + 2 + (count + 1) * width;
  const parts: Uint8Array[] = [];
  let start = numberAt(view, at + 3, width);
  if (start !== 1) throw new RangeError();
  for (let index = 1; index <= count; index += 1) {
    const end = numberAt(view, at + 3 + index * width, width);
    if (end < start || base + end > view.byteLength) throw new RangeError();
    parts.push(new Uint8Array(view.buffer, view.byteOffset + base + start, end - start));
    start = end;
  }
  return { parts, end: base + start };
};

/** Operands by operators, of which none may stand twice, in a program of so many strings. */
const dictOf = (data: Uint8Array, strings: number): Map<number, number[]> => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const entries = new Map<number, number[]>();
  let operands: number[] = [];
  for (let at = 0; at < data.length; ) {
    const byte = view.getUint8(at);
    if (byte <= 21) {
      const operator = byte === ESCAPE ? 1200 + view.getUint8(at + 1) : byte;
      if (
        entries.has(operator) ||
        isOfSeveral(operator) ||
        operands.length !== (counts.get(operator) ?? operands.length)
      )
        throw new RangeError();
      const named = OF_STRINGS.includes(operator) ? operands.slice(0, 2) : [];
      if (!named.every((name) => name >= 0 && name < STANDARD_NAMES + strings)) throw new RangeError();
      entries.set(operator, operands);
      operands = [];
      at += byte === ESCAPE ? 2 : 1;
    } else {
      const { value, length } = operandAt(view, at);
      operands.push(value);
      at += length;
    }
  }
  // Some readers take nothing of a list that ends without an operator.
  if (operands.length > 0) throw new RangeError();
  return entries;
};

/** Where the numbers of a program's box are, of a program that holds together. */
export const boxPlaces = (data: Uint8Array): { at: number; length: number }[] => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [top] = indexAt(view, indexAt(view, view.getUint8(2)).end).parts as [Uint8Array];
  const start = top.byteOffset - data.byteOffset;
  let places: { at: number; length: number }[] = [];
  for (let at = start; at < start + top.length; ) {
    const byte = view.getUint8(at);
    if (byte === OPERATORS.box) return places;
    const length = byte > 21 ? operandAt(view, at).length : byte === ESCAPE ? 2 : 1;
    places = byte > 21 ? [...places, { at, length }] : [];
    at += length;
  }
  return [];
};

/** What stands between the digits of a number. */
const REAL: Readonly<Record<string, string>> = { a: ".", b: "e", c: "e-", e: "-" };

const operandAt = (view: DataView, at: number): { value: number; length: number } => {
  const byte = view.getUint8(at);
  if (byte === 28) return { value: view.getInt16(at + 1), length: 3 };
  if (byte === 29) return { value: view.getInt32(at + 1), length: 5 };
  if (byte === 30) {
    let length = 1;
    for (let last = 0; (last & 0x0f) !== 0x0f; length += 1) last = view.getUint8(at + length);
    const digits = Buffer.from(view.buffer, view.byteOffset + at + 1, length - 1).toString("hex");
    return { value: Number(digits.replace(/f.*/, "").replace(/[a-e]/g, (sign) => REAL[sign] ?? "?")), length };
  }
  if (byte >= 32 && byte <= 246) return { value: byte - 139, length: 1 };
  if (byte >= 247 && byte <= 250) return { value: (byte - 247) * 256 + view.getUint8(at + 1) + 108, length: 2 };
  if (byte >= 251 && byte <= 254) return { value: -(byte - 251) * 256 - view.getUint8(at + 1) - 108, length: 2 };
  throw new RangeError();
};

/** The routines that a font, or a part of one, has of its own. */
const routinesAt = (view: DataView, dict: ReadonlyMap<number, number[]>): readonly Uint8Array[] => {
  const [size, offset] = dict.get(OPERATORS.private) ?? [];
  if (size === undefined || offset === undefined || size < 0 || offset < 0 || offset + size > view.byteLength)
    throw new RangeError();
  const own = dictOf(new Uint8Array(view.buffer, view.byteOffset + offset, size), 0);
  const [routines = 0] = own.get(OPERATORS.routines) ?? [];
  return routines === 0 ? [] : indexAt(view, offset + routines).parts;
};

/** What a glyph has in common with others: routines, and of what size of text a unit is. */
interface Part {
  routines: readonly Uint8Array[];
  units: readonly [number, number];
}

const wholeOf = (view: DataView, top: ReadonlyMap<number, number[]>) => {
  const part: Part = { routines: routinesAt(view, top), units: unitsBy(top.get(OPERATORS.matrix)) };
  return () => part;
};

/** Fonts of many characters have their glyphs in parts. */
const partsOf = (view: DataView, top: ReadonlyMap<number, number[]>, count: number, strings: number) => {
  const dicts = indexAt(view, top.get(OPERATORS.fdArray)?.[0] ?? 0).parts.map((part) => dictOf(part, strings));
  const whole = top.get(OPERATORS.matrix);
  if (!dicts.every((dict) => isSoundScale(whole, dict.get(OPERATORS.matrix)))) throw new RangeError();
  const parts = dicts.map(
    (dict): Part => ({ routines: routinesAt(view, dict), units: unitsBy(whole, dict.get(OPERATORS.matrix)) }),
  );
  const numbers = partNumbers(view, top.get(OPERATORS.fdSelect)?.[0] ?? 0, count);
  if (numbers.length !== count || !numbers.every((number) => number < parts.length)) throw new RangeError();
  return (glyph: number) => parts[numbers[glyph] as number] as Part;
};

/** The part that each glyph is of. */
const partNumbers = (view: DataView, at: number, count: number): number[] => {
  if (at <= 0) throw new RangeError();
  const format = view.getUint8(at);
  if (format === 0) return Array.from({ length: count }, (_, glyph) => view.getUint8(at + 1 + glyph));
  if (format !== 3) throw new RangeError();
  const numbers: number[] = [];
  const ranges = view.getUint16(at + 1);
  for (let range = at + 3; range < at + 3 + ranges * 3; range += 3) {
    const [start, next] = [view.getUint16(range), view.getUint16(range + 3)];
    // Some programs say nothing of the sign for no glyph.
    const first = numbers.length === 0 && start === 1 ? 0 : start;
    if (Math.min(first, count) !== numbers.length || next < first) throw new RangeError();
    for (let glyph = first; glyph < Math.min(next, count); glyph += 1) numbers.push(view.getUint8(range + 2));
  }
  return numbers;
};
