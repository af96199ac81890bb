import { Allowance } from "@rubrica/pdf-reading/allowance";
import { Damaged } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { decodedContent } from "../filters.ts";
import { spend } from "./effort.ts";

/** What color spaces, functions and shadings say of themselves. */

/** Values that a number may have. */
export interface Limits {
  least: number;
  most: number;
}

export const UNIT: Limits = { least: 0, most: 1 };
/** What numbers that some program rounded may be off by. */
export const ROUNDING = 0.002;

export const within = (value: number, { least, most }: Limits, tolerance = ROUNDING * (most - least)): boolean =>
  value >= least - tolerance && value <= most + tolerance;

/** The numbers of a list; undefined where it is none, or has something else. */
export const numbersOf = (value: PDFObject | undefined, file: PdfFile): number[] | undefined => {
  if (!(value instanceof PDFArray)) return undefined;
  const numbers = value.asArray().map((item) => {
    const number = file.resolve(item);
    return number instanceof PDFNumber ? number.asNumber() : Number.NaN;
  });
  return numbers.every(Number.isFinite) ? numbers : undefined;
};

/** The same of pairs, each of which goes up; undefined where there are not as many. */
export const limitsOf = (
  value: PDFObject | undefined,
  count: number,
  file: PdfFile,
  mayBeOne = false,
): Limits[] | undefined => {
  const pairs = pairsOf(numbersOf(value, file));
  return pairs?.length === count && pairs.every(({ least, most }) => (mayBeOne ? least <= most : least < most))
    ? pairs
    : undefined;
};

/** Pairs of numbers, whichever is larger. */
export const pairsOf = (numbers: readonly number[] | undefined): Limits[] | undefined => {
  if (numbers === undefined || numbers.length % 2 !== 0) return undefined;
  return numbers.flatMap((least, index) => (index % 2 === 0 ? [{ least, most: numbers[index + 1] ?? 0 }] : []));
};

/** So many bytes take as long to inflate as one step of a calculator does. */
const BYTES_A_STEP = 32;

/** A stream without its compression, each time anew; undefined where it is none, or broken. Throws `TooComplex`. */
export const dataOf = (given: PDFObject | undefined, file: PdfFile, mostBytes: number): Uint8Array | undefined => {
  if (!(given instanceof PDFRef && file.resolve(given) instanceof PDFDict)) return undefined;
  try {
    const stream = file.streamData(given.objectNumber);
    const data = stream && decodedContent(stream, file, new Allowance(0, mostBytes));
    spend(file, (data?.length ?? 0) / BYTES_A_STEP);
    return data;
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    spend(file, mostBytes / BYTES_A_STEP);
    return undefined;
  }
};

export const clamped = (value: number, limits: Limits | undefined): number =>
  limits === undefined ? value : Math.min(Math.max(value, limits.least), limits.most);
