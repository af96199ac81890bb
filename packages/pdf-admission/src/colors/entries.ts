import { sidesOf } from "@rubrica/pdf-reading/annotations/appearances";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { settledState } from "../graphics-states.ts";
import { type Judge, OTHERWISE, refused } from "../otherwise.ts";
import { settledFunction } from "./functions.ts";
import { isPlainProfile } from "./profiles.ts";
import { isSoundPattern, settledShading } from "./shadings.ts";
import { settledPictureSpace, settledSpace, settledSpaces } from "./spaces.ts";
import { UNIT } from "./values.ts";

/** Entries of colors, patterns and graphics states that readers take each in their own way. */

const key = (name: string) => PDFName.of(name);
const [LENGTH, S, SMASK, PATTERN_TYPE, SHADING_TYPE] = names("Length", "S", "SMask", "PatternType", "ShadingType");
/** What leaves colors as they are. */
const neutral = new Set(["Identity", "Default"].map(key));

/** For what is null in a shading pdf.js and PDFium take something of their own. */
const isNullOfShading = (value: PDFObject, dict: PDFDict): boolean => value === PDFNull && dict.has(key("ShadingType"));

/** A soft mask has a function of the same name, which is a part of what is seen. */
const colors: Judge = (value, dict, file) => {
  if (neutral.has(value as PDFName)) return null;
  if (!dict.has(S)) return OTHERWISE;
  const given = dict.get(key("TR"));
  const instead = settledFunction(given, file, { inputs: [UNIT], outputs: [UNIT], mayJump: true });
  return instead === given ? null : { ...OTHERWISE, instead: instead ?? value };
};

/** The space that a group is put together in: one of those that are measured or of a device. */
const ofGroup: Judge = (_value, dict, file) => {
  // pdf.js takes it for a shading's own.
  if (dict.has(SHADING_TYPE)) return OTHERWISE;
  const given = dict.get(key("CS"));
  const instead = file.nameEntry(dict, "S") === "Transparency" ? settledSpace(given, file, "group")?.space : given;
  return instead === given ? null : { ...OTHERWISE, ...(instead && { instead }) };
};

/** Graphics states by their names, or the one of a pattern. */
const graphicsStates: Judge = (value, dict, file) => {
  if (!(value instanceof PDFDict)) return null;
  // Resources may say that they are a pattern, too: then it is judged as both.
  const isOfPattern = dict.has(key("PatternType"));
  const own = isOfPattern ? settledState(value, file) : value;
  if (own === null) return refused(value);
  const settled = own.entries().map(([name, given]) => {
    const state = file.resolve(given);
    const isState = state instanceof PDFDict && !(isOfPattern && name === SMASK);
    const instead = isState ? settledState(state, file) : state;
    return [name, instead === state ? given : instead] as const;
  });
  if (settled.some(([, instead]) => instead === null)) return refused(value);
  if (own === value && settled.every(([name, instead]) => instead === value.get(name))) return null;
  const instead = PDFDict.withContext(value.context);
  for (const [name, state] of settled) if (state) instead.set(name, state);
  return { ...OTHERWISE, instead };
};

/** Color spaces by their names, or the one of a picture or a shading. */
const colorSpaces: Judge = (value, dict, file) => {
  // What belongs to a shading is judged with it; resources have many.
  if (dict.has(key("ShadingType")) && !(value instanceof PDFDict)) return null;
  const given = dict.get(key("ColorSpace")) ?? value;
  const instead = value instanceof PDFDict ? settledSpaces(value, file) : settledPictureSpace(given, dict, file);
  if (instead === given || instead === value) return null;
  return { ...OTHERWISE, instead: instead ?? value };
};

const OF_LIGHT: readonly (PDFObject | undefined)[] = [undefined, key("DeviceGray"), key("DeviceRGB")];

/** Clear parts that data in JPEG 2000 are said to have, of which those that are accepted have none: pdf.js passes over other colors then. */
const clearParts: Judge = (value, dict, file) =>
  value instanceof PDFNumber && value.asNumber() !== 0 && !OF_LIGHT.includes(file.entry(dict, "ColorSpace"))
    ? OTHERWISE
    : null;

/** Matrices of the first pattern of each shading, by its number. */
const matrices = new WeakMap<PdfFile, Map<number, string>>();

/** Whether another pattern has the same shading, and another matrix: pdf.js draws both by the one that was set last. */
const isMovedElsewhere = (shading: PDFObject | undefined, pattern: PDFDict, file: PdfFile): boolean => {
  if (!(shading instanceof PDFRef)) return false;
  const known = matrices.get(file) ?? new Map<number, string>();
  matrices.set(file, known);
  const matrix = String(file.entry(pattern, "Matrix") ?? "");
  if (!known.has(shading.objectNumber)) known.set(shading.objectNumber, matrix);
  return known.get(shading.objectNumber) !== matrix;
};

/** Shadings by their names, or the one of a pattern. */
const shadings: Judge = (value, dict, file) => {
  if (!(value instanceof PDFDict)) return null;
  if (dict.has(key("PatternType"))) {
    const given = dict.get(key("Shading"));
    if (isMovedElsewhere(given, dict, file))
      return { ...OTHERWISE, instead: value.has(LENGTH) ? value : value.clone() };
    const instead = settledShading(given, file, true);
    return instead === given ? null : { ...OTHERWISE, instead: instead ?? value };
  }
  const settled = value.entries().map(([name, given]) => [name, given, settledShading(given, file, false)] as const);
  if (settled.some(([, , instead]) => instead === null)) return refused(value);
  if (settled.every(([, given, instead]) => instead === given)) return null;
  const instead = PDFDict.withContext(value.context);
  for (const [name, , shading] of settled) if (shading) instead.set(name, shading);
  return { ...OTHERWISE, instead };
};

/** A pattern's box from its other corners: PDFium draws its cells elsewhere. */
const cellBox: Judge = (value, dict, file) => {
  const [left, bottom, right, top] = sidesOf(value, file) ?? [0, 0, 0, 0];
  if (!dict.has(PATTERN_TYPE) || (left <= right && bottom <= top)) return null;
  const instead = PDFArray.withContext(file.context);
  for (const side of [Math.min(left, right), Math.min(bottom, top), Math.max(left, right), Math.max(bottom, top)])
    instead.push(PDFNumber.of(side));
  return { ...OTHERWISE, instead };
};

/** A pattern of colors that is none. */
const patternType: Judge = (value, dict, file) =>
  dict.has(LENGTH) || !(value instanceof PDFNumber) || (value.asNumber() === 2 && isSoundPattern(dict, file))
    ? null
    : refused(value);

/** MuPDF alone shows colors of devices by it. */
const outputProfile: Judge = (value, dict, file) => {
  const count = value instanceof PDFDict ? file.numberEntry(value, "N") : undefined;
  const isPlain = isPlainProfile(dict.get(key("DestOutputProfile")), value as PDFDict, count ?? 0, file);
  return isPlain ? null : OTHERWISE;
};

const nullOfShading: Judge = (value, dict) => (isNullOfShading(value, dict) ? OTHERWISE : null);

export const colorEntries = {
  ExtGState: graphicsStates,
  ColorSpace: colorSpaces,
  CS: ofGroup,
  SMaskInData: clearParts,
  Shading: shadings,
  Background: nullOfShading,
  Domain: nullOfShading,
  BBox: (value, dict, file, layers) => (isNullOfShading(value, dict) ? OTHERWISE : cellBox(value, dict, file, layers)),
  PatternType: patternType,
  DestOutputProfile: outputProfile,
  // Functions and screens of a device.
  TR: colors,
  TR2: colors,
  HT: colors,
} satisfies Record<string, Judge>;
