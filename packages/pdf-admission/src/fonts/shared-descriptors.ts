import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, PDFRef } from "pdf-lib";

/** Fonts that share a descriptor: pdf.js takes two of them for one, unless they differ in some of their entries. */

const [DESCRIPTOR, ENCODING] = names("FontDescriptor", "Encoding");
const setOf = (words: string): ReadonlySet<PDFName> => new Set(words.split(" ").map((word) => PDFName.of(word)));
/** By which pdf.js tells them apart, or which change nothing. */
const TOLD = setOf("CharProcs CIDToGIDMap Encoding FirstChar LastChar Name ToUnicode Type W Widths");
/** Of a list of codes it tells values apart, whatever they are called. */
const OF_LISTS = setOf("BaseEncoding Differences Type");

/** What else the first font of each descriptor says, by the descriptor's number. */
const first = new WeakMap<PdfFile, Map<number, string>>();

/** Whether a font has the descriptor of another one that pdf.js may take it for. */
export const isTakenForAnother = (font: PDFDict, file: PdfFile): boolean => {
  const given = font.get(DESCRIPTOR);
  if (!(given instanceof PDFRef)) return false;
  const known = first.get(file) ?? new Map<number, string>();
  first.set(file, known);
  const encoding = file.resolve(font.get(ENCODING));
  const said = [
    ...font.entries().filter(([name]) => !TOLD.has(name)),
    ...(encoding instanceof PDFDict ? encoding.entries().filter(([name]) => !OF_LISTS.has(name)) : []),
  ]
    .map(([name, value]) => `${name} ${value}`)
    .sort()
    .join();
  if (!known.has(given.objectNumber)) known.set(given.objectNumber, said);
  return known.get(given.objectNumber) !== said;
};
