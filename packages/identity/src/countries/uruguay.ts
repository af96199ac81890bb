import { type CountryRules, invalid, isAllZeros, valid, weightedSum } from "../rules.ts";

const CEDULA_WEIGHTS = [2, 9, 8, 7, 6, 3, 4];

/** The check digit of a cédula de identidad (DNIC) of up to seven digits: (10 − s mod 10) mod 10. */
export const cedulaCheckDigit = (body: string): string =>
  String((10 - (weightedSum(body.padStart(7, "0"), CEDULA_WEIGHTS) % 10)) % 10);

/** Uruguay: a cédula de identidad of 7 or 8 digits, the last of which is its check digit. */
export const uruguay: CountryRules = (idNumber) => {
  if (!/^\d{7,8}$/.test(idNumber) || isAllZeros(idNumber)) {
    return invalid("must be a Uruguayan cédula de identidad (7 or 8 digits)");
  }
  return idNumber.endsWith(cedulaCheckDigit(idNumber.slice(0, -1)))
    ? valid("CI")
    : invalid("is not a Uruguayan cédula de identidad: its check digit does not match");
};
