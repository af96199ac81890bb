import { deflateSync } from "node:zlib";
import { Jbig2Drawing } from "@rubrica/pdf-drawing/placing/jbig2-bits";
import { Damaged, TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type PDFDict, PDFName, type PDFObject } from "pdf-lib";
import { areWholeGlobals, isPlainJbig2 } from "./coded/jbig2.ts";
import { dataOf } from "./colors/values.ts";
import { plainOf } from "./picture-filters.ts";

/** Pictures in JBIG2: where their codes are broken, which only drawing them tells, each reader shows something else. */

/** So much what pictures in JBIG2 share may be. */
const MAX_GLOBALS_BYTES = 4 * 1024 * 1024;
/** So much of what is compressed once more. */
const MAX_TOLD_BYTES = 32 * 1024 * 1024;
/** Of text of 300 dots an inch it takes a fifth of what the usual level (6) takes, for a tenth more bytes. */
const LEVEL = 4;
const NOTHING = Buffer.of();

/** What is said of a picture in JBIG2. */
export interface Jbig2Told {
  width: number;
  height: number;
  globals: PDFObject | undefined;
  areGlobalsWhole: boolean;
}

export interface Jbig2Picture {
  number: number;
  /** What its data are compressed by before. */
  filters: readonly string[];
  jbig2: Jbig2Told;
}

/** Many pictures may share them. */
const wholeGlobals = new WeakMap<PDFObject, boolean>();

export const jbig2Told = (image: PDFDict, parameters: PDFDict | undefined, file: PdfFile): Jbig2Told => {
  const globals = parameters?.get(PDFName.of("JBIG2Globals"));
  const found = file.resolve(globals);
  const areGlobalsWhole = found === undefined || (wholeGlobals.get(found) ?? areWhole(globals, file));
  if (found !== undefined) wholeGlobals.set(found, areGlobalsWhole);
  const [width = 0, height = 0] = [file.numberEntry(image, "Width"), file.numberEntry(image, "Height")];
  return { width, height, globals: found && globals, areGlobalsWhole };
};

const areWhole = (globals: PDFObject | undefined, file: PdfFile): boolean => {
  const data = dataOf(globals, file, MAX_GLOBALS_BYTES);
  return data !== undefined && areWholeGlobals(data);
};

export interface DrawnPictures {
  dots: ReadonlyMap<number, Uint8Array>;
  /** Whether none of them is broken, or of parts that only some readers draw. */
  areAllAlike: boolean;
}

/**
 * The dots of pictures by their numbers, a bit each, compressed in Flate, which every reader shows alike. Of those that are
 * broken there are none. Throws `TooComplex`.
 */
export const drawnPictures = async (file: PdfFile, pictures: readonly Jbig2Picture[]): Promise<DrawnPictures> => {
  const drawing = new Jbig2Drawing();
  const ofTold = { bytes: MAX_TOLD_BYTES };
  const dots = new Map<number, Uint8Array>();
  let areAllAlike = true;
  let shared: { of: PDFObject | undefined; data: Uint8Array | undefined } = { of: undefined, data: undefined };
  for (const { number, filters, jbig2 } of pictures) {
    const { width, height, globals: of } = jbig2;
    if (shared.of !== of) shared = { of, data: dataOf(of, file, MAX_GLOBALS_BYTES) };
    const held = file.streamData(number)?.data;
    const data = held && plainOf(held, filters, ofTold);
    if (data === undefined) throw new Damaged("a picture in JBIG2 has no data");
    const bits = await drawing.bits({ width, height, data, globals: shared.data });
    if (bits === undefined) throw new TooComplex("its pictures in JBIG2 take too long, or are too large");
    if (bits !== null) dots.set(number, deflateSync(bits, { level: LEVEL }));
    if (bits === null || ![data, shared.data ?? NOTHING].every(isPlainJbig2)) areAllAlike = false;
  }
  return { dots, areAllAlike };
};
