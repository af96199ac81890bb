import { isReal } from "@rubrica/pdf-reading/oddities";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFBool, PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import type { FaxParameters } from "./coded/fax.ts";

/** What a picture says of how its data are to be read (ISO 32000-2, 7.4): of other than its own size and colors each reader makes something else. */

/** How large a picture is, and in what its colors are; undefined where its data say it themselves. */
export interface Shape {
  width: number;
  height: number;
  depth: number | undefined;
  count: number | undefined;
}

const PREDICTED = /^(?:Flate|LZW)Decode$|^Fl$|^LZW$/;
/** Data in it are not looked into, and so their rules are not. */
const LZW = /^LZW(?:Decode)?$/;
const FAX = /^CCITTFaxDecode$|^CCF$/;
const BITONAL = /^(?:CCITTFax|JBIG2)Decode$|^CCF$/;
const [NONE, TIFF, PNG, LAST_PNG] = [1, 2, 10, 15];
/** PDFium adds up whole bytes, or bits that are all of one color; Poppler none of 16 bits. */
const isAddedUp = ({ depth, count }: Shape): boolean => depth === 8 || (depth === 1 && count === 1);
const TRANSFORMS = [0, 1];
const COLOR_TRANSFORM = PDFName.of("ColorTransform");
const FAX_COLUMNS = 1728;
const FAX_TRUTHS = ["EndOfLine", "EncodedByteAlign", "EndOfBlock", "BlackIs1"];

/** Whether all readers read a picture's data alike, as far as its dictionary tells. */
export const isReadAlike = (image: PDFDict, filters: readonly string[], shape: Shape, file: PdfFile): boolean => {
  if (BITONAL.test(filters.at(-1) ?? "") && (shape.depth !== 1 || shape.count !== 1)) return false;
  return filters.every((filter, index) => {
    const parameters = parametersAt(image, index, file);
    if (parameters === undefined) return !FAX.test(filter) || shape.width === FAX_COLUMNS;
    if (FAX.test(filter)) return isFaxTold(parameters, shape, file);
    if (LZW.test(filter) && (isPng(predictorOf(parameters, file)) || !isLzwTold(parameters, index, filters, file)))
      return false;
    return !PREDICTED.test(filter) || isPredictedAlike(parameters, shape, file);
  });
};

/** What belongs to one of a picture's filters. */
export const parametersAt = (image: PDFDict, index: number, file: PdfFile): PDFDict | undefined => {
  const given = file.entry(image, "DecodeParms");
  const own = given instanceof PDFArray ? file.resolve(given.asArray()[index]) : index === 0 ? given : undefined;
  return own instanceof PDFDict ? own : undefined;
};

/** How many codes before they need it codes of LZW grow. */
export const earlyOf = (parameters: PDFDict, file: PdfFile): number =>
  numberOr(file.entry(parameters, "EarlyChange"), 1) ?? Number.NaN;

/** Codes that grow late are known in what is not compressed once more. */
const isLzwTold = (parameters: PDFDict, index: number, filters: readonly string[], file: PdfFile): boolean => {
  const early = earlyOf(parameters, file);
  return early === 1 || (early === 0 && index === filters.length - 1);
};

/** By which rule colors are added up to those before them; undefined where it is no number. */
export const predictorOf = (parameters: PDFDict | undefined, file: PdfFile): number | undefined =>
  parameters === undefined ? NONE : numberOr(file.entry(parameters, "Predictor"), NONE);

const isPredictedAlike = (parameters: PDFDict, shape: Shape, file: PdfFile): boolean => {
  const { width, depth, count } = shape;
  const predictor = predictorOf(parameters, file);
  if (predictor === NONE) return true;
  const isKnown = predictor === TIFF ? isAddedUp(shape) : isPng(predictor);
  const told = (["Columns", "BitsPerComponent", "Colors"] as const).map((name) =>
    numberOr(file.entry(parameters, name), { Columns: 1, BitsPerComponent: 8, Colors: 1 }[name]),
  );
  return isKnown && told[0] === width && told[1] === depth && told[2] === count;
};

/** Whether each row begins with what tells its rule. */
export const isPng = (predictor: number | undefined): boolean =>
  predictor !== undefined && Number.isInteger(predictor) && predictor >= PNG && predictor <= LAST_PNG;

/** What is said of a picture's data in the manner of a fax; what is no truth, or no whole number, some readers take for one. */
export const faxOf = (parameters: PDFDict | undefined, rows: number, file: PdfFile): FaxParameters => ({
  columns: numberOr(file.entry(parameters, "Columns"), FAX_COLUMNS) ?? 0,
  rows,
  k: numberOr(file.entry(parameters, "K"), 0) ?? 0,
  isAligned: file.entry(parameters, "EncodedByteAlign") === PDFBool.True,
  isMarked: file.entry(parameters, "EndOfLine") === PDFBool.True,
});

const isFaxTold = (parameters: PDFDict, { width, height }: Shape, file: PdfFile): boolean => {
  const isTruth = (name: string) =>
    [undefined, PDFBool.True, PDFBool.False].includes(file.entry(parameters, name) as never);
  if (!FAX_TRUTHS.every(isTruth) || !Number.isInteger(numberOr(file.entry(parameters, "K"), 0))) return false;
  const [columns, rows] = [
    numberOr(file.entry(parameters, "Columns"), FAX_COLUMNS),
    numberOr(file.entry(parameters, "Rows"), 0),
  ];
  return columns === width && (rows === 0 || rows === height);
};

/** What is said of the colors of data in JPEG; undefined where nothing is, `NaN` for what is neither 0 nor 1, which each reader takes in its own way. */
export const transformOf = (
  parameters: PDFDict | undefined,
  resolve: (value: PDFObject) => PDFObject | undefined,
): number | undefined => {
  // An entry that is null, or not there, is one for some readers.
  const given = parameters?.get(COLOR_TRANSFORM, true);
  if (given === undefined) return undefined;
  const value = resolve(given);
  return value instanceof PDFNumber && !isReal(value) && TRANSFORMS.includes(value.asNumber())
    ? value.asNumber()
    : Number.NaN;
};

const numberOr = (value: PDFObject | undefined, otherwise: number): number | undefined =>
  // Poppler takes an integer alone.
  value === undefined ? otherwise : value instanceof PDFNumber && !isReal(value) ? value.asNumber() : undefined;
