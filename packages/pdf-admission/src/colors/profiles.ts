import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import type { PDFDict, PDFObject } from "pdf-lib";
import { probes, showsAsDevice, type Xyz } from "./colorimetry.ts";
import { curveAt, measuredBy } from "./profile-tables.ts";
import { dataOf, limitsOf } from "./values.ts";

/** Profiles of the International Color Consortium (ICC.1), by what they make of some colors. */

const MAX_PROFILE_BYTES = 16 * 1024 * 1024;
const [HEADER_BYTES, TAG_BYTES, MAX_TAGS] = [128, 12, 200];
const spaces: Readonly<Record<number, string>> = { 1: "GRAY", 3: "RGB ", 4: "CMYK" };
const CLASSES = new Set(["mntr", "prtr", "scnr", "spac"]);
const TABLES = ["A2B0", "A2B1", "A2B2"];
/** Tables of floating numbers, which go before all others, and few programs write. */
const FLOATING = ["D2B0", "D2B1", "D2B2", "D2B3"];
/** The white of all profiles (ICC.1, 7.2.16). */
const WHITE: Xyz = [0.9642, 1, 0.8249];

/** What a color is by a profile; undefined where that is broken. */
type Measure = (color: readonly number[]) => Xyz | undefined;

const known = new WeakMap<PDFDict, boolean>();

/** Whether a profile shows about the colors of the device of as many components. */
export const isPlainProfile = (given: PDFObject | undefined, dict: PDFDict, count: number, file: PdfFile): boolean => {
  const isPlain = known.get(dict) ?? (hasUnitRange(dict, count, file) && isLikeDevice(given, count, file));
  known.set(dict, isPlain);
  return isPlain;
};

const hasUnitRange = (dict: PDFDict, count: number, file: PdfFile): boolean => {
  const range = file.entry(dict, "Range");
  return (
    range === undefined || limitsOf(range, count, file)?.every(({ least, most }) => least === 0 && most === 1) === true
  );
};

const isLikeDevice = (given: PDFObject | undefined, count: number, file: PdfFile): boolean => {
  const data = dataOf(given, file, MAX_PROFILE_BYTES);
  const profile = data && Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const tags = profile && tagsOf(profile, count);
  if (profile === undefined || tags === undefined || FLOATING.some((name) => tags.has(name))) return false;
  const space = profile.toString("latin1", 20, 24);
  const measures: Measure[] = [];
  for (const name of TABLES) {
    const tag = tags.get(name);
    if (tag !== undefined) measures.push((color) => measuredBy(tag, color, space));
  }
  const own = ofCurves(tags, count, space);
  if (own !== undefined) measures.push(own);
  return (
    measures.length > 0 &&
    measures.every((measure) =>
      probes(count).every((color) => {
        const measured = measure(color);
        return measured !== undefined && showsAsDevice(color, measured, WHITE);
      }),
    )
  );
};

/** What a profile has, by the names; undefined where it is of another kind of device. */
const tagsOf = (profile: Buffer, count: number): Map<string, Buffer> | undefined => {
  if (profile.length < HEADER_BYTES + 4) return undefined;
  const [kind, space, connection] = [12, 16, 20].map((at) => profile.toString("latin1", at, at + 4)) as [
    string,
    string,
    string,
  ];
  const isKnown =
    profile.toString("latin1", 36, 40) === "acsp" &&
    profile.readUInt32BE(0) <= profile.length &&
    [2, 4].includes(profile[8] ?? 0) &&
    CLASSES.has(kind) &&
    spaces[count] === space &&
    ["XYZ ", "Lab "].includes(connection);
  const tagCount = profile.readUInt32BE(HEADER_BYTES);
  const start = HEADER_BYTES + 4;
  if (!isKnown || tagCount > MAX_TAGS || start + tagCount * TAG_BYTES > profile.length) return undefined;
  const tags = new Map<string, Buffer>();
  for (let at = start; at < start + tagCount * TAG_BYTES; at += TAG_BYTES) {
    const [name, from, length] = [
      profile.toString("latin1", at, at + 4),
      profile.readUInt32BE(at + 4),
      profile.readUInt32BE(at + 8),
    ];
    if (from + length > profile.length || tags.has(name)) return undefined;
    tags.set(name, profile.subarray(from, from + length));
  }
  return tags;
};

/** Curves of the colors, and what these are of all three. */
const ofCurves = (tags: ReadonlyMap<string, Buffer>, count: number, space: string): Measure | undefined => {
  if (count === 1) {
    const curve = tags.get("kTRC");
    return curve && (([gray = 0]) => grayOf(curveAt(curve, gray), space));
  }
  const curves = ["rTRC", "gTRC", "bTRC"].map((name) => tags.get(name));
  const columns = ["rXYZ", "gXYZ", "bXYZ"].map((name) => columnOf(tags.get(name)));
  if (count !== 3 || space !== "XYZ " || [...curves, ...columns].includes(undefined)) return undefined;
  return (color) => {
    const linear = color.map((value, at) => curveAt(curves[at], value));
    const sum = (row: number) =>
      linear.reduce((total: number, value, at) => total + (value ?? Number.NaN) * (columns[at]?.[row] ?? 0), 0);
    const measured: Xyz = [sum(0), sum(1), sum(2)];
    return measured.every(Number.isFinite) ? measured : undefined;
  };
};

const grayOf = (value: number | undefined, space: string): Xyz | undefined => {
  if (value === undefined) return undefined;
  const light = space === "Lab " ? lightOf(100 * value) : value;
  return [WHITE[0] * light, light, WHITE[2] * light];
};

/** How light something is, of its lightness in percent (CIE 1976). */
const lightOf = (lightness: number): number => (lightness > 8 ? ((lightness + 16) / 116) ** 3 : lightness / 903.3);

const columnOf = (tag: Buffer | undefined): Xyz | undefined =>
  tag !== undefined && tag.length >= 20 && tag.toString("latin1", 0, 4) === "XYZ "
    ? [tag.readInt32BE(8) / 65_536, tag.readInt32BE(12) / 65_536, tag.readInt32BE(16) / 65_536]
    : undefined;
