import { names } from "@rubrica/pdf-reading/names";
import { isReal } from "@rubrica/pdf-reading/oddities";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, type PDFObject } from "pdf-lib";
import { isPlainCalibrated, isPlainLab, labLimits } from "./calibrated.ts";
import { settledFunction } from "./functions.ts";
import { isPlainProfile } from "./profiles.ts";
import { type Limits, numbersOf, UNIT, within } from "./values.ts";

/** Color spaces (ISO 32000-2, 8.6) that all readers take for the same. */

/** What a space is used for; not every one may stand everywhere. */
type SpaceUse = "any" | "pattern" | "indexed" | "alternate" | "shading" | "group" | "picture";

/** A space as it is to be for all readers, and what its components may be. */
export interface SettledSpace {
  space: PDFObject;
  components: readonly Limits[];
  /** Whether its colors are numbers of a table. */
  isIndexed: boolean;
}

const key = (name: string) => PDFName.of(name);
const DEVICES: Readonly<Record<number, PDFName>> = { 1: key("DeviceGray"), 3: key("DeviceRGB"), 4: key("DeviceCMYK") };
const counts: Readonly<Record<string, number>> = { DeviceGray: 1, DeviceRGB: 3, DeviceCMYK: 4 };
/** Pictures may have these names of the devices as well. */
const shortNames: Readonly<Record<string, string>> = { G: "DeviceGray", RGB: "DeviceRGB", CMYK: "DeviceCMYK" };
const NONE = "None";
const [BLACK, INK, SEPARATION, LENGTH] = names("Black", "Ink", "Separation", "Length");
/** PDFium shows no colors of more inks. */
const MAX_COMPONENTS = 16;
const MAX_INDEX = 255;

const known = new WeakMap<PDFObject, Map<SpaceUse, SettledSpace | null>>();

/** The same space for all readers; null where nothing can stand there. */
export const settledSpace = (
  given: PDFObject | undefined,
  file: PdfFile,
  use: SpaceUse = "any",
): SettledSpace | null => {
  const value = file.resolve(given);
  if (given === undefined || value === undefined) return null;
  const byUse = known.get(value) ?? new Map<SpaceUse, SettledSpace | null>();
  // Also that nothing can stand there is known: many places of a file may ask.
  const found = byUse.has(use) ? (byUse.get(use) ?? null) : settled(value, file, use);
  if (!(value instanceof PDFName)) known.set(value, byUse.set(use, found));
  // What is kept was given for another use.
  return found !== null && found.space === value ? { ...found, space: given } : found;
};

/** The same of a picture, which may say what its numbers stand for. Poppler prints pictures in Lab in other colors. */
export const settledPictureSpace = (given: PDFObject, picture: PDFDict, file: PdfFile): PDFObject | null => {
  const found = settledSpace(given, file, "picture");
  const decode = file.entry(picture, "Decode");
  if (found === null || decode === undefined || found.isIndexed || found.space instanceof PDFName)
    return found?.space ?? null;
  const numbers = numbersOf(decode, file) ?? [];
  const isBounded = numbers.every((number, at) => within(number, found.components[at >> 1] ?? UNIT));
  return isBounded ? found.space : null;
};

const units = (count: number): Limits[] => Array.from({ length: count }, () => UNIT);
const ofDevice = (count: number, space?: PDFObject): SettledSpace | null => {
  const device = space ?? DEVICES[count];
  return device === undefined ? null : { space: device, components: units(count), isIndexed: false };
};

const settled = (value: PDFObject, file: PdfFile, use: SpaceUse): SettledSpace | null => {
  const [first, ...parameters] = value instanceof PDFArray ? value.asArray() : [value];
  const family = file.resolve(first);
  if (!(family instanceof PDFName)) return null;
  const name = family.decodeText();
  const count = counts[shortNames[name] ?? name];
  if (count !== undefined) return parameters.length === 0 ? ofDevice(count, value) : null;
  if (name === "Pattern" && use === "any") return patternSpace(value, parameters, file);
  const make = value instanceof PDFArray ? families[name] : undefined;
  if (make === undefined || (use !== "any" && !SOUND[use].test(name))) return null;
  return make(value as PDFArray, parameters, file);
};

/** What may be under a pattern, a table, a shading, a group or a picture, or stand in for an ink. */
const SOUND = {
  shading: /^(?:Cal|Lab|ICC|Separation|DeviceN)/,
  pattern: /^(?:Cal|Lab|ICC|Separation|DeviceN|Indexed)/,
  indexed: /^(?:Cal|Lab|ICC|Separation|DeviceN)/,
  alternate: /^(?:Cal|Lab|ICC)/,
  group: /^(?:Cal|ICC)/,
  picture: /^(?:Cal|ICC|Separation|DeviceN|Indexed)/,
};

const patternSpace = (value: PDFObject, [under]: readonly PDFObject[], file: PdfFile): SettledSpace | null => {
  const colors = under === undefined ? { space: under, components: [] } : settledSpace(under, file, "pattern");
  return (
    colors && { space: withItems(value, { 1: colors.space }, file), components: colors.components, isIndexed: false }
  );
};

/** A list with other items; itself where they are the same. */
const withItems = (
  list: PDFObject,
  items: Readonly<Record<number, PDFObject | undefined>>,
  file: PdfFile,
): PDFObject => {
  if (!(list instanceof PDFArray)) return list;
  if (Object.entries(items).every(([index, item]) => Number(index) >= list.size() || list.get(Number(index)) === item))
    return list;
  const changed = PDFArray.withContext(file.context);
  for (const [index, item] of list.asArray().entries()) changed.push(items[index] ?? item);
  return changed;
};

type Make = (value: PDFArray, parameters: readonly PDFObject[], file: PdfFile) => SettledSpace | null;

/** Colors of a profile. pdf.js heeds none: where one shows other colors than its device, this stands there. */
const ofProfile: Make = (value, [profile], file) => {
  const dict = file.resolve(profile);
  const count = dict instanceof PDFDict ? file.numberEntry(dict, "N") : undefined;
  const device = ofDevice(count ?? 0);
  if (!(dict instanceof PDFDict) || device === null || count === undefined) return null;
  const alternate = file.entry(dict, "Alternate");
  const isSame = (alternate === undefined || alternate === DEVICES[count]) && !isReal(file.entry(dict, "N"));
  return isSame && isPlainProfile(profile, dict, count, file) ? { ...device, space: value } : device;
};

const calibrated =
  (count: number): Make =>
  (value, [parameters], file) => {
    const dict = file.resolve(parameters);
    const isPlain = dict instanceof PDFDict && !dict.has(LENGTH) && isPlainCalibrated(dict, count, file);
    return isPlain ? ofDevice(count, value) : ofDevice(count);
  };

const lab: Make = (value, [parameters], file) => {
  const dict = file.resolve(parameters);
  // A stream is none of its parameters for some readers.
  if (!(dict instanceof PDFDict) || dict.has(LENGTH) || !isPlainLab(dict, file)) return null;
  return { space: value, components: labLimits(dict, file), isIndexed: false };
};

/** Inks, and the colors that stand in for them; Poppler draws none of a list with more in it, or with something else. */
const ofInks: Make = (value, [inks, alternate, tint, more, ...others], file) => {
  const names = file.resolve(inks);
  const isOne = file.resolve(value.get(0)) === SEPARATION;
  if (isOne ? !(names instanceof PDFName) || more !== undefined : !(names instanceof PDFArray)) return null;
  const attributes = file.resolve(more);
  const isTold = attributes instanceof PDFDict && !attributes.has(LENGTH);
  if (others.length > 0 || (more !== undefined && !isTold)) return null;
  const list = names instanceof PDFArray ? names.asArray().map((name) => file.resolve(name)) : [names];
  const isSound = list.every((name) => name instanceof PDFName) && list.some((name) => name !== key(NONE));
  const instead = settledSpace(alternate, file, "alternate");
  if (!isSound || list.length === 0 || list.length > MAX_COMPONENTS || instead === null) return null;
  const components = units(list.length);
  const use = { inputs: components, outputs: instead.components, mayJump: false };
  const settledTint = settledFunction(tint, file, use);
  if (settledTint === null) return null;
  const isNamedOtherwise = names === BLACK && instead.components.length === 1 && !isDarkening(settledTint, file);
  const ink = isNamedOtherwise ? INK : inks;
  return { space: withItems(value, { 1: ink, 2: instead.space, 3: settledTint }, file), components, isIndexed: false };
};

/** Whether a function makes grey of an ink as Poppler does of black, which does not look at it. */
const isDarkening = (tint: PDFObject, file: PdfFile): boolean => {
  const dict = file.resolve(tint);
  if (!(dict instanceof PDFDict) || file.numberEntry(dict, "FunctionType") !== 2) return false;
  const [from, to] = ["C0", "C1"].map((name) => numbersOf(file.entry(dict, name), file)?.[0]);
  return file.numberEntry(dict, "N") === 1 && from === 1 && to === 0;
};

const indexed: Make = (value, [base, last, _table, ...others], file) => {
  const colors = settledSpace(base, file, "indexed");
  const highest = Number(file.resolve(last)?.toString());
  if (colors === null || others.length > 0 || !Number.isInteger(highest) || highest < 0 || highest > MAX_INDEX)
    return null;
  return {
    space: withItems(value, { 1: colors.space }, file),
    components: [{ least: 0, most: highest }],
    isIndexed: true,
  };
};

const families: Readonly<Record<string, Make>> = {
  ICCBased: ofProfile,
  CalGray: calibrated(1),
  CalRGB: calibrated(3),
  Lab: lab,
  Indexed: indexed,
  Separation: ofInks,
  DeviceN: ofInks,
};

/** Names that some readers, or all, take for spaces of devices, wherever they stand. */
const RESERVED = new Set(["Pattern", "DeviceRGBA", "I", "Indexed", ...Object.keys(counts), ...Object.keys(shortNames)]);

/** Color spaces by their names, as they are to be for all readers; null where nothing can stand there. */
export const settledSpaces = (named: PDFDict, file: PdfFile): PDFDict | null => {
  const settledOnes: [PDFName, PDFObject | undefined][] = [];
  for (const [name, given] of named.entries()) {
    const instead = settledAs(name.decodeText(), given, file);
    if (instead === null) return null;
    if (instead.space !== given) settledOnes.push([name, instead.space]);
  }
  if (settledOnes.length === 0) return named;
  const settledNames = named.clone();
  for (const [name, space] of settledOnes) {
    if (space === undefined) settledNames.delete(name);
    else settledNames.set(name, space);
  }
  return settledNames;
};

const settledAs = (name: string, given: PDFObject, file: PdfFile): { space: PDFObject | undefined } | null => {
  const value = file.resolve(given);
  // Readers pass over it.
  if (value === undefined) return { space: given };
  const found = settledSpace(given, file);
  const device = /^Default(Gray|RGB|CMYK)$/.exec(name)?.[1];
  // Few readers heed what stands in for a device's space.
  if (device !== undefined)
    return { space: found?.space === given && isLike(value, `Device${device}`, file) ? given : undefined };
  const long = shortNames[name] ?? name;
  if (!RESERVED.has(name) || value === key(long)) return found;
  // A device's own name is never another space's (8.6.8).
  return long === name && (counts[name] !== undefined || name === "Pattern") ? { space: undefined } : null;
};

/** Whether a space shows the colors of a device. */
const isLike = (value: PDFObject, device: string, file: PdfFile): boolean => {
  const [first, profile] = value instanceof PDFArray ? value.asArray() : [value];
  const family = file.resolve(first);
  if (family === key(device)) return true;
  if (family === key("ICCBased")) return file.numberEntry(file.resolve(profile) as PDFDict, "N") === counts[device];
  return family === key(device.replace("Device", "Cal"));
};
