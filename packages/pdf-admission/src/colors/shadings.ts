import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFBool, PDFDict, type PDFName, type PDFObject } from "pdf-lib";
import { isSteep, settledFunction } from "./functions.ts";
import { isWholeMesh } from "./meshes.ts";
import { type SettledSpace, settledSpace } from "./spaces.ts";
import { type Limits, limitsOf, numbersOf, pairsOf, UNIT, within } from "./values.ts";

/** Shadings (ISO 32000-2, 8.7.4.5) that all readers draw alike. */

const [COLOR_SPACE, FUNCTION, BACKGROUND, BBOX, LENGTH] = names(
  "ColorSpace",
  "Function",
  "Background",
  "BBox",
  "Length",
);
/** Some readers draw nothing for circles and axes that are nearer, or thinner, than this part of what they reach. */
const LEAST_SHARE = 1e-4;
const LEAST_AREA = 1e-9;
/** Poppler prints larger areas for minutes, and MuPDF draws nothing of larger patterns. */
const LARGEST = 100_000;
/** Of farther axes, circles and meshes MuPDF or pdf.js draws something else; honest ones go to six millions. */
const FARTHEST = 100_000_000;
const areWithin = (values: readonly number[] | undefined, most: number): boolean =>
  (values ?? []).every((value) => Math.abs(value) <= most);
const [AXIAL, RADIAL] = [2, 3];
/** Circles touch that are nearer than this part of the larger one. */
const TOUCHING = 0.005;

/**
 * The same shading for all readers; null where nothing can stand there.
 * @param isPattern false for one that `sh` draws. Of that some readers paint the Background, which they should not; of a
 * pattern's some ignore the BBox
 */
export const settledShading = (given: PDFObject | undefined, file: PdfFile, isPattern: boolean): PDFObject | null => {
  const dict = file.resolve(given);
  if (!(dict instanceof PDFDict) || given === undefined) return null;
  const kind = file.numberEntry(dict, "ShadingType") ?? 0;
  const space = settledSpace(dict.get(COLOR_SPACE), file, "shading");
  const isSound = kinds[kind];
  if (space === null || isSound === undefined || !isSound(dict, given, file, space)) return null;
  if (!["Coords", "Decode"].every((name) => areWithin(numbersOf(file.entry(dict, name), file), FARTHEST))) return null;
  const inputs = inputsOf(dict, kind, file);
  if (inputs === undefined || !hasSoundFrame(dict, space, file)) return null;
  if (isPattern && !hasSoundGround(dict, kind, file)) return null;
  const functions = settledFunctions(dict, inputs, space, file);
  if (functions === null) return null;
  const changes: [PDFName, PDFObject | undefined][] = [
    [COLOR_SPACE, space.space],
    [FUNCTION, functions],
    isPattern ? [BBOX, undefined] : [BACKGROUND, undefined],
  ];
  const changed = changes.filter(([name, value]) => dict.get(name) !== value);
  if (changed.length === 0) return given;
  // Its data stay where they are.
  if (dict.has(LENGTH)) return null;
  const settled = dict.clone();
  for (const [name, value] of changed) {
    if (value === undefined) settled.delete(name);
    else settled.set(name, value);
  }
  return settled;
};

/** What is behind it, and what it is cut off by. */
const hasSoundFrame = (dict: PDFDict, { components }: SettledSpace, file: PdfFile): boolean => {
  const [background, box] = [BACKGROUND, BBOX].map((name) => file.resolve(dict.get(name)));
  const color = numbersOf(background, file);
  const isColor =
    color?.length === components.length && color.every((value, at) => within(value, components[at] ?? UNIT));
  const [left = 0, bottom = 0, right = 0, top = 0, ...others] = numbersOf(box, file) ?? [];
  const isBox = left < right && bottom < top && others.length === 0;
  return (background === undefined || isColor) && (box === undefined || isBox);
};

/** What goes into its functions; undefined where that is not plain. */
const inputsOf = (dict: PDFDict, kind: number, file: PdfFile): readonly Limits[] | undefined => {
  if (kind > 3) return pairsOf(numbersOf(file.entry(dict, "Decode"), file))?.slice(2);
  const count = kind === 1 ? 2 : 1;
  const domain = file.entry(dict, "Domain");
  return domain === undefined ? [UNIT, UNIT].slice(0, count) : limitsOf(domain, count, file);
};

/** One function of all colors, or one for each; undefined where there is none and none is needed, null where nothing can stand there. */
const settledFunctions = (
  dict: PDFDict,
  inputs: readonly Limits[],
  { components }: SettledSpace,
  file: PdfFile,
): PDFObject | undefined | null => {
  const given = dict.get(FUNCTION);
  const functions = file.resolve(given);
  const kind = file.numberEntry(dict, "ShadingType") ?? 0;
  const isMesh = kind > RADIAL;
  if (functions === undefined) return isMesh ? undefined : null;
  if (isMesh && inputs.length !== 1) return null;
  // Within triangles, some readers reckon colors between those of the corners.
  const use = { inputs, mayJump: !isMesh };
  // Where a color changes at once around a circle, Poppler prints what lies before it in a mean of the two.
  const isRadial = kind === RADIAL;
  const settledFor = (one: PDFObject | undefined, outputs: readonly Limits[]): PDFObject | null =>
    isRadial && isSteep(one, file, { ...use, outputs }) ? null : settledFunction(one, file, { ...use, outputs });
  if (!(functions instanceof PDFArray)) return settledFor(given, components);
  if (functions.size() !== components.length) return null;
  const settled = functions.asArray().map((one, at) => settledFor(one, [components[at] ?? UNIT]));
  if (settled.every((one, at) => one === functions.get(at))) return given;
  const list = PDFArray.withContext(file.context);
  for (const one of settled) {
    if (one === null) return null;
    list.push(one);
  }
  return list;
};

/** Whether a pattern is made of a shading that is there, on a surface. */
export const isSoundPattern = (pattern: PDFDict, file: PdfFile): boolean =>
  file.dictEntry(pattern, "Shading") !== undefined && hasSoundMatrix(pattern, file);

type IsSound = (dict: PDFDict, given: PDFObject, file: PdfFile, space: SettledSpace) => boolean;

/** Whether it says by two truths, or not at all, whether it goes on beyond its ends; PDFium follows no references there. */
const hasSoundEnds = (dict: PDFDict, file: PdfFile): boolean => {
  const extend = file.entry(dict, "Extend");
  if (extend === undefined) return true;
  return extend instanceof PDFArray && extend.size() === 2 && extend.asArray().every((one) => one instanceof PDFBool);
};

const hasSoundMatrix = (dict: PDFDict, file: PdfFile): boolean => {
  const matrix = file.entry(dict, "Matrix");
  const [a = 0, b = 0, c = 0, d = 0, ...others] = numbersOf(matrix, file) ?? [];
  const isSound =
    others.length === 2 && Math.abs(a * d - b * c) > LEAST_AREA && areWithin([a, b, c, d, ...others], LARGEST);
  return matrix === undefined || isSound;
};

/** Poppler does not end to print an area whose matrix leads from its first corner to the left or down to the opposite one. */
const ofFunction: IsSound = (dict, _given, file) => {
  const [left = 0, right = 1, bottom = 0, top = 1] = numbersOf(file.entry(dict, "Domain"), file) ?? [];
  const [a = 1, b = 0, c = 0, d = 1] = numbersOf(file.entry(dict, "Matrix"), file) ?? [];
  const [width, height] = [right - left, top - bottom];
  return hasSoundMatrix(dict, file) && a * width + c * height >= 0 && b * width + d * height >= 0;
};

const axial: IsSound = (dict, _given, file) => {
  const coords = numbersOf(file.entry(dict, "Coords"), file) ?? [];
  const [x = 0, y = 0, otherX = 0, otherY = 0] = coords;
  const length = Math.hypot(otherX - x, otherY - y);
  return coords.length === 4 && length > LEAST_SHARE * reachOf(coords) && hasSoundEnds(dict, file);
};

const radial: IsSound = (dict, _given, file) => {
  const coords = numbersOf(file.entry(dict, "Coords"), file) ?? [];
  const [, , radius = 0, , , otherRadius = 0] = coords;
  const isSound = coords.length === 6 && Math.min(radius, otherRadius) >= 0;
  return (
    isSound &&
    Math.abs(radius - otherRadius) > LEAST_SHARE * reachOf(coords) &&
    hasSoundEnds(dict, file) &&
    hasSoundCone(coords, dict, file)
  );
};

/**
 * Whether all readers draw alike what goes on beyond two circles, of which none lies within the other: where they touch each
 * goes on in its own way; where the larger one goes on, Poppler prints something else.
 */
const hasSoundCone = (coords: readonly number[], dict: PDFDict, file: PdfFile): boolean => {
  const [, , radius = 0, , , otherRadius = 0] = coords;
  const beyond = beyondEachOther(coords);
  if (beyond === "within") return true;
  const [isBefore, isAfter] = (file.arrayEntry(dict, "Extend")?.asArray() ?? []).map((one) => one === PDFBool.True);
  if (beyond === "touching") return !isBefore && !isAfter;
  if (isBefore === isAfter) return isBefore !== true;
  return (isBefore === true) === radius < otherRadius;
};

/** How two circles lie. */
const beyondEachOther = (coords: readonly number[]): "within" | "touching" | "apart" => {
  const [x = 0, y = 0, radius = 0, otherX = 0, otherY = 0, otherRadius = 0] = coords;
  const beyond = Math.hypot(otherX - x, otherY - y) - Math.abs(otherRadius - radius);
  const touching = TOUCHING * Math.max(radius, otherRadius);
  return beyond < -touching ? "within" : beyond < touching ? "touching" : "apart";
};

/** Whether all readers draw what is behind a pattern's: pdf.js does along an axis and around circles within each other alone. */
const hasSoundGround = (dict: PDFDict, kind: number, file: PdfFile): boolean =>
  !dict.has(BACKGROUND) ||
  kind === AXIAL ||
  (kind === RADIAL && beyondEachOther(numbersOf(file.entry(dict, "Coords"), file) ?? []) === "within");

/** What readers draw alike with a pattern of a shading. */
export interface DrawnWith {
  /** Letters: with some shadings pdf.js shows none. */
  areLetters: boolean;
  /** Lines, and what is seen through: pdf.js draws beyond a mesh, and each reader sees its own ground through it. */
  areLines: boolean;
}

/** What readers draw alike with a pattern; undefined where it is none of a shading. */
export const drawnWith = (pattern: PDFDict, file: PdfFile): DrawnWith | undefined => {
  const shading = file.dictEntry(pattern, "Shading");
  if (shading === undefined) return undefined;
  const kind = file.numberEntry(shading, "ShadingType");
  const areLetters = kind === AXIAL || kind === RADIAL;
  return { areLetters, areLines: areLetters && !shading.has(BACKGROUND) };
};

/** What a shading leaves to what lies under it. */
export interface Shade {
  /** Whether it is drawn as many pieces. */
  isOfPieces: boolean;
  /** Whether it has a color wherever it is drawn. */
  coversAll: boolean;
}

export const shadeOf = (shading: PDFDict, file: PdfFile): Shade => {
  const kind = file.numberEntry(shading, "ShadingType");
  const isOfPieces = kind !== AXIAL && kind !== RADIAL;
  const extend = file.arrayEntry(shading, "Extend")?.asArray() ?? [];
  const goesOn = kind === AXIAL && extend.length === 2 && extend.every((end) => file.resolve(end) === PDFBool.True);
  return { isOfPieces, coversAll: goesOn && !shading.has(BBOX) };
};

const reachOf = (coords: readonly number[]): number => Math.max(...coords.map(Math.abs));

const mesh: IsSound = (dict, given, file, { components }) => {
  const colors = file.entry(dict, "Function") === undefined ? components : undefined;
  const decoded = pairsOf(numbersOf(file.entry(dict, "Decode"), file))?.slice(2);
  const isBounded = decoded?.every(({ least, most }, at) =>
    [least, most].every((value) => colors === undefined || within(value, colors[at] ?? UNIT)),
  );
  return isBounded === true && isWholeMesh(dict, given, components.length, file);
};

const kinds: Readonly<Record<number, IsSound>> = {
  1: ofFunction,
  2: axial,
  3: radial,
  4: mesh,
  5: mesh,
  6: mesh,
  7: mesh,
};
