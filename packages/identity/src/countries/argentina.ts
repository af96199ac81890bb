import { type CountryRules, invalid, isAllZeros, valid, weightedSum } from "../rules.ts";

const CUIT_WEIGHTS = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2];

/** The check digit of a CUIT or CUIL (ANSES, AFIP): 11 − (s mod 11), where 11 is written 0 and 10 is written 9. */
export const cuitCheckDigit = (firstTen: string): string => {
  const digit = 11 - (weightedSum(firstTen, CUIT_WEIGHTS) % 11);
  return String(digit === 11 ? 0 : digit === 10 ? 9 : digit);
};

/** Argentina: a DNI of 7 or 8 digits, which has no check digit, or a CUIT or CUIL of 11 digits, which has one. */
export const argentina: CountryRules = (idNumber) => {
  if (/^\d{7,8}$/.test(idNumber) && !isAllZeros(idNumber)) return valid("DNI");
  if (!/^\d{11}$/.test(idNumber) || isAllZeros(idNumber)) {
    return invalid("must be an Argentine DNI (7 or 8 digits) or CUIT/CUIL (11 digits)");
  }
  return idNumber.endsWith(cuitCheckDigit(idNumber.slice(0, 10)))
    ? valid("CUIT")
    : invalid("is not an Argentine CUIT/CUIL: its check digit does not match");
};
