import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import type { ActiveContent } from "../port.ts";
import type { PdfFile } from "../reading/pdf-file.ts";

/** What keeps a page from being seen alike on screen, on paper and after a click, and what stands in its place then. */
export interface Otherwise {
  kind: ActiveContent;
  /** Of the entry, where it is another one than the one that was looked at. */
  name?: PDFName;
  /** Undefined: the entry is left out. */
  instead?: PDFObject;
}

type Judge = (value: PDFObject, dict: PDFDict, file: PdfFile) => Otherwise | null;

const key = (name: string) => PDFName.of(name);
const [N, AP, F, LENGTH, RECT, SUBTYPE, S] = ["N", "AP", "F", "Length", "Rect", "Subtype", "S"].map(key) as [
  PDFName,
  PDFName,
  PDFName,
  PDFName,
  PDFName,
  PDFName,
  PDFName,
];
const appearanceKeys = new Set(["N", "R", "D"].map(key));
/** Annotations of print shops: marks and traps that are drawn on paper alone. */
const ofPrintShops = new Set(["PrinterMark", "TrapNet"].map(key));
/** What leaves colors as they are. */
const neutral = new Set(["Identity", "Default"].map(key));

/** Flags of annotations (ISO 32000-2, table 167). */
const [HIDDEN, PRINT, NO_VIEW, TOGGLE_NO_VIEW] = [2, 4, 32, 256];

const OTHERWISE: Otherwise = { kind: "shown_otherwise" };

/** Whether a dictionary is the list of an annotation's appearances. */
const isAppearance = (dict: PDFDict, file: PdfFile): boolean =>
  dict.keys().every((name) => appearanceKeys.has(name)) && file.resolve(dict.get(N)) instanceof PDFDict;

/** Appearances for a pointer that is over an annotation, or pressed on it. */
const momentary: Judge = (value, dict, file) =>
  value instanceof PDFDict && isAppearance(dict, file) ? { kind: "momentary" } : null;

/** What can be seen of an annotation is seen on screen and on paper, or on neither. */
const flags: Judge = (value, dict, file) => {
  const appearance = file.resolve(dict.get(AP));
  const isSeen = appearance instanceof PDFDict && appearance.has(N);
  if (!(value instanceof PDFNumber && isSeen && dict.has(RECT))) return null;
  const given = value.asNumber();
  if ((given & HIDDEN) !== 0) return null;
  const [onScreen, onPaper] = [(given & NO_VIEW) === 0, (given & PRINT) !== 0];
  const rest = given & ~(NO_VIEW | TOGGLE_NO_VIEW);
  if (!onScreen) return { kind: "shown_otherwise", instead: PDFNumber.of((rest & ~PRINT) | HIDDEN) };
  if ((given & TOGGLE_NO_VIEW) !== 0) return { kind: "shown_otherwise", instead: PDFNumber.of(rest | PRINT) };
  return onPaper ? null : { kind: "momentary", instead: PDFNumber.of(rest | PRINT) };
};

/** Marks of print shops go; an annotation without flags is not printed. */
const appearance: Judge = (value, dict) => {
  if (ofPrintShops.has(dict.get(SUBTYPE) as PDFName)) return OTHERWISE;
  const lacksFlags = value instanceof PDFDict && value.has(N) && dict.has(RECT) && !dict.has(F);
  return lacksFlags ? { kind: "momentary", name: F, instead: PDFNumber.of(PRINT) } : null;
};

/** Actions that show or hide something, wherever they stand. */
const switches = new Set(["Hide", "ResetForm", "SetOCGState"].map(key));
const isSwitch: Judge = (value, dict) =>
  switches.has(value as PDFName) && dict.get(key("Type")) !== key("StructElem") ? OTHERWISE : null;

const isName: Judge = (value) => (value instanceof PDFName ? OTHERWISE : null);
const isDict: Judge = (value) => (value instanceof PDFDict ? OTHERWISE : null);
const isList = (value: PDFObject): Otherwise | null =>
  value instanceof PDFArray && value.size() > 0 ? OTHERWISE : null;
/** A soft mask has a function of the same name, which is a part of what is seen. */
const colors: Judge = (value, dict) => (dict.has(S) || neutral.has(value as PDFName) ? null : OTHERWISE);
const ofStream: Judge = (value, dict) => (dict.has(LENGTH) && value instanceof PDFDict ? OTHERWISE : null);

/** What a layer's usage says of each use, and what makes it depend on who reads it, and how (ISO 32000-2, table 100). */
const states = [
  ["View", "ViewState"],
  ["Print", "PrintState"],
  ["Export", "ExportState"],
].map(([use = "", state = ""]) => [key(use), key(state)] as const);
const conditions = ["Zoom", "Language", "User"].map(key);
const [ON, OFF, OCGS, CATEGORY, USAGE, BASE_STATE] = ["ON", "OFF", "OCGs", "Category", "Usage", "BaseState"].map(
  key,
) as [PDFName, PDFName, PDFName, PDFName, PDFName, PDFName];

/** Whether a layer's usage has it shown on screen, on paper and in what is exported. */
const isOnEverywhere = (usage: PDFObject | undefined, file: PdfFile): boolean => {
  if (!(usage instanceof PDFDict)) return usage === undefined;
  const isOn = ([use, state]: readonly [PDFName, PDFName]) => {
    const told = file.resolve(usage.get(use));
    const value = told instanceof PDFDict ? file.resolve(told.get(state)) : undefined;
    return value === undefined || value === ON;
  };
  return !conditions.some((name) => usage.has(name)) && states.every(isOn);
};

/** Whether what switches layers by itself leaves all that it switches on. */
const leavesAllOn = (switched: PDFArray, config: PDFDict, file: PdfFile): boolean => {
  const off = file.resolve(config.get(OFF));
  const isAnyOff = (off instanceof PDFArray && off.size() > 0) || ![undefined, ON].includes(nameAt(config, BASE_STATE));
  const leavesOn = (given: PDFObject): boolean => {
    const event = file.resolve(given);
    if (!(event instanceof PDFDict)) return false;
    const [categories, layers] = [file.resolve(event.get(CATEGORY)), file.resolve(event.get(OCGS))];
    const known =
      categories instanceof PDFArray && categories.asArray().every((one) => states.some(([use]) => use === one));
    return known && layers instanceof PDFArray && layers.asArray().every(isOn);
  };
  const isOn = (given: PDFObject): boolean => {
    const layer = file.resolve(given);
    return layer instanceof PDFDict && isOnEverywhere(file.resolve(layer.get(USAGE)), file);
  };
  return !isAnyOff && switched.asArray().every(leavesOn);
};

const nameAt = (dict: PDFDict, name: PDFName): PDFName | undefined => {
  const value = dict.get(name);
  return value instanceof PDFName ? value : undefined;
};

/** Entries that make a page be seen otherwise somewhere, by their names. */
export const alike = new Map<PDFName, Judge>(
  Object.entries({
    S: isSwitch,
    F: flags,
    AP: appearance,
    R: momentary,
    D: momentary,
    // Layers that are switched by printing, zoom, language or user; the state of an appearance is a name.
    AS: (value, dict, file) =>
      dict.has(RECT) || (value instanceof PDFArray && leavesAllOn(value, dict, file)) ? null : isList(value),
    Usage: (value, dict, file) =>
      value instanceof PDFDict && dict.get(key("Type")) === key("OCG") && !isOnEverywhere(value, file)
        ? OTHERWISE
        : null,
    // Images, and what prints in their stead.
    Alternates: isList,
    OPI: ofStream,
    PS: ofStream,
    Subtype: (value, dict) => (value === key("PS") && dict.has(LENGTH) ? OTHERWISE : null),
    Subtype2: isName,
    FixedPrint: isDict,
    // Parts of a page that a reader shows or prints alone.
    ViewArea: isName,
    ViewClip: isName,
    PrintArea: isName,
    PrintClip: isName,
    // Functions and screens of a device.
    TR: colors,
    TR2: colors,
    HT: colors,
  } satisfies Record<string, Judge>).map(([name, judge]) => [key(name), judge] as const),
);
