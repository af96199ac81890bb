import { isPlainlyPredicted } from "@rubrica/pdf-reading/plain-compression";
import { PDFArray, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject } from "pdf-lib";

/** What pictures within contents say of their filters; of other rows than their own each reader makes something else. */

/** How large a picture is, and in what its colors are. */
export interface Rows {
  width: number;
  depth: number;
  count: number;
}

const FIRST_PNG = 10;

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
