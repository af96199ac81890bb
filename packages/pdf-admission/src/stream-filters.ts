import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { isPlainlyPredicted } from "@rubrica/pdf-reading/plain-compression";
import { PDFArray, PDFDict, PDFName, PDFNull, type PDFObject } from "pdf-lib";
import { type Judge, OTHERWISE, refused } from "./otherwise.ts";

/**
 * What a stream says of how it is compressed. Readers take parameters for a filter's where both stand by themselves, or both
 * in a list; in other pairs some pass over them, some take the first.
 */

const [FILTER, PARAMETERS, LENGTH, RUNS] = names("Filter", "DecodeParms", "Length", "RunLengthDecode");

const isNothing = (value: PDFObject | undefined): boolean => value === undefined || value === PDFNull;

/** A filter that is null goes; what is no name in a list of filters is something else for each reader. */
export const filters: Judge = (value, dict, file) => {
  if (!dict.has(LENGTH)) return null;
  if (value === PDFNull) return OTHERWISE;
  const given = value instanceof PDFArray ? value.asArray().map((item) => file.resolve(item)) : [value];
  // MuPDF finds nothing in what is in runs of runs.
  const isTwiceInRuns = given.filter((one) => one === RUNS).length > 1;
  return given.every((one) => one instanceof PDFName) && !isTwiceInRuns ? null : refused(value);
};

/** Whether parameters are none that some readers pass over: no dictionary, a stream, or of rows that there are not. */
const isPlain = (given: PDFObject | undefined, file: PdfFile): boolean =>
  isNothing(given) ||
  (given instanceof PDFDict && !given.has(LENGTH) && isPlainlyPredicted(given, (value) => file.resolve(value)));

/** They stand as their filters do: as one, or in a list of as many. */
export const parameters: Judge = (value, dict, file) => {
  const filter = file.resolve(dict.get(FILTER));
  if (!dict.has(LENGTH) || isNothing(filter)) return null;
  const all = (value instanceof PDFArray ? value.asArray() : [value]).map((one) => file.resolve(one));
  if (!all.every((one) => isPlain(one, file))) return refused(value);
  const count = filter instanceof PDFArray ? filter.size() : null;
  if (!(value instanceof PDFArray)) {
    if (count === null || count === 0 || !(value instanceof PDFDict)) return null;
    if (count > 1) return refused(value);
    const instead = PDFArray.withContext(file.context);
    instead.push(dict.get(PARAMETERS) as PDFObject);
    return { ...OTHERWISE, instead };
  }
  if (all.every(isNothing)) return count === null ? OTHERWISE : null;
  if (count !== null) return value.size() === count ? null : refused(value);
  return { ...OTHERWISE, instead: value.size() === 1 ? value.get(0) : value };
};
