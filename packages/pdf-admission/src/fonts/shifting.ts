import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFNumber } from "pdf-lib";
import { namesIn } from "./encodings.ts";
import { programEntry } from "./programs.ts";

/**
 * Codes for no character, such as tabs, of fonts that a file does not bring along. No reader shows anything for them, but
 * some move what follows by a space, others by nothing.
 */
export interface Shifting {
  codes: ReadonlySet<number>;
  /** Whether a space may stand for each, as most readers move text then. */
  areSpaces: boolean;
}

const SIMPLE: readonly (string | undefined)[] = ["Type1", "MMType1", "TrueType"];
export const FIRST_PRINTED = 0x20;
/** Added to a code that something follows which it may move. */
export const FOLLOWED = 256;
const NONE: Shifting = { codes: new Set(), areSpaces: false };
/** One font may be that of many contents. */
const known = new WeakMap<PDFDict, Shifting>();

export const shiftingOf = (font: PDFDict, file: PdfFile): Shifting => {
  const found = known.get(font) ?? judged(font, file);
  known.set(font, found);
  return found;
};

const judged = (font: PDFDict, file: PdfFile): Shifting => {
  const kind = file.nameEntry(font, "Subtype");
  const descriptor = file.dictEntry(font, "FontDescriptor");
  const hasProgram = descriptor !== undefined && programEntry(descriptor, file) !== undefined;
  if (!SIMPLE.includes(kind) || hasProgram) return NONE;
  const encoding = file.entry(font, "Encoding");
  const differences = encoding instanceof PDFDict ? file.entry(encoding, "Differences") : undefined;
  const named = new Map(namesIn(differences, file) ?? []);
  const nameless = Array.from({ length: FIRST_PRINTED }, (_, code) => code).filter(
    (code) => (named.get(code) ?? ".notdef") === ".notdef",
  );
  if (!(file.entry(font, "Widths") instanceof PDFArray))
    return { codes: new Set(nameless), areSpaces: (named.get(FIRST_PRINTED) ?? "space") === "space" };
  // pdf.js alone then goes by widths of its own.
  const missing = file.entry(descriptor, "MissingWidth");
  if (kind === "TrueType" || (missing instanceof PDFNumber && missing.asNumber() > 0)) return NONE;
  const [first = 0, last = 0] = ["FirstChar", "LastChar"].map((name) => file.numberEntry(font, name));
  return { codes: new Set(nameless.filter((code) => code < first || code > last)), areSpaces: false };
};
