import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { isList, type Judge, OTHERWISE, type Otherwise, refused } from "../otherwise.ts";
import { isToView } from "./layers.ts";
import { isOnEverywhere, leavesAllOn, tellsStates } from "./usage.ts";

/** Entries of layers, and of what belongs to them, that readers take each in their own way. */

const [LENGTH, RECT, TYPE, OC, OCG] = names("Length", "Rect", "Type", "OC", "OCG");

/** What readers take for another layer than others do, or for none, belongs to one that they agree on, or to none. */
const ofLayer: Judge = (value, dict, _file, layers) => {
  // Some readers hide what belongs to something that is no dictionary, or is not there.
  if (!(value instanceof PDFDict)) return dict.has(RECT) ? null : OTHERWISE;
  const instead = dict.has(RECT) ? undefined : layers.instead(dict.get(OC) as PDFObject);
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

/** Layers of a file, or those that are on or off: where something else is among them some readers take none for one. */
const layersOfFile: Judge = (value, dict, file) => {
  const all = file.dictEntry(file.catalog, "OCProperties");
  return all !== undefined && (dict === all || dict === file.dictEntry(all, "D")) ? onlyLayers(value, file) : null;
};

const onlyLayers = (value: PDFObject, file: PdfFile): Otherwise | null => {
  if (!(value instanceof PDFArray)) return refused(value);
  const all = value.asArray();
  const own = all.filter((one) => {
    const layer = one instanceof PDFRef ? file.resolve(one) : undefined;
    return layer instanceof PDFDict && file.resolve(layer.get(TYPE)) === OCG;
  });
  return own.length === all.length ? null : { ...OTHERWISE, instead: file.context.obj(own) };
};

/** What layers are for, by themselves or as they are configured, which some readers heed; of images it is another thing. */
const intent: Judge = (value, dict, file) =>
  (dict.has(LENGTH) && dict.get(TYPE) !== OCG) || isToView(value, file) ? null : OTHERWISE;

/** Layers that are switched by printing, zoom, language or user; the state of an appearance is a name. */
const switched: Judge = (value, dict, file) =>
  dict.has(RECT) || (value instanceof PDFArray && leavesAllOn(value, dict, file)) ? null : isList(value);

/** What a layer is used for, where that is not the same everywhere: PDFium prints one that is off where it says so. */
const usage: Judge = (value, dict, file, layers) => {
  if (!(value instanceof PDFDict) || file.resolve(dict.get(TYPE)) !== OCG) return null;
  return isOnEverywhere(value, file) && !(tellsStates(value) && layers.isOff(dict)) ? null : OTHERWISE;
};

export const layerEntries = {
  AS: switched,
  Usage: usage,
  BaseState: (value) => (value instanceof PDFName ? null : OTHERWISE),
  OC: ofLayer,
  OCGs: layersOfFile,
  ON: layersOfFile,
  OFF: layersOfFile,
  Properties: properties,
  Intent: intent,
} satisfies Record<string, Judge>;
