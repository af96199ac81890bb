import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type PDFDict, PDFName, PDFRef } from "pdf-lib";

/**
 * Fonts that share a descriptor: pdf.js takes two of them for one where a hash of some of their entries is the same, which
 * anybody can make it.
 */

const [DESCRIPTOR, ENCODING] = names("FontDescriptor", "Encoding");
const setOf = (words: string): ReadonlySet<PDFName> => new Set(words.split(" ").map((word) => PDFName.of(word)));
/** Which change nothing that is drawn. */
const IDLE = setOf("Name ToUnicode Type");

/** What the first font of each descriptor says, by the descriptor's number. */
const first = new WeakMap<PdfFile, Map<number, string>>();

/** Whether a font has the descriptor of another one that pdf.js may take it for. */
export const isTakenForAnother = (font: PDFDict, file: PdfFile): boolean => {
  const given = font.get(DESCRIPTOR);
  if (!(given instanceof PDFRef)) return false;
  const known = first.get(file) ?? new Map<number, string>();
  first.set(file, known);
  const said = font
    .entries()
    .filter(([name]) => !IDLE.has(name))
    .map(([name, value]) => `${name} ${name === ENCODING ? file.resolve(value) : value}`)
    .sort()
    .join();
  if (!known.has(given.objectNumber)) known.set(given.objectNumber, said);
  return known.get(given.objectNumber) !== said;
};
