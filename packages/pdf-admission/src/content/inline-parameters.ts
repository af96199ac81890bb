import { isReal } from "@rubrica/pdf-reading/oddities";
import { isPlainlyPredicted } from "@rubrica/pdf-reading/plain-compression";
import { PDFArray, PDFBool, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject } from "pdf-lib";

/** What pictures within contents say of themselves and of their filters; of other types or rows each reader makes something else. */

/** How large a picture is, and in what its colors are. */
export interface Rows {
  width: number;
  depth: number;
  count: number;
}

const FIRST_PNG = 10;
const ROWS = PDFName.of("Rows");

const isInteger = (value: PDFObject): boolean => value instanceof PDFNumber && !isReal(value);
const isTruth = (value: PDFObject): boolean => value instanceof PDFBool;
const isName = (value: PDFObject): boolean => value instanceof PDFName;

/** Of which types entries are; those that are not named here are judged by what they say. */
const types: Readonly<Record<string, (value: PDFObject) => boolean>> = {
  Width: isInteger,
  Height: isInteger,
  BitsPerComponent: isInteger,
  Length: isInteger,
  ImageMask: isTruth,
  Interpolate: isTruth,
  Intent: isName,
};

/** The same of a filter's parameters; a fax says no rows but those of its picture. */
const typesOfParameters: Readonly<Record<string, (value: PDFObject) => boolean>> = {
  EndOfLine: isTruth,
  EncodedByteAlign: isTruth,
  EndOfBlock: isTruth,
  BlackIs1: isTruth,
  K: isInteger,
  Columns: isInteger,
  Rows: isInteger,
};

const areOfTypes = (entries: Iterable<readonly [string, PDFObject]>, all: typeof types): boolean =>
  [...entries].every(([name, value]) => all[name]?.(value) !== false);

/** Whether entries and parameters of filters are of their types, and these are lists together or not. */
export const areSoundEntries = (head: ReadonlyMap<string, PDFObject>): boolean => {
  const [filter, given] = [head.get("Filter"), head.get("DecodeParms")];
  if (!areOfTypes(head, types)) return false;
  if (given === undefined) return true;
  const all = given instanceof PDFArray ? given.asArray() : [given];
  const isAsFilters =
    filter instanceof PDFArray
      ? given instanceof PDFArray && all.length === filter.size()
      : !(given instanceof PDFArray);
  const height = head.get("Height");
  return (
    isAsFilters &&
    all.every((one) => {
      if (!(one instanceof PDFDict)) return one === PDFNull;
      const rows = one.get(ROWS);
      const areItsOwn = rows === undefined || ["0", height?.toString()].includes(rows.toString());
      return (
        areItsOwn &&
        areOfTypes(
          one.entries().map(([name, value]) => [name.decodeText(), value]),
          typesOfParameters,
        )
      );
    })
  );
};

/** Of a picture's parameters, its rule by which rows are predicted; 0 without one, undefined where readers take them in their own ways. */
export const inlinePredictor = (head: ReadonlyMap<string, PDFObject>, rows: Rows): number | undefined => {
  const given = head.get("DecodeParms");
  if (given === undefined) return 0;
  const predictors = (given instanceof PDFArray ? given.asArray() : [given]).map((one) =>
    one === PDFNull ? 0 : predictorOf(one, rows),
  );
  return predictors.includes(undefined) ? undefined : Math.max(0, ...(predictors as number[]));
};

const predictorOf = (parameters: PDFObject, { width, depth, count }: Rows): number | undefined => {
  if (!(parameters instanceof PDFDict) || !isPlainlyPredicted(parameters, (value) => value)) return undefined;
  const numberOf = (name: string, otherwise: number) => {
    const value = parameters.get(PDFName.of(name));
    return value instanceof PDFNumber ? value.asNumber() : otherwise;
  };
  const predictor = numberOf("Predictor", 1);
  if (predictor <= 1) return 0;
  const isOwn =
    numberOf("Columns", 1) === width && numberOf("Colors", 1) === count && numberOf("BitsPerComponent", 8) === depth;
  return isOwn && predictor >= FIRST_PNG ? predictor : undefined;
};
