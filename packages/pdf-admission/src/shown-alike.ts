import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFHexString, PDFName, PDFRef, PDFString } from "pdf-lib";
import { colorEntries } from "./colors/entries.ts";
import { fontEntries, fontKind } from "./fonts/entries.ts";
import { isSoundImage } from "./images.ts";
import { layerEntries } from "./layers/entries.ts";
import { isList, type Judge, OTHERWISE, refused } from "./otherwise.ts";
import { pageEntries } from "./page-entries.ts";
import { filters, parameters } from "./stream-filters.ts";

const key = (name: string) => PDFName.of(name);
const [N, LENGTH, RECT, TYPE] = names("N", "Length", "Rect", "Type");
const ofPaints = ["PatternType", "ShadingType"].map(key);
/** What fields have beside their names, and other dictionaries with the same entry don't. */
const fieldKeys = ["FT", "Kids", "Parent", "Rect"].map(key);
const appearanceKeys = new Set(["N", "R", "D"].map(key));

/** Whether a dictionary is the list of an annotation's appearances. */
const isAppearance = (dict: PDFDict, file: PdfFile): boolean =>
  dict.keys().every((name) => appearanceKeys.has(name)) && file.resolve(dict.get(N)) instanceof PDFDict;

/** Appearances for a pointer that is over an annotation, or pressed on it. */
const momentary: Judge = (value, dict, file) =>
  value instanceof PDFDict && isAppearance(dict, file) ? { kind: "momentary" } : null;

/** Honest boxes have two states, and buttons for choices some. */
const MAX_STATES = 100;

/** A list of an appearance's states that is referred to, which Poppler passes over: it stands there itself. */
const statesItself: Judge = (value, dict, file) => {
  const isReferredTo = dict.get(N) instanceof PDFRef && value instanceof PDFDict && !value.has(LENGTH);
  if (!isReferredTo || !isAppearance(dict, file)) return null;
  return value.keys().length > MAX_STATES ? refused(value) : { ...OTHERWISE, instead: value.clone() };
};

/** Actions that show or hide something, wherever they stand. */
const switches = new Set(["Hide", "ResetForm", "SetOCGState"].map(key));
const isSwitch: Judge = (value, dict) =>
  switches.has(value as PDFName) && dict.get(TYPE) !== key("StructElem") ? OTHERWISE : null;

/** A field's name that is no text: pdf.js draws nothing of the page, or others not the field. */
const fieldName: Judge = (value, dict) => {
  const isText = value instanceof PDFString || value instanceof PDFHexString;
  return isText || !fieldKeys.some((name) => dict.has(name)) ? null : OTHERWISE;
};

/** What a stream or a font is: one for printing alone, or none that all readers know. */
const subtype: Judge = (value, dict, file, layers) => {
  if (!dict.has(LENGTH)) return fontKind(value, dict, file, layers);
  if (value === key("PS")) return OTHERWISE;
  // PDFium takes no text for a name, others do.
  const isSound = value instanceof PDFName && (value !== key("Image") || isSoundImage(dict, file));
  return isSound ? null : refused(value);
};

/** Where something else stands among an annotation's appearances, which hides that they are some, the normal one is left. */
const appearances: Judge = (value, dict, file, layers) => {
  if (!(value instanceof PDFDict) || !dict.has(RECT)) return null;
  if (value.keys().every((name) => appearanceKeys.has(name))) return null;
  const [given, normal] = [value.get(N), file.resolve(value.get(N))];
  if (given === undefined || normal === undefined) return OTHERWISE;
  const instead = PDFDict.withContext(value.context);
  instead.set(N, given);
  const settled = statesItself(normal, instead, file, layers);
  if (settled?.instead) instead.set(N, settled.instead);
  return { ...OTHERWISE, instead };
};

/** Resources that are none, for which pdf.js draws no glyphs, or say that they are a pattern or a shading, which is judged in another way. */
const resources: Judge = (value) => {
  if (!(value instanceof PDFDict)) return OTHERWISE;
  return ofPaints.some((name) => value.has(name)) ? refused(value) : null;
};

const ofStream: Judge = (value, dict) => (dict.has(LENGTH) && value instanceof PDFDict ? OTHERWISE : null);

/** Entries that make a page be seen otherwise somewhere, by their names. */
export const alike = new Map<PDFName, Judge>(
  Object.entries({
    ...pageEntries,
    ...layerEntries,
    ...colorEntries,
    ...fontEntries,
    S: isSwitch,
    N: statesItself,
    R: momentary,
    D: momentary,
    T: fieldName,
    AP: appearances,
    Resources: resources,
    Filter: filters,
    DecodeParms: parameters,
    // PDFium takes it for the long name everywhere.
    DP: (_value, dict) => (dict.has(LENGTH) ? OTHERWISE : null),
    // Another file, or none: pdf.js takes it for the filter then, and others find no data.
    F: (_value, dict) => (dict.has(LENGTH) ? OTHERWISE : null),
    // Images, and what prints in their stead.
    Alternates: isList,
    OPI: ofStream,
    PS: ofStream,
    Subtype: subtype,
    Subtype2: () => OTHERWISE,
    FixedPrint: (value) => (value instanceof PDFDict ? OTHERWISE : null),
  } satisfies Record<string, Judge>).map(([name, judge]) => [key(name), judge] as const),
);
