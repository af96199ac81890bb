import type { Xyz } from "./colorimetry.ts";

/** Curves and tables of profiles (ICC.1, 10.6, 10.8, 10.10 to 10.12 and 10.18). */

/** The white of all profiles. */
const WHITE: Xyz = [0.9642, 1, 0.8249];
const MAX_COLORS = 4;

/** A value by a curve; undefined where that is broken. */
export const curveAt = (curve: Buffer | undefined, value: number): number | undefined => {
  if (curve === undefined || curve.length < 12) return undefined;
  const kind = curve.toString("latin1", 0, 4);
  if (kind === "para") return parametric(curve, value);
  const count = curve.readUInt32BE(8);
  if (kind !== "curv" || curve.length < 12 + 2 * count) return undefined;
  if (count === 0) return value;
  if (count === 1) return value ** (curve.readUInt16BE(12) / 256);
  return between(value, count, (at) => curve.readUInt16BE(12 + 2 * at) / 65_535);
};

/** A value of a list, between two of its entries. */
const between = (value: number, count: number, entry: (at: number) => number): number => {
  const place = Math.min(Math.max(value, 0), 1) * (count - 1);
  const low = Math.min(Math.floor(place), count - 2);
  return count < 2 ? entry(0) : entry(low) + (place - low) * (entry(low + 1) - entry(low));
};

const parameterCounts = [1, 3, 4, 5, 7];

const parametric = (curve: Buffer, x: number): number | undefined => {
  const kind = curve.readUInt16BE(8);
  const count = parameterCounts[kind];
  if (count === undefined || curve.length < 12 + 4 * count) return undefined;
  const [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from(
    { length: count },
    (_, at) => curve.readInt32BE(12 + 4 * at) / 65_536,
  );
  const power = (base: number) => Math.max(0, base) ** g;
  switch (kind) {
    case 0:
      return power(x);
    case 1:
      return x >= -b / a ? power(a * x + b) : 0;
    case 2:
      return x >= -b / a ? power(a * x + b) + c : c;
    case 3:
      return x >= d ? power(a * x + b) : c * x;
    default:
      return x >= d ? power(a * x + b) + e : c * x + f;
  }
};

/** What a color is by a table; undefined where that is broken, or of another kind. */
export const measuredBy = (tag: Buffer, color: readonly number[], space: string): Xyz | undefined => {
  const kind = tag.toString("latin1", 0, 4);
  const [inputs, outputs] = [tag[8] ?? 0, tag[9] ?? 0];
  if (inputs !== color.length || inputs > MAX_COLORS || outputs !== 3) return undefined;
  try {
    if (kind === "mAB ") return ofSpace(inParts(tag, color), space, "mAB ");
    return kind === "mft1" || kind === "mft2" ? ofSpace(inOne(tag, color, kind), space, kind) : undefined;
  } catch (error) {
    // It is shorter than it says.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

type Values = readonly (number | undefined)[];

/** Curves, a grid and curves again, with a matrix between. */
const inParts = (tag: Buffer, color: readonly number[]): Values => {
  const [second, matrix, middle, grid, first] = [12, 16, 20, 24, 28].map((at) => tag.readUInt32BE(at)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  let values: Values = color;
  if (grid !== 0) {
    const sizes = [...tag.subarray(grid, grid + color.length)];
    const width = tag[grid + 16] ?? 1;
    values = curved(tag, first, values);
    values = inGrid(values, sizes, (at) =>
      width === 1 ? tag.readUInt8(grid + 20 + at) / 255 : tag.readUInt16BE(grid + 20 + 2 * at) / 65_535,
    );
  }
  if (middle !== 0) values = curved(tag, middle, values);
  if (matrix !== 0) {
    const number = (at: number) => tag.readInt32BE(matrix + 4 * at) / 65_536;
    const [a = 0, b = 0, c = 0] = values;
    values = [0, 1, 2].map(
      (row) => number(3 * row) * a + number(3 * row + 1) * b + number(3 * row + 2) * c + number(9 + row),
    );
  }
  return curved(tag, second, values);
};

/** Values by curves that stand one after the other, each from a place that four divides. */
const curved = (tag: Buffer, start: number, values: Values): Values => {
  let at = start;
  return values.map((value) => {
    const curve = tag.subarray(at);
    const isParametric = curve.toString("latin1", 0, 4) === "para";
    const length = isParametric
      ? 12 + 4 * (parameterCounts[curve.readUInt16BE(8)] ?? 0)
      : 12 + 2 * curve.readUInt32BE(8);
    at += Math.ceil(length / 4) * 4;
    return value === undefined ? undefined : curveAt(curve, value);
  });
};

/** Lists for each color, a grid, and lists again. */
const inOne = (tag: Buffer, color: readonly number[], kind: "mft1" | "mft2"): Values => {
  const isShort = kind === "mft1";
  const size = tag.readUInt8(10);
  const [before, after, start] = isShort ? [256, 256, 48] : [tag.readUInt16BE(48), tag.readUInt16BE(50), 52];
  const entry = (at: number) => (isShort ? tag.readUInt8(start + at) / 255 : tag.readUInt16BE(start + 2 * at) / 65_535);
  const listed = color.map((value, index) => between(value, before, (at) => entry(index * before + at)));
  const grid = color.length * before;
  const found = inGrid(
    listed,
    color.map(() => size),
    (at) => entry(grid + at),
  );
  const last = grid + 3 * size ** color.length;
  return found.map((value, index) => value && between(value, after, (at) => entry(last + index * after + at)));
};

/** Values of a grid, of which the last input goes fastest. */
const inGrid = (values: Values, sizes: readonly number[], entry: (at: number) => number): Values => {
  const corners = values.reduce(
    (left: { place: number; weight: number }[], value, index) => {
      const size = sizes[index] ?? 1;
      const place = Math.min(Math.max(value ?? Number.NaN, 0), 1) * (size - 1);
      const low = Math.floor(place);
      return left.flatMap((corner) => [
        { place: corner.place * size + low, weight: corner.weight * (1 - place + low) },
        ...(place > low ? [{ place: corner.place * size + low + 1, weight: corner.weight * (place - low) }] : []),
      ]);
    },
    [{ place: 0, weight: 1 }],
  );
  return [0, 1, 2].map((output) =>
    corners.reduce((sum, { place, weight }) => sum + weight * entry(3 * place + output), 0),
  );
};

/** What values between 0 and 1 stand for in the space that profiles connect by. */
const ofSpace = (values: Values, space: string, kind: "mAB " | "mft1" | "mft2"): Xyz | undefined => {
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN] = values;
  if (![first, second, third].every(Number.isFinite)) return undefined;
  if (space === "XYZ ") return [first, second, third].map((value) => (value * 65_535) / 32_768) as unknown as Xyz;
  const scale = kind === "mft2" ? 65_535 / 65_280 : 1;
  const [l, a, b] = [first * 100 * scale, second * 255 * scale - 128, third * 255 * scale - 128];
  const middle = (l + 16) / 116;
  const light = (share: number) => (share > 6 / 29 ? share ** 3 : 3 * (6 / 29) ** 2 * (share - 4 / 29));
  return [WHITE[0] * light(middle + a / 500), light(middle), WHITE[2] * light(middle - b / 200)];
};
