import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject } from "pdf-lib";

/** Graphics states with parameters (ISO 32000-2, table 57) that readers take each in their own way. */

const key = (name: string) => PDFName.of(name);
const OPACITIES = ["ca", "CA"].map(key);
const [BM, LW, D, NORMAL] = ["BM", "LW", "D", "Normal"].map(key) as [PDFName, PDFName, PDFName, PDFName];
const modes = new Set(
  (
    "Normal Compatible Multiply Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight SoftLight Difference " +
    "Exclusion Hue Saturation Color Luminosity"
  )
    .split(" ")
    .map(key),
);
const maskKinds: readonly (PDFObject | undefined)[] = ["Alpha", "Luminosity"].map(key);

/** The same state for all readers: itself, another one, or null where nothing can stand there. */
export const settledState = (state: PDFDict, file: PdfFile): PDFDict | null => {
  const mask = file.entry(state, "SMask");
  if (mask instanceof PDFDict && !isSoundMask(mask, file)) return null;
  const changes = changesOf(state, file);
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
  const width = file.resolve(state.get(LW));
  if (width instanceof PDFNumber && width.asNumber() < 0) changes.push([LW, undefined]);
  if (state.has(D) && !isDash(file.resolve(state.get(D)), file)) changes.push([D, undefined]);
  return changes;
};

/** Of a list some readers take the first mode, others the first that they know. */
const firstKnown = (list: PDFArray, file: PdfFile): PDFObject =>
  list
    .asArray()
    .map((item) => file.resolve(item))
    .find((item) => modes.has(item as PDFName)) ?? NORMAL;

const isDash = (value: PDFObject | undefined, file: PdfFile): boolean => {
  const [lengths, phase] = value instanceof PDFArray ? value.asArray().map((item) => file.resolve(item)) : [];
  if (!(lengths instanceof PDFArray && phase instanceof PDFNumber) || phase.asNumber() < 0) return false;
  const numbers = lengths.asArray().map((item) => {
    const length = file.resolve(item);
    return length instanceof PDFNumber ? length.asNumber() : -1;
  });
  return numbers.length === 0 || (numbers.every((length) => length >= 0) && numbers.some((length) => length > 0));
};

/** A mask is of a kind, and made of a group (11.6.5.2). */
const isSoundMask = (mask: PDFDict, file: PdfFile): boolean =>
  maskKinds.includes(file.entry(mask, "S")) && file.dictEntry(file.dictEntry(mask, "G"), "Group") !== undefined;
