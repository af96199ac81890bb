import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, type PDFObject } from "pdf-lib";

/** What layers say of where they are used, and what switches them by that (ISO 32000-2, 8.11.4). */

const key = (name: string) => PDFName.of(name);

/** What a layer's usage says of each use, and what makes it depend on who reads it, and how (ISO 32000-2, table 100). */
const states = [
  ["View", "ViewState"],
  ["Print", "PrintState"],
  ["Export", "ExportState"],
].map(([use = "", state = ""]) => [key(use), key(state)] as const);
const conditions = ["Zoom", "Language", "User"].map(key);
const [ON, OFF, OCGS, CATEGORY, USAGE] = names("ON", "OFF", "OCGs", "Category", "Usage");

/** Whether a layer's usage has it shown on screen, on paper and in what is exported. */
export const isOnEverywhere = (usage: PDFObject | undefined, file: PdfFile): boolean => {
  if (!(usage instanceof PDFDict)) return usage === undefined;
  const isOn = ([use, state]: readonly [PDFName, PDFName]) => {
    const told = file.resolve(usage.get(use));
    const value = told instanceof PDFDict ? file.resolve(told.get(state)) : undefined;
    return value === undefined || value === ON;
  };
  return !conditions.some((name) => usage.has(name)) && states.every(isOn);
};

/** Whether a layer's usage says how it is shown somewhere. */
export const tellsStates = (usage: PDFDict): boolean => states.some(([use]) => usage.has(use));

/** Whether what switches layers by itself leaves all that it switches on. */
export const leavesAllOn = (switched: PDFArray, config: PDFDict, file: PdfFile): boolean => {
  const off = file.resolve(config.get(OFF));
  const isAnyOff =
    (off instanceof PDFArray && off.size() > 0) || !["ON", undefined].includes(file.nameEntry(config, "BaseState"));
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
