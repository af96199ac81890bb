import { type CountryRules, invalid, isAllZeros, valid } from "../rules.ts";

/** The check character of a RUT or RUN (SII, Registro Civil): weights 2 to 7 from the right, 11 − (s mod 11); 11 is 0, 10 is K. */
export const rutCheckCharacter = (body: string): string => {
  const sum = [...body].reverse().reduce((total, digit, index) => total + Number(digit) * (2 + (index % 6)), 0);
  const digit = 11 - (sum % 11);
  return digit === 11 ? "0" : digit === 10 ? "K" : String(digit);
};

/** Chile: a RUT or RUN of 6 to 8 digits and its check character, a digit or K. */
export const chile: CountryRules = (idNumber) => {
  if (!/^\d{6,8}[\dK]$/.test(idNumber) || isAllZeros(idNumber.slice(0, -1))) {
    return invalid("must be a Chilean RUT/RUN (6 to 8 digits and a check digit or K)");
  }
  return idNumber.endsWith(rutCheckCharacter(idNumber.slice(0, -1)))
    ? valid("RUT")
    : invalid("is not a Chilean RUT/RUN: its check digit does not match");
};
