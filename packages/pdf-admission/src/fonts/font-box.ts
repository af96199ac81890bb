import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type PDFDict, PDFNumber } from "pdf-lib";
import { UNIT } from "./font-matrix.ts";
import type { NamedGlyphs, SaidBox } from "./named-glyphs.ts";
import type { Sides } from "./sides.ts";

/**
 * The box that a font says its glyphs are in (`FontBBox`). Browsers draw nothing of text whose box is beyond the page, or what
 * it is clipped to; other readers go by the glyphs.
 */

/** As shares of the text's size: near where letters begin. Some programs say a box that is hardly larger than a dot there. */
const [MOST_LEFT, LEAST_RIGHT, MOST_BOTTOM, LEAST_TOP] = [0.5, 0, 0.25, 0];

/**
 * Whether a box is near where letters begin, so that it is on the page where these are; of one without an area no reader takes
 * anything.
 */
export const isUsualBox = (box: readonly number[], scale: number): boolean => {
  if (box.every((side) => side === 0)) return true;
  const [left = 0, bottom = 0, right = 0, top = 0] = box.map((side) => side * scale);
  const [lower, upper] = [Math.min(bottom, top), Math.max(bottom, top)];
  return (
    Math.min(left, right) <= MOST_LEFT &&
    Math.max(left, right) >= LEAST_RIGHT &&
    lower <= MOST_BOTTOM &&
    upper >= LEAST_TOP
  );
};

/** Honest outlines reach beyond their box by a 500th of the text's size at most. */
const MOST_BEYOND = 0.05;

/** Whether an outline, if there is one, is within a box that has an area. */
export const isWithinBox = (outline: readonly number[] | undefined, box: readonly number[], scale: number): boolean => {
  if (outline === undefined || box.every((side) => side === 0)) return true;
  const [left = 0, bottom = 0, right = 0, top = 0] = box;
  const most = MOST_BEYOND / scale;
  const [outlineLeft = 0, outlineBottom = 0, outlineRight = 0, outlineTop = 0] = outline;
  return (
    outlineLeft >= Math.min(left, right) - most &&
    outlineBottom >= Math.min(bottom, top) - most &&
    outlineRight <= Math.max(left, right) + most &&
    outlineTop <= Math.max(bottom, top) + most
  );
};

export const saidBox = (box: readonly number[] | undefined): SaidBox => {
  if (box === undefined) return "none";
  return box.some((side) => side !== 0) ? "some" : "empty";
};

/** A dictionary may say less than the program of how far glyphs go; pdf.js takes that where the program says nothing. */
const MOST_BEYOND_TOLD = 0.3;
/** Where pdf.js has a box end at least that the program does not say, in units of the program. */
const FAR_RIGHT = 4095;

/**
 * Whether glyphs go beyond the box that browsers take for theirs, or a font's dictionary says one far away, which pdf.js gives
 * a program of CFF that has none, and which others pass over.
 */
export const isBeyondToldBox = (glyphs: NamedGlyphs, kind: string, descriptor: PDFDict, file: PdfFile): boolean => {
  const { reach, box, isBeyondBox, unit = UNIT } = glyphs;
  if (isBeyondBox) return true;
  // pdf.js takes what a dictionary says for units of the program.
  const told = toldBox(descriptor, file, unit);
  const madeUp = madeUpBox(told, descriptor, file, unit);
  if (kind === "type1") {
    // pdf.js takes from there how far to the sides glyphs go, whatever the program says.
    if ((reach?.[0] ?? 0) < madeUp[0] || (reach?.[2] ?? 0) > madeUp[2]) return true;
    // Of an empty box browsers heed none.
    return box === "none" && !isWithinBox(reach, madeUp, 1);
  }
  if (kind !== "compact") return false;
  if (!isUsualBox(told, 1)) return true;
  if (box === "some") return false;
  const isTaken = box === "empty" && saidBox(told) === "some";
  return !isWithinBox(reach, isTaken ? told : madeUp, 1);
};

/** As shares of the text's size. */
const toldBox = (descriptor: PDFDict, file: PdfFile, unit: number): number[] => {
  const sides = file.arrayEntry(descriptor, "FontBBox")?.asArray() ?? [];
  return sides
    .map((side) => file.resolve(side))
    .map((side) => (side instanceof PDFNumber ? side.asNumber() * unit : 0));
};

/** What pdf.js makes of a font's dictionary where the program says no box. */
const madeUpBox = (
  [left = 0, bottom = 0, right = 0, top = 0]: readonly number[],
  descriptor: PDFDict,
  file: PdfFile,
  unit: number,
): Sides => {
  const heights = [
    ["Descent", bottom],
    ["Ascent", top],
  ] as const;
  const told = heights.map(([name, side]) => {
    const height = file.numberEntry(descriptor, name);
    return height === undefined ? side : height * unit;
  });
  return [
    Math.min(left, 0) - MOST_BEYOND_TOLD,
    Math.min(...told) - MOST_BEYOND_TOLD,
    Math.max(right, FAR_RIGHT * unit) + MOST_BEYOND_TOLD,
    Math.max(...told) + MOST_BEYOND_TOLD,
  ];
};
