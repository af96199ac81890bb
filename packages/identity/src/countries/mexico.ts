import { type CountryRules, invalid, type Verdict, valid } from "../rules.ts";

const CURP_ALPHABET = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ";
const RFC_ALPHABET = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ";

/** The federal entities' codes of a CURP; NE is "born abroad". */
const STATES = new Set(
  "AS BC BS CC CL CM CS CH DF DG GT GR HG JC MC MN MS NT NL OC PL QT QR SP SL SR TC TS TL VZ YN ZS NE".split(" "),
);

/** Whether a year of a century, a month and a day are a day of the calendar. */
const isDate = (year: number, month: number, day: number): boolean => {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
};

/** Whether six digits, YYMMDD, are a date in one of the centuries. */
const isShortDate = (yymmdd: string, centuries: readonly number[]): boolean => {
  const [year, month, day] = [yymmdd.slice(0, 2), yymmdd.slice(2, 4), yymmdd.slice(4, 6)].map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return centuries.some((century) => isDate(century + year, month, day));
};

/** The check digit of a CURP's first 17 characters (RENAPO): Σ value·(18 − i), (10 − s mod 10) mod 10. */
export const curpCheckDigit = (first17: string): string => {
  const sum = [...first17].reduce((total, char, index) => total + CURP_ALPHABET.indexOf(char) * (18 - index), 0);
  return String((10 - (sum % 10)) % 10);
};

/** The check character of an RFC without it (SAT): 12 characters, weights 13 to 2, mod 11; a company's 11 get a space before. */
const rfcCheckCharacter = (body: string): string => {
  const sum = [...body.padStart(12, " ")].reduce(
    (total, char, index) => total + RFC_ALPHABET.indexOf(char) * (13 - index),
    0,
  );
  const digit = 11 - (sum % 11);
  return digit === 11 ? "0" : digit === 10 ? "A" : String(digit);
};

const curp = (idNumber: string): Verdict => {
  const match = /^[A-ZÑ]{4}(\d{6})[HMX]([A-Z]{2})[A-ZÑ]{3}([A-Z\d])(\d)$/.exec(idNumber);
  if (!match) return invalid("is not a CURP: its letters and digits are not in their places");
  const [, date = "", state = "", homonym = "", checkDigit] = match;
  // The homonym character tells the century of birth: a digit until 1999, a letter since 2000.
  if (!isShortDate(date, [/\d/.test(homonym) ? 1900 : 2000])) return invalid("is not a CURP: its date is not a day");
  if (!STATES.has(state)) return invalid("is not a CURP: its state does not exist");
  return checkDigit === curpCheckDigit(idNumber.slice(0, 17))
    ? valid("CURP")
    : invalid("is not a CURP: its check digit does not match");
};

const rfc = (idNumber: string): Verdict => {
  const match = /^[A-ZÑ&]{3,4}(\d{6})[A-Z\d]{2}([\dA])$/.exec(idNumber);
  if (!match) return invalid("is not an RFC: its letters and digits are not in their places");
  const [, date = "", checkCharacter] = match;
  if (!isShortDate(date, [1900, 2000])) return invalid("is not an RFC: its date is not a day");
  // About 1.5 % of the RFCs that SAT issued fail their own check digit, so that a mismatch proves nothing.
  return checkCharacter === rfcCheckCharacter(idNumber.slice(0, -1))
    ? valid("RFC")
    : valid("RFC", ["the RFC's check digit does not match"]);
};

/** Mexico: a CURP of 18 characters, or an RFC of 12 (companies) or 13 (persons). */
export const mexico: CountryRules = (idNumber) => {
  if (idNumber.length === 18) return curp(idNumber);
  if (idNumber.length === 12 || idNumber.length === 13) return rfc(idNumber);
  return invalid("must be a Mexican CURP (18 characters) or RFC (12 or 13 characters)");
};
