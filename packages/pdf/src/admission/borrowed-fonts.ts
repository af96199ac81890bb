import { PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { Allowance } from "../reading/allowance.ts";
import { filterOf } from "../reading/cross-reference.ts";
import { Damaged } from "../reading/faults.ts";
import { inflateStructure } from "../reading/inflate.ts";
import type { PdfFile } from "../reading/pdf-file.ts";

/** Fonts that a file names and does not bring along: readers take others, and find glyphs in them each in its own way. */

const EMBEDDED = ["FontFile", "FontFile2", "FontFile3"];
/** What programs of fonts begin with: Type 1 as text and in segments, TrueType twice, OpenType, CFF. */
const START = /^(?:2521|8001|00010000|74727565|4f54544f|01..(?!0[0-3])..0[1-4])/;
/** How much of a program is looked at, as it is stored; what follows may be damaged. */
const FIRST_BYTES = 4_096;
/** One program may be that of many fonts. */
const known = new WeakMap<PDFObject, boolean>();
/** Names that some readers take for a character's number, or for a variant of it, and others do not. */
const MISREAD = /^(?:uni[\dA-F]{4,}|\d+|[A-Za-z]{1,5}\d+|u[\dA-F]{4,6}|[^.]+\..+)$/;
/** Of such a form, but listed (Adobe Glyph List). */
const LISTED = /^(?:afii\d{5,}|H\d{5}|SF\d{6})$/;
/** What fonts of symbols call their own characters. */
const ofSymbols = [
  ["Dingbats", /^a\d{1,3}$/],
  ["Symbol", /^(?:omega|phi|sigma|theta|Upsilon)1$/],
] as const;

/** Whether readers show other characters of a font than others do, by what it says of its encoding. */
export const isReadOtherwise = (encoding: PDFObject, font: PDFDict, file: PdfFile): boolean => {
  const name = file.nameEntry(font, "BaseFont");
  if (name === undefined) return false;
  const kind = file.nameEntry(font, "Subtype");
  if (kind === "Type0" || kind === "Type3") return false;
  const differences = encoding instanceof PDFDict ? file.arrayEntry(encoding, "Differences") : undefined;
  const isMisread = (differences?.asArray() ?? []).some((given) => {
    const glyph = file.resolve(given);
    const text = glyph instanceof PDFName ? glyph.decodeText() : "";
    const isOwn = ofSymbols.some(([font, names]) => name.endsWith(font) && names.test(text));
    return MISREAD.test(text) && !LISTED.test(text) && !isOwn;
  });
  return isMisread && !isEmbedded(font, file);
};

/** In the place of a program that is none readers take another font, too. */
const isEmbedded = (font: PDFDict, file: PdfFile): boolean => {
  const descriptor = file.dictEntry(font, "FontDescriptor");
  return EMBEDDED.some((name) => {
    const program = descriptor?.get(PDFName.of(name));
    const dict = file.resolve(program);
    if (!(program instanceof PDFRef && dict instanceof PDFDict)) return false;
    const isOne = known.get(dict) ?? isProgram(program, file);
    known.set(dict, isOne);
    return isOne;
  });
};

const isProgram = ({ objectNumber }: PDFRef, file: PdfFile): boolean => {
  try {
    const stream = file.streamData(objectNumber);
    if (stream === undefined) return false;
    const { filter, parameters } = filterOf(stream.dict);
    const first = stream.data.subarray(0, FIRST_BYTES);
    const data = inflateStructure(first, filter, parameters, new Allowance(first.length));
    return START.test(Buffer.from(data.subarray(0, 8)).toString("hex"));
  } catch (error) {
    if (error instanceof Damaged) return false;
    throw error;
  }
};
