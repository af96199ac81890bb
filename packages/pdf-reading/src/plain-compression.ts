import { PDFArray, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { names } from "./names.ts";
import { isReal } from "./oddities.ts";

/**
 * How the structure of a file is compressed: streams of objects, and cross-reference streams. What some readers can't
 * decompress they pass over, and find what the file was before.
 */

const [FILTER, PARAMETERS, ...OTHERS] = names("Filter", "DecodeParms", "DP", "F", "FFilter", "FDecodeParms");
/** Of the head of Flate (RFC 1950, 2.2): its method and the largest window, a dictionary before it, and what it is a multiple of. */
const [METHOD, LARGEST_WINDOW, DICTIONARY, CHECKED] = [8, 7, 0x20, 31];

/** Whether all readers decompress a stream alike, by its dictionary. */
export const isPlainlyCompressed = (dict: PDFDict): boolean => {
  // pdf.js takes them for the long names where they are null, too.
  if (OTHERS.some((name) => dict.get(name, true) !== undefined)) return false;
  const [filter, parameters] = [dict.get(FILTER), dict.get(PARAMETERS)];
  if (isNothing(filter)) return true;
  if (!(filter instanceof PDFArray)) return isNamed(filter, parameters);
  if (filter.size() === 0) return true;
  const isList = parameters instanceof PDFArray && parameters.size() === 1;
  if (filter.size() > 1 || (!isNothing(parameters) && !isList)) return false;
  return isNamed(filter.get(0), isList ? parameters.get(0) : undefined);
};

const isNothing = (value: PDFObject | undefined): boolean => value === undefined || value === PDFNull;

/** A name, and beside it a dictionary of what stands there itself. */
const isNamed = (filter: PDFObject | undefined, parameters: PDFObject | undefined): boolean =>
  filter instanceof PDFName &&
  (isNothing(parameters) ||
    (parameters instanceof PDFDict &&
      !parameters.values().some((value) => value instanceof PDFRef) &&
      isPlainlyPredicted(parameters, (value) => value)));

const [PREDICTOR, COLUMNS, COLORS, BITS] = names("Predictor", "Columns", "Colors", "BitsPerComponent");
const [NO_PREDICTOR, TIFF, FIRST_PNG, LAST_PNG] = [1, 2, 10, 15];
const [MOST_COLORS, MOST_COLUMNS] = [32, 1_000_000];
const DEPTHS = [1, 2, 4, 8, 16];

/**
 * Whether all readers take what is predicted of data by the same rows (ISO 32000-2, 7.4.4.4): of what is no number, or none
 * that there is, each makes something else.
 */
export const isPlainlyPredicted = (
  parameters: PDFDict,
  resolve: (value: PDFObject | undefined) => PDFObject | undefined,
): boolean => {
  // PDFium takes null for a number, where others take what stands for none.
  if (parameters.values().includes(PDFNull)) return false;
  const numberOf = (name: PDFName, otherwise: number): number => {
    const value = parameters.has(name) ? resolve(parameters.get(name)) : undefined;
    // Poppler takes an integer alone.
    if (value instanceof PDFNumber && !isReal(value)) return value.asNumber();
    return parameters.has(name) ? Number.NaN : otherwise;
  };
  const [predictor, columns, colors] = [numberOf(PREDICTOR, NO_PREDICTOR), numberOf(COLUMNS, 1), numberOf(COLORS, 1)];
  // Some look at the rows where nothing is predicted, too.
  const isKnown = predictor <= NO_PREDICTOR || predictor === TIFF || (predictor >= FIRST_PNG && predictor <= LAST_PNG);
  return (
    isKnown &&
    [predictor, columns, colors].every(Number.isInteger) &&
    columns > 0 &&
    columns <= MOST_COLUMNS &&
    colors > 0 &&
    colors <= MOST_COLORS &&
    DEPTHS.includes(numberOf(BITS, 8))
  );
};

/** Whether data begin as Flate does: in others some readers find nothing. */
export const hasPlainHead = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === METHOD &&
  first >> 4 <= LARGEST_WINDOW &&
  (second & DICTIONARY) === 0 &&
  ((first << 8) | second) % CHECKED === 0;
