import { isDeepStrictEqual } from "node:util";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { hasPlainHead } from "@rubrica/pdf-reading/plain-compression";
import { PDFBool, PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import { type FaxParameters, isWholeFax } from "./coded/fax.ts";
import { inflatedLength, isRule } from "./coded/inflated-length.ts";
import { isWholeJbig2 } from "./coded/jbig2.ts";
import { areColorsAgreed, type JpegFrame, jpegIn } from "./coded/jpeg.ts";
import { jpeg2000In } from "./coded/jpeg-2000.ts";
import { Samples } from "./coded/jpeg-values.ts";
import { spaceOf } from "./content/resources.ts";
import { lengthOfLzw, lengthOfRuns } from "./filters.ts";
import { hasSides } from "./images.ts";
import { type Jbig2Picture, type Jbig2Told, jbig2Told } from "./jbig2-pictures.ts";
import { earlyOf, faxOf, isPng, parametersAt, predictorOf, transformOf } from "./parameters.ts";
import {
  type Budget,
  decoders,
  FAX,
  FLATE,
  filtersOf,
  inflatedUpTo,
  JBIG2,
  JPEG,
  JPEG_2000,
  LZW,
  plainOf,
  RUNS,
} from "./picture-filters.ts";
import { goesBeyond, type ShortTable, shortTableOf } from "./short-tables.ts";

/** Pictures whose data end before the picture does: readers fill up the rest in white, in black, or draw nothing at all. */

/** So large a picture is made to see how long it is, and so much of all of them. */
const [MAX_MADE_BYTES, MAX_BYTES] = [16 * 1024 * 1024, 128 * 1024 * 1024];
/** So much of all that tell their size and are compressed once more, which makes honest ones no smaller: going through them takes longer. */
const MAX_TOLD_BYTES = 32 * 1024 * 1024;
/** So much of all pictures with short tables is looked at, dot by dot: some 100 ms. Others get whole tables. */
const MAX_OF_TABLES = 16 * 1024 * 1024;
/** What some programs write behind a picture. */
const MOST_AFTERWARDS = 65_536;
/** So many rows of all in the manner of a fax: they may be of one bit each. */
const MAX_FAX_ROWS = 20_000_000;

/** A picture whose data can be measured. */
export interface MeasurablePicture {
  number: number;
  /** In bytes, without a compression; unknown where data say it themselves. */
  size: number;
  filters: readonly string[];
  /** How long a row is with the byte before it that tells its rule; 0: there are none. */
  row: number;
  /** What data in JPEG have to say of themselves. */
  frame: JpegFrame | null;
  isJpeg2000: boolean;
  /** What is said around data in JPEG of their colors; undefined where nothing is. */
  transform: number | undefined;
  /** How early codes of LZW grow. */
  early: number;
  /** What is said of data in the manner of a fax. */
  fax: FaxParameters | null;
  /** What is said of data in JBIG2. */
  jbig2: Jbig2Told | null;
  /** Its table of colors, where that lacks some. */
  shortTable: ShortTable | null;
}

/** What an object is as a picture; undefined where it is not a picture, has no size, or its data don't tell how large it is. */
export const pictureOf = (
  object: PDFObject | undefined,
  number: number,
  file: PdfFile,
): MeasurablePicture | undefined => {
  if (!(object instanceof PDFDict) || file.nameEntry(object, "Subtype") !== "Image" || !hasSides(object, file))
    return undefined;
  const filters = filtersOf(object, file);
  const last = filters.at(-1) ?? "";
  const isJpeg2000 = last === JPEG_2000;
  const frame = isJpeg2000 || last === JPEG ? toldFrame(object, file) : null;
  const parameters = parametersAt(object, filters.length - 1, file);
  const fax = last === FAX ? faxOf(parameters, file.numberEntry(object, "Height") ?? 0, file) : null;
  const jbig2 = last === JBIG2 ? jbig2Told(object, parameters, file) : null;
  const isToldByData = frame !== null || fax !== null || jbig2 !== null;
  const { bytes, rows, hasRules } = isToldByData ? NO_ROWS : (rowsOf(object, filters.length - 1, file) ?? UNTOLD);
  const others = isToldByData ? filters.slice(0, -1) : filters;
  const isMeasured = rows >= 0 && others.every((filter) => decoders[filter] !== undefined);
  const row = hasRules ? bytes : 0;
  const transform = transformOf(parameters, (value) => file.resolve(value));
  const early = parameters === undefined ? 1 : earlyOf(parameters, file);
  const shortTable = shortTableOf(object, file.numberEntry(object, "BitsPerComponent"), hasRules, file);
  const told = { number, filters: others, frame, isJpeg2000, transform, early, fax, jbig2, shortTable };
  return isMeasured ? { ...told, size: bytes * rows, row } : undefined;
};

/** What is wrong with the data of a file's pictures. */
export interface PictureLook {
  /** Whether one has less data than it says, or others. */
  isOther: boolean;
  /** Pictures by their numbers that are of another size than is said of them, or of a depth that nothing says: readers draw one, the other, or a part. */
  sizes: ReadonlyMap<number, JpegFrame>;
  /** Pictures by their numbers that may have colors beyond their table. */
  beyondTables: ReadonlySet<number>;
  /** Pictures in JBIG2 that are whole, as far as it is told without drawing them. */
  inJbig2: readonly Jbig2Picture[];
}

/** Looks into the data of pictures. Throws `TooComplex`. */
export const lookAtPictures = (file: PdfFile, pictures: readonly MeasurablePicture[]): PictureLook => {
  const budget: Budget = { bytes: MAX_BYTES };
  const ofTold: Budget = { bytes: MAX_TOLD_BYTES };
  let rowsLeft = MAX_FAX_ROWS;
  const takeRows = (rows: number): void => {
    rowsLeft -= rows;
    if (rowsLeft < 0) throw new TooComplex("its pictures have too many rows");
  };
  const samples = new Samples();
  const sizes = new Map<number, JpegFrame>();
  const isOtherJpeg = (
    { number, isJpeg2000, transform }: MeasurablePicture,
    told: JpegFrame,
    plain: Uint8Array | undefined,
  ): boolean => {
    const frame = plain && (isJpeg2000 ? jpeg2000FrameFor(plain, told) : jpegFrameFor(plain, transform, samples));
    if (frame === undefined || ![0, frame.depth].includes(told.depth) || frame.components !== told.components)
      return true;
    if (!isDeepStrictEqual(frame, told)) sizes.set(number, frame);
    return false;
  };
  const inJbig2: Jbig2Picture[] = [];
  const isOther = (picture: MeasurablePicture): boolean => {
    const { number, size, frame, filters, fax, jbig2 } = picture;
    const data = file.streamData(number)?.data;
    if (frame !== null) return isOtherJpeg(picture, frame, data && plainOf(data, filters, ofTold));
    if (fax !== null || jbig2 !== null) {
      const plain = data && plainOf(data, filters, ofTold);
      if (plain === undefined) return true;
      if (jbig2 !== null) {
        const isWhole = jbig2.areGlobalsWhole && isWholeJbig2(plain, jbig2, takeRows);
        if (isWhole) inJbig2.push({ number, filters, jbig2 });
        return !isWhole;
      }
      if (fax === null) return true;
      takeRows(fax.rows);
      return !isWholeFax(plain, fax);
    }
    return data !== undefined && lengthOf(data, picture, budget) < size;
  };
  const others = new Set(pictures.filter(isOther));
  const ofTables: Budget = { bytes: MAX_OF_TABLES };
  const beyond = pictures.filter((picture) => !others.has(picture) && isBeyond(picture, file, ofTables));
  const beyondTables = new Set(beyond.map(({ number }) => number));
  return { isOther: others.size > 0, sizes, beyondTables, inJbig2 };
};

/** Whether a picture has a color beyond its table, or may have one: where looking would take long, or is not known how. */
const isBeyond = (picture: MeasurablePicture, file: PdfFile, budget: Budget): boolean => {
  const { number, size, frame, filters, fax, jbig2, shortTable } = picture;
  if (shortTable === null) return false;
  const isCoded = frame !== null || fax !== null || jbig2 !== null;
  const [filter, ...others] = filters;
  if (isCoded || others.length > 0 || (filter !== undefined && filter !== FLATE) || size > budget.bytes) return true;
  budget.bytes -= size;
  const data = file.streamData(number)?.data;
  const plain = data && (filter === undefined ? data : inflatedUpTo(data, size + MOST_AFTERWARDS));
  return !plain || plain.length < size || goesBeyond(plain.subarray(0, size), shortTable);
};

/** Undefined where readers don't agree on what is in the data. */
const jpegFrameFor = (data: Uint8Array, transform: number | undefined, samples: Samples): JpegFrame | undefined => {
  const jpeg = jpegIn(data, samples);
  return jpeg && areColorsAgreed(jpeg.colors, transform) ? jpeg.frame : undefined;
};

/** All readers take the depth of JPEG 2000 from its data, and one or three components for greys or colors. */
const jpeg2000FrameFor = (data: Uint8Array, told: JpegFrame): JpegFrame | undefined => {
  const picture = jpeg2000In(data);
  if (picture === undefined || (told.components === 0 && picture.hasProfile)) return undefined;
  const { frame } = picture;
  const isTold = told.components !== 0 || frame.components === 1 || frame.components === 3;
  return { ...frame, components: isTold && told.components === 0 ? 0 : frame.components, depth: told.depth };
};

/** Says of a picture what its data do. */
export const setSize = (picture: PDFObject, size: JpegFrame | undefined): void => {
  if (size === undefined || !(picture instanceof PDFDict)) return;
  picture.set(PDFName.of("Width"), PDFNumber.of(size.width));
  picture.set(PDFName.of("Height"), PDFNumber.of(size.height));
  if (size.depth > 0) picture.set(PDFName.of("BitsPerComponent"), PDFNumber.of(size.depth));
};

/** Of a mask, and of what names no colors, readers make each something else. */
const toldFrame = (image: PDFDict, file: PdfFile): JpegFrame => ({
  width: file.numberEntry(image, "Width") ?? 0,
  height: file.numberEntry(image, "Height") ?? 0,
  depth: file.numberEntry(image, "BitsPerComponent") ?? 0,
  components: spaceOf(file.entry(image, "ColorSpace"), file)?.count ?? 0,
});

interface Rows {
  /** How long one is. */
  bytes: number;
  rows: number;
  /** Whether before each stands by which rule it is read. */
  hasRules: boolean;
}

const NO_ROWS: Rows = { bytes: 0, rows: 0, hasRules: false };
const UNTOLD: Rows = { bytes: 0, rows: -1, hasRules: false };

/** How many bytes a picture's rows take; undefined where that is not told, or is another's to judge. */
const rowsOf = (image: PDFDict, last: number, file: PdfFile): Rows | undefined => {
  const [width = 0, height = 0] = [file.numberEntry(image, "Width"), file.numberEntry(image, "Height")];
  const isMask = file.entry(image, "ImageMask") === PDFBool.True;
  const depth = isMask ? 1 : file.numberEntry(image, "BitsPerComponent");
  const count = isMask ? 1 : spaceOf(file.entry(image, "ColorSpace"), file)?.count;
  if (depth === undefined || count === undefined) return undefined;
  const hasRules = isPng(predictorOf(parametersAt(image, last, file), file));
  return { bytes: Math.ceil((width * depth * count) / 8) + (hasRules ? 1 : 0), rows: height, hasRules };
};

/** How long a picture's data are, as far as it needs them; 0 where they are broken, or rows are read by no rule. */
const lengthOf = (data: Uint8Array, { filters, size, row, early }: MeasurablePicture, budget: Budget): number => {
  const plain = plainOf(data, filters.slice(0, -1), budget);
  const last = filters.at(-1);
  if (plain === undefined || last === undefined) return plain?.length ?? 0;
  if (last === FLATE) return lengthOfFlate(plain, size, row, budget);
  if (last === RUNS) return lengthOfRuns(plain) ?? 0;
  if (last === LZW) return lengthOfLzw(plain, early) ?? 0;
  return decoders[last]?.(plain, budget)?.length ?? 0;
};

/** Whether each row of plain data is read by a rule that there is. */
const haveRules = (plain: Uint8Array, row: number): boolean => {
  for (let at = 0; at < plain.length; at += row) if (!isRule(plain[at] as number)) return false;
  return true;
};

/** Making smaller ones takes less time than counting, and more memory. */
const lengthOfFlate = (data: Uint8Array, asked: number, row: number, budget: Budget): number => {
  if (!hasPlainHead(data)) return 0;
  if (asked > budget.bytes || asked > MAX_MADE_BYTES) return inflatedLength(data, asked, row) ?? 0;
  budget.bytes -= asked;
  const plain = inflatedUpTo(data, asked);
  // Some programs write more than the picture takes.
  if (plain === null) return row === 0 ? asked : (inflatedLength(data, asked, row) ?? 0);
  return plain !== undefined && (row === 0 || haveRules(plain, row)) ? plain.length : 0;
};
