import { areaOf, sidesOf } from "@rubrica/pdf-reading/annotations/appearances";
import { inherited } from "@rubrica/pdf-reading/annotations/fields";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import {
  PDFArray,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFString,
} from "pdf-lib";
import type { ActiveContent } from "./admission.ts";
import { settledFunction } from "./colors/functions.ts";
import { isPlainProfile } from "./colors/profiles.ts";
import { isSoundPattern, settledShading } from "./colors/shadings.ts";
import { settledPictureSpace, settledSpace, settledSpaces } from "./colors/spaces.ts";
import { UNIT } from "./colors/values.ts";
import { isOfLight } from "./content/groups.ts";
import { fontEntries, fontKind } from "./fonts/entries.ts";
import { settledState } from "./graphics-states.ts";
import { isSoundImage } from "./images.ts";
import { isOnEverywhere, leavesAllOn } from "./layer-usage.ts";
import { isToView, type Layers } from "./layers.ts";
import { filters, parameters } from "./stream-filters.ts";

/** What keeps a page from being seen alike on screen, on paper and after a click, and what stands in its place then. */
export interface Otherwise {
  kind: ActiveContent;
  /** Undefined: the entry is left out. */
  instead?: PDFObject;
}

/** What an entry of a dictionary does to that; null: nothing. */
export type Judge = (value: PDFObject, dict: PDFDict, file: PdfFile, layers: Layers) => Otherwise | null;

const key = (name: string) => PDFName.of(name);
const [N, LENGTH, RECT, S, TYPE, PAGE, OCG, KIDS] = names("N", "Length", "Rect", "S", "Type", "Page", "OCG", "Kids");
/** What fields have beside their names, and other dictionaries with the same entry don't. */
const fieldKeys = ["FT", "Kids", "Parent", "Rect"].map(key);
const appearanceKeys = new Set(["N", "R", "D"].map(key));
/** What leaves colors as they are. */
const neutral = new Set(["Identity", "Default"].map(key));

const OTHERWISE: Otherwise = { kind: "shown_otherwise" };

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
  return { ...OTHERWISE, instead: value.keys().length > MAX_STATES ? value : value.clone() };
};

/** Actions that show or hide something, wherever they stand. */
const switches = new Set(["Hide", "ResetForm", "SetOCGState"].map(key));
const isSwitch: Judge = (value, dict) =>
  switches.has(value as PDFName) && dict.get(TYPE) !== key("StructElem") ? OTHERWISE : null;

/** For what is null in a shading pdf.js and PDFium take something of their own. */
const isNullOfShading = (value: PDFObject, dict: PDFDict): boolean => value === PDFNull && dict.has(key("ShadingType"));

const isName: Judge = (value) => (value instanceof PDFName ? OTHERWISE : null);
const isDict: Judge = (value) => (value instanceof PDFDict ? OTHERWISE : null);
const isList = (value: PDFObject): Otherwise | null =>
  value instanceof PDFArray && value.size() > 0 ? OTHERWISE : null;
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
  const given = dict.get(key("CS"));
  const instead = file.nameEntry(dict, "S") === "Transparency" ? settledSpace(given, file, "group")?.space : given;
  return instead === given ? null : { ...OTHERWISE, ...(instead && { instead }) };
};
const ofStream: Judge = (value, dict) => (dict.has(LENGTH) && value instanceof PDFDict ? OTHERWISE : null);

/** What readers take for another layer than others do, or for none, belongs to one that they agree on, or to none. */
const ofLayer: Judge = (value, dict, _file, layers) => {
  // Some readers hide what belongs to something that is no dictionary, or is not there.
  if (!(value instanceof PDFDict)) return dict.has(RECT) ? null : OTHERWISE;
  const instead = dict.has(RECT) ? undefined : layers.instead(dict.get(key("OC")) as PDFObject);
  if (instead === undefined) return null;
  return instead === null ? OTHERWISE : { ...OTHERWISE, instead };
};

/** The same of what parts of a page's content belong to. */
const properties: Judge = (value, _dict, _file, layers) => {
  if (!(value instanceof PDFDict)) return null;
  const settled = value.entries().map(([name, given]) => [name, given, layers.instead(given)] as const);
  if (settled.every(([, , instead]) => instead === undefined)) return null;
  const left = PDFDict.withContext(value.context);
  for (const [name, given, instead] of settled) if (instead !== null) left.set(name, instead ?? given);
  return { ...OTHERWISE, instead: left };
};

const [SMASK, PATTERN_TYPE] = names("SMask", "PatternType");

/** Graphics states by their names, or the one of a pattern. */
const graphicsStates: Judge = (value, dict, file) => {
  if (!(value instanceof PDFDict)) return null;
  // Resources may say that they are a pattern, too: then it is judged as both.
  const isOfPattern = dict.has(key("PatternType"));
  const own = isOfPattern ? settledState(value, file) : value;
  if (own === null) return { ...OTHERWISE, instead: value };
  const settled = own.entries().map(([name, given]) => {
    const state = file.resolve(given);
    const isState = state instanceof PDFDict && !(isOfPattern && name === SMASK);
    const instead = isState ? settledState(state, file) : state;
    return [name, instead === state ? given : instead] as const;
  });
  if (settled.some(([, instead]) => instead === null)) return { ...OTHERWISE, instead: value };
  if (own === value && settled.every(([name, instead]) => instead === value.get(name))) return null;
  const instead = PDFDict.withContext(value.context);
  for (const [name, state] of settled) if (state) instead.set(name, state);
  return { ...OTHERWISE, instead };
};

/** Whether a dictionary is a form's, or another stream's: a page may say a length, too. */
const isOfForm = (dict: PDFDict): boolean => dict.has(LENGTH) && dict.get(TYPE) !== PAGE;

/** A page's group that mixes colors in another way than most readers do. What forms have is judged by how they are drawn. */
const pageGroup: Judge = (value, dict, file) => {
  if (isOfForm(dict) || !(value instanceof PDFDict) || isOfLight(file.entry(value, "CS"), file)) return null;
  const instead = value.clone();
  instead.delete(key("CS"));
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

/** Layers of a file, or those that are on or off: where something else is among them some readers take none for one. */
const layersOfFile: Judge = (value, dict, file) => {
  const all = file.dictEntry(file.catalog, "OCProperties");
  if (all === undefined || (dict !== all && dict !== file.dictEntry(all, "D"))) return null;
  return onlyLayers(value, file);
};

const onlyLayers = (value: PDFObject, file: PdfFile): Otherwise | null => {
  if (!(value instanceof PDFArray)) return { ...OTHERWISE, instead: value };
  const all = value.asArray();
  const own = all.filter((one) => one instanceof PDFRef && file.resolve(one) instanceof PDFDict);
  return own.length === all.length ? null : { ...OTHERWISE, instead: file.context.obj(own) };
};

/** A field's name that is no text: pdf.js draws nothing of the page, or others not the field. */
const fieldName: Judge = (value, dict) => {
  const isText = value instanceof PDFString || value instanceof PDFHexString;
  return isText || !fieldKeys.some((name) => dict.has(name)) ? null : OTHERWISE;
};

/** Shadings by their names, or the one of a pattern. */
const shadings: Judge = (value, dict, file) => {
  if (!(value instanceof PDFDict)) return null;
  if (dict.has(key("PatternType"))) {
    const given = dict.get(key("Shading"));
    const instead = settledShading(given, file, true);
    return instead === given ? null : { ...OTHERWISE, instead: instead ?? value };
  }
  const settled = value.entries().map(([name, given]) => [name, given, settledShading(given, file, false)] as const);
  if (settled.some(([, , instead]) => instead === null)) return { ...OTHERWISE, instead: value };
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

/** A `/CropBox`: readers show it differently if it has no area or lies beyond the page. */
const cropBox: Judge = (value, dict, file) => {
  const [left, bottom, right, top] = sidesOf(value, file) ?? [];
  if (left === undefined || areaOf(value, file) === 0) return OTHERWISE;
  const page = sidesOf(inherited(dict, "MediaBox", file), file);
  if (page === null) return null;
  const isBeyond = ([from, to]: [number, number], [start, end]: [number, number]) =>
    Math.min(from, to) >= Math.max(start, end) || Math.max(from, to) <= Math.min(start, end);
  const isOff =
    isBeyond([left, right ?? 0], [page[0], page[2]]) || isBeyond([bottom ?? 0, top ?? 0], [page[1], page[3]]);
  return isOff ? OTHERWISE : null;
};

/** Some readers draw no larger page, and others don't end with one; honest ones have 14,400 at most (ISO 32000-1, annex C). */
const LARGEST_PAGE = 200_000;
/** A page whose own size is none or huge, or leaves nothing of what pages above it say is shown. */
const mediaBox: Judge = (value, dict, file, layers) => {
  if (isOfForm(dict)) return null;
  const shown = dict.has(key("CropBox")) ? undefined : inherited(dict, "CropBox", file);
  const isUnseen = shown !== undefined && cropBox(shown, dict, file, layers) !== null;
  const isHuge = (sidesOf(value, file) ?? []).some((side) => Math.abs(side) > LARGEST_PAGE);
  return sidesOf(value, file) === null || areaOf(value, file) === 0 || isUnseen || isHuge
    ? { ...OTHERWISE, instead: value }
    : null;
};

/** Parts of a page's content that are not there: some readers draw nothing of the page then. */
const parts: Judge = (value, _dict, file) => {
  if (!(value instanceof PDFArray)) return null;
  const all = value.asArray();
  const there = all.filter((part) => file.resolve(part) !== undefined);
  if (there.length === all.length) return null;
  const instead = PDFArray.withContext(file.context);
  for (const part of there) instead.push(part);
  return { ...OTHERWISE, instead };
};

/**
 * Annotations of a page: Poppler draws nothing of one where they are no list; pdf.js has pages inherit them; and MuPDF
 * stretches one that has no place over the page, where others show nothing of it.
 */
const annotations: Judge = (value, dict, file) => {
  if (value === PDFNull) return null;
  if (!(value instanceof PDFArray) || dict.has(KIDS)) return OTHERWISE;
  const all = value.asArray();
  const placed = all.filter((given) => {
    const annotation = file.resolve(given);
    return !(annotation instanceof PDFDict) || sidesOf(annotation.get(RECT), file) !== null;
  });
  return placed.length === all.length ? null : { ...OTHERWISE, instead: file.context.obj(placed) };
};

/** What layers are for, by themselves or as they are configured, which some readers heed; of images it is another thing. */
const intent: Judge = (value, dict, file) =>
  (dict.has(LENGTH) && dict.get(TYPE) !== OCG) || isToView(value, file) ? null : OTHERWISE;

/** Entries that make a page be seen otherwise somewhere, by their names. */
export const alike = new Map<PDFName, Judge>(
  Object.entries({
    S: isSwitch,
    N: statesItself,
    R: momentary,
    D: momentary,
    // Layers that are switched by printing, zoom, language or user; the state of an appearance is a name.
    AS: (value, dict, file) =>
      dict.has(RECT) || (value instanceof PDFArray && leavesAllOn(value, dict, file)) ? null : isList(value),
    Usage: (value, dict, file) =>
      value instanceof PDFDict && file.resolve(dict.get(TYPE)) === OCG && !isOnEverywhere(value, file)
        ? OTHERWISE
        : null,
    OC: ofLayer,
    OCGs: layersOfFile,
    ON: layersOfFile,
    OFF: layersOfFile,
    T: fieldName,
    ...fontEntries,
    Properties: properties,
    Contents: parts,
    // For what is none pdf.js draws no glyphs.
    Resources: (value) => (value instanceof PDFDict || value === PDFNull ? null : OTHERWISE),
    ExtGState: graphicsStates,
    Group: pageGroup,
    ColorSpace: colorSpaces,
    CS: ofGroup,
    Shading: shadings,
    PatternType: (value, dict, file) =>
      dict.has(LENGTH) || !(value instanceof PDFNumber) || (value.asNumber() === 2 && isSoundPattern(dict, file))
        ? null
        : { ...OTHERWISE, instead: value },
    // MuPDF alone shows colors of devices by it.
    DestOutputProfile: (value, dict, file) => {
      const count = value instanceof PDFDict ? file.numberEntry(value, "N") : undefined;
      const isPlain = isPlainProfile(dict.get(key("DestOutputProfile")), value as PDFDict, count ?? 0, file);
      return isPlain ? null : OTHERWISE;
    },
    Intent: intent,
    Filter: filters,
    DecodeParms: parameters,
    // PDFium takes it for the long name everywhere.
    DP: (_value, dict) => (dict.has(LENGTH) ? OTHERWISE : null),
    SMaskInData: clearParts,
    // Images, and what prints in their stead.
    Alternates: isList,
    OPI: ofStream,
    PS: ofStream,
    Subtype: (value, dict, file, layers) => {
      if (!dict.has(LENGTH)) return fontKind(value, dict, file, layers);
      if (value === key("PS")) return OTHERWISE;
      // PDFium takes no text for a name, others do.
      const isSound = value instanceof PDFName && (value !== key("Image") || isSoundImage(dict, file));
      return isSound ? null : { ...OTHERWISE, instead: value };
    },
    BBox: (value, dict, file, layers) =>
      isNullOfShading(value, dict) ? OTHERWISE : cellBox(value, dict, file, layers),
    Background: (value, dict) => (isNullOfShading(value, dict) ? OTHERWISE : null),
    Domain: (value, dict) => (isNullOfShading(value, dict) ? OTHERWISE : null),
    // Pages are turned by quarters, and show something.
    CropBox: cropBox,
    MediaBox: mediaBox,
    UserUnit: (value) => (value instanceof PDFNumber && value.asNumber() > 0 ? null : OTHERWISE),
    Annots: annotations,
    Rotate: (value) => (value instanceof PDFNumber && value.asNumber() % 90 !== 0 ? OTHERWISE : null),
    Subtype2: isName,
    FixedPrint: isDict,
    // Parts of a page that a reader shows or prints alone.
    ViewArea: isName,
    ViewClip: isName,
    PrintArea: isName,
    PrintClip: isName,
    // The pages that a reader prints unless it is told otherwise.
    PrintPageRange: isList,
    // Functions and screens of a device.
    TR: colors,
    TR2: colors,
    HT: colors,
  } satisfies Record<string, Judge>).map(([name, judge]) => [key(name), judge] as const),
);
