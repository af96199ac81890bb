import { areaOf } from "@rubrica/pdf-reading/annotations/appearances";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFBool, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { areDoubtfulDashes } from "./content/operands.ts";
import { SHARPEST } from "./content/strokes.ts";

/** Graphics states with parameters (ISO 32000-2, table 57) that readers take each in their own way. */

const key = (name: string) => PDFName.of(name);
const OPACITIES = ["ca", "CA"].map(key);
const [BM, D, SMASK, NORMAL, BC, TR, ALPHA, IDENTITY] = names(
  "BM",
  "D",
  "SMask",
  "Normal",
  "BC",
  "TR",
  "Alpha",
  "Identity",
);
const modes = new Set(
  (
    "Normal Compatible Multiply Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight SoftLight Difference " +
    "Exclusion Hue Saturation Color Luminosity"
  )
    .split(" ")
    .map(key),
);
const isStyle = (value: number) => [0, 1, 2].includes(value);
/** Of wider lines some readers draw none, others cover the page. */
const WIDEST = 1_000_000;
/** Of what lines are drawn with, which values all readers take. */
const ML = key("ML");
const PENS: readonly (readonly [PDFName, (value: number) => boolean])[] = [
  [key("LW"), (value) => value >= 0 && value <= WIDEST],
  [key("LC"), isStyle],
  [key("LJ"), isStyle],
  [ML, (value) => value > 0],
];
/** Of which types further entries are: for a dictionary pdf.js gives up the page. */
const TYPES: readonly (readonly [PDFName, typeof PDFName | typeof PDFNumber | typeof PDFBool])[] = [
  [key("RI"), PDFName],
  ...["FL", "SM", "OPM"].map((name) => [key(name), PDFNumber] as const),
  ...["SA", "TK", "AIS", "OP", "op"].map((name) => [key(name), PDFBool] as const),
];
/** PDFium goes on with the font before it. */
const FONT = key("Font");
const [S, NONE] = names("S", "None");
/**
 * White over black, and black over white, are white to some readers and black to others where they are dodged or burnt;
 * Poppler has other colors of one's hue or saturation.
 */
const DOUBTFUL_MODES: readonly (PDFObject | undefined)[] = ["ColorDodge", "ColorBurn", "Hue", "Saturation"].map(key);
const PRINTERS = ["TR", "TR2"].map(key);
const NEUTRAL: readonly (PDFObject | undefined)[] = ["Identity", "Default"].map(key);
const COMPONENTS: Readonly<Record<string, number>> = { "/DeviceGray": 1, "/DeviceRGB": 3 };
const maskKinds: readonly (PDFObject | undefined)[] = ["Alpha", "Luminosity"].map(key);

/** The same state for all readers: itself, another one, or null where nothing can stand there. */
export const settledState = (state: PDFDict, file: PdfFile): PDFDict | null => {
  const mask = file.entry(state, "SMask");
  const soft = mask instanceof PDFDict ? settledMask(mask, file) : mask;
  const mode = file.resolve(state.get(BM));
  if (soft === null || state.has(FONT) || holdsReferences(file.resolve(state.get(D))) || hasDoubtfulDashes(state, file))
    return null;
  if (DOUBTFUL_MODES.includes(mode instanceof PDFArray ? firstKnown(mode, file) : mode)) return null;
  const changes = changesOf(state, file);
  if (soft !== mask) changes.push([SMASK, soft]);
  // Where the value is not a mask, PDFium ends the mask before, others keep it.
  else if (mask !== undefined && !(mask instanceof PDFDict) && mask !== NONE) changes.push([SMASK, undefined]);
  if (changes.length === 0) return state;
  const settled = state.clone();
  for (const [name, value] of changes) {
    if (value === undefined) settled.delete(name);
    else settled.set(name, value);
  }
  return settled;
};

/** Entries, and what stands there instead; undefined: nothing. */
const changesOf = (state: PDFDict, file: PdfFile): [PDFName, PDFObject | undefined][] => {
  const changes: [PDFName, PDFObject | undefined][] = [];
  // Some readers take nothing for a number, others for no entry.
  for (const [name, value] of state.entries())
    if ([undefined, PDFNull].includes(file.resolve(value) as typeof PDFNull)) changes.push([name, undefined]);
  for (const name of OPACITIES) {
    if (!state.has(name)) continue;
    const opacity = file.resolve(state.get(name));
    if (!(opacity instanceof PDFNumber)) changes.push([name, undefined]);
    else if (opacity.asNumber() < 0) changes.push([name, PDFNumber.of(0)]);
  }
  const mode = file.resolve(state.get(BM));
  if (mode instanceof PDFArray) changes.push([BM, firstKnown(mode, file)]);
  else if (mode !== undefined && !(mode instanceof PDFName)) changes.push([BM, undefined]);
  for (const [name, isSound] of PENS) {
    const value = file.resolve(state.get(name));
    if (value !== undefined && !(value instanceof PDFNumber && isSound(value.asNumber())))
      changes.push([name, undefined]);
  }
  const limit = file.resolve(state.get(ML));
  if (limit instanceof PDFNumber && limit.asNumber() > SHARPEST) changes.push([ML, PDFNumber.of(SHARPEST)]);
  // A mask's function has the same name; a state's is a printer's.
  for (const name of PRINTERS)
    if (state.has(name) && !NEUTRAL.includes(file.resolve(state.get(name)))) changes.push([name, undefined]);
  for (const [name, type] of TYPES)
    if (state.has(name) && !(file.resolve(state.get(name)) instanceof type)) changes.push([name, undefined]);
  if (state.has(D) && !isDash(file.resolve(state.get(D)), file)) changes.push([D, undefined]);
  return changes;
};

/** Whether a list of dashes, or the lengths in it, has references, which some readers do not follow. */
const holdsReferences = (list: PDFObject | undefined): boolean =>
  list instanceof PDFArray && list.asArray().some((item) => item instanceof PDFRef || holdsReferences(item));

/** The same of dashes that content sets. */
const hasDoubtfulDashes = (state: PDFDict, file: PdfFile): boolean => {
  const dashes = file.entry(state, "D");
  if (!isDash(dashes, file)) return false;
  const [lengths, phase] = (dashes as PDFArray).asArray() as [PDFArray, PDFNumber];
  const numbers = lengths.asArray().map((length) => (length as PDFNumber).asNumber());
  const sum = numbers.reduce((before, length) => before + length, 0);
  return areDoubtfulDashes(numbers.length, sum, phase.asNumber());
};

/** Of a list some readers take the first mode, others the first that they know. */
const firstKnown = (list: PDFArray, file: PdfFile): PDFObject =>
  list
    .asArray()
    .map((item) => file.resolve(item))
    .find((item) => modes.has(item as PDFName)) ?? NORMAL;

const isDash = (value: PDFObject | undefined, file: PdfFile): boolean => {
  const [lengths, phase, ...others] =
    value instanceof PDFArray ? value.asArray().map((item) => file.resolve(item)) : [];
  if (!(lengths instanceof PDFArray && phase instanceof PDFNumber) || phase.asNumber() < 0 || others.length > 0)
    return false;
  const numbers = lengths.asArray().map((item) => {
    const length = file.resolve(item);
    return length instanceof PDFNumber ? length.asNumber() : -1;
  });
  return numbers.length === 0 || (numbers.every((length) => length >= 0) && numbers.some((length) => length > 0));
};

/**
 * The same mask for all readers: of a kind, made of a group (11.6.5.2), and without what only some of them heed. Null where
 * nothing can stand there instead.
 */
const settledMask = (mask: PDFDict, file: PdfFile): PDFDict | null => {
  const form = file.dictEntry(mask, "G");
  const group = file.dictEntry(form, "Group");
  const [kind, ground, transfer] = [S, BC, TR].map((name) => file.resolve(mask.get(name)));
  if (!maskKinds.includes(kind) || group === undefined) return null;
  // pdf.js draws through a mask without room what others do not.
  if ((areaOf(file.entry(form, "BBox"), file) ?? 0) === 0) return null;
  const isAlpha = kind === ALPHA;
  if (transfer instanceof PDFDict && !isAlpha) return null;
  const isOtherGround = ground !== undefined && ground !== PDFNull;
  if (isOtherGround && !isAlpha && !isGround(ground, file.entry(group, "CS"))) return null;
  const isKept = transfer === undefined || transfer === IDENTITY || transfer instanceof PDFDict;
  if (isKept && !(isAlpha && isOtherGround)) return mask;
  const settled = mask.clone();
  if (!isKept) settled.delete(TR);
  if (isAlpha) settled.delete(BC);
  return settled;
};

/** Whether a mask begins with a color of its group's space, and that is one which all readers take alike: pdf.js follows no references in it. */
const isGround = (ground: PDFObject, space: PDFObject | undefined): boolean =>
  ground instanceof PDFArray &&
  ground.size() === (COMPONENTS[space?.toString() ?? ""] ?? -1) &&
  ground.asArray().every((item) => item instanceof PDFNumber && item.asNumber() >= 0 && item.asNumber() <= 1);
