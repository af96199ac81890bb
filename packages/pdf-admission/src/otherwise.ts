import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, type PDFDict, type PDFObject } from "pdf-lib";
import type { ActiveContent } from "./admission.ts";
import type { Layers } from "./layers/layers.ts";

/** What keeps a page from being seen alike on screen, on paper and after a click, and what stands in its place then. */
export interface Otherwise {
  kind: ActiveContent;
  /** Undefined: the entry is left out. */
  instead?: PDFObject;
}

/** What an entry of a dictionary does to that; null: nothing. */
export type Judge = (value: PDFObject, dict: PDFDict, file: PdfFile, layers: Layers) => Otherwise | null;

export const OTHERWISE: Otherwise = { kind: "shown_otherwise" };
/** Nothing can stand there instead. */
export const refused = (value: PDFObject): Otherwise => ({ ...OTHERWISE, instead: value });

/** A list that has anything is left out. */
export const isList = (value: PDFObject): Otherwise | null =>
  value instanceof PDFArray && value.size() > 0 ? OTHERWISE : null;
