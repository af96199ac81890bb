import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import type { PDFDict, PDFObject } from "pdf-lib";
import { dataOf, limitsOf } from "./values.ts";

/** Shadings of triangles and patches (ISO 32000-2, 8.7.4.5.5 to 8), to the end of their data. */

const MAX_DATA_BYTES = 64 * 1024 * 1024;
const COORDINATE_BITS = [1, 2, 4, 8, 12, 16, 24, 32];
const COLOR_BITS = [1, 2, 4, 8, 12, 16];
/** Some readers read flags of fewer bits, or what does not end with a byte, from other places. */
const FLAG_BITS = 8;
const [FREE, LATTICE] = [4, 5];
/** Points and colors of a patch that is new, and of one that goes on from the last one's side. */
const patches: Readonly<Record<number, readonly [points: number, colors: number][]>> = {
  6: [
    [12, 4],
    [8, 2],
  ],
  7: [
    [16, 4],
    [12, 2],
  ],
};

/** Whether a mesh has all that it says, and nothing that only some readers follow. */
export const isWholeMesh = (dict: PDFDict, given: PDFObject, components: number, file: PdfFile): boolean => {
  const number = (name: string) => file.numberEntry(dict, name) ?? 0;
  const [kind, coordinate, color, flag] = ["ShadingType", "BitsPerCoordinate", "BitsPerComponent", "BitsPerFlag"].map(
    number,
  ) as [number, number, number, number];
  const count = file.entry(dict, "Function") === undefined ? components : 1;
  const isSound =
    COORDINATE_BITS.includes(coordinate) &&
    COLOR_BITS.includes(color) &&
    (kind === LATTICE || flag === FLAG_BITS) &&
    limitsOf(file.entry(dict, "Decode"), 2 + count, file) !== undefined;
  const data = isSound ? dataOf(given, file, MAX_DATA_BYTES) : undefined;
  if (data === undefined) return false;
  const [point, paint] = [2 * coordinate, count * color];
  if (kind === LATTICE) {
    const row = number("VerticesPerRow");
    const rows = (data.length * 8) / (point + paint) / row;
    return (point + paint) % 8 === 0 && Number.isInteger(row) && row > 1 && Number.isInteger(rows) && rows > 1;
  }
  if (kind !== FREE) return arePatches(data, kind, point, paint);
  return (point + paint) % 8 === 0 && areTriangles(data, (FLAG_BITS + point + paint) / 8);
};

/** Each corner begins with a flag: a new triangle, or one that goes on from a side of the last one. */
const areTriangles = (data: Uint8Array, size: number): boolean => {
  const count = data.length / size;
  if (!Number.isInteger(count) || count === 0) return false;
  for (let at = 0; at < count; ) {
    const way = data[at * size] ?? 0;
    if (way > 2 || (at === 0 && way !== 0)) return false;
    at += way === 0 ? 3 : 1;
    if (at > count) return false;
  }
  return true;
};

const arePatches = (data: Uint8Array, kind: number, point: number, paint: number): boolean => {
  for (let at = 0; at < data.length; ) {
    const way = data[at] ?? 0;
    if (way > 3 || (at === 0 && way !== 0)) return false;
    const [points, colors] = patches[kind]?.[way === 0 ? 0 : 1] ?? [0, 0];
    at += (FLAG_BITS + points * point + colors * paint) / 8;
    if (!Number.isInteger(at) || at > data.length) return false;
  }
  return data.length > 0;
};
