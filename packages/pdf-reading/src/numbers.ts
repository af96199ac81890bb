import { PDFNumber } from "pdf-lib";
import { noteOddNumber, noteReal, noteUnsigned } from "./oddities.ts";

/** Some readers ignore or misread numbers of more digits. */
export const MAX_NUMBER_BYTES = 24;

const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
/** Readers have integers of 32 bits: larger ones count as the largest. */
const LARGEST = 2 ** 31 - 1;
const LARGEST_UNSIGNED = 2 ** 32 - 1;
/** What is kept of a number that is too long. */
const DECIMALS = 9;

/** The number that a token stands for; undefined if it is no number. Notes where readers disagree on its value. */
export const numberOf = (text: string): PDFNumber | undefined => {
  // Some producers write "--5" or "1.2-3": as other readers do, take the number that it begins with.
  const plain = /^[+-]*(\d*\.?\d*)/.exec(text);
  const value = Number(plain?.[1] || "0");
  if (plain === null || Number.isNaN(value)) return undefined;
  const isLong = text.length > MAX_NUMBER_BYTES;
  const held = isLong ? Number(Math.min(value, LARGEST).toFixed(DECIMALS)) : Math.min(value, LARGEST);
  const number = PDFNumber.of(text.startsWith("-") ? -held : held);
  if (!PLAIN_NUMBER.test(text) || value > LARGEST || isLong) noteOddNumber(number);
  if (text.includes(".")) noteReal(number);
  if (/^\d+$/.test(text) && value > LARGEST && value <= LARGEST_UNSIGNED) noteUnsigned(number, value);
  return number;
};
