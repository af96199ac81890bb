import type { Mrz } from "./read.ts";

/** What a machine-readable zone says of an ID number; `untold` where such a number stands in none. */
export type NumberAgreement = "same" | "other" | "untold";

/** Shorter numbers are looked for as document numbers only: a few digits stand in optional data by chance. */
const MIN_OPTIONAL_LENGTH = 5;

/**
 * Whether an ID number (sanitized) is that of the document: it is the document number, or stands by itself in the optional
 * data, whatever zeros it begins with and fillers it is parted by (`12345678<9`). Part of a longer number is another number.
 *
 * Where it stands: AR (DNI), DE, PE: document number. UY (cédula), CL (RUN with its verifier), ES (DNI with its letter),
 * and passports of several states: optional data. Mexico's documents bear neither CURP nor RFC, but both begin with what the
 * zone has too: the day of birth.
 */
export const numberAgreement = (mrz: Mrz, idNumber: string, country: string | null): NumberAgreement => {
  if (country === "MX") return agreementOfBirth(mrz, idNumber);
  const wanted = withoutZeros(country === "AR" ? dniOf(idNumber) : idNumber);
  const found = [mrz.documentNumber, ...(wanted.length < MIN_OPTIONAL_LENGTH ? [] : mrz.optionalData.flatMap(runsOf))];
  const isSame = (text: string) =>
    withoutZeros(text) === wanted || (country === "ES" && /^\d{8}$/.test(idNumber) && dniWithLetter(idNumber, text));
  return wanted !== "" && found.some(isSame) ? "same" : "other";
};

/** A CURP's or a person's RFC's date of birth; a company's RFC says nothing of a person. */
const agreementOfBirth = ({ birthDate }: Mrz, idNumber: string): NumberAgreement => {
  const [, born] = /^[A-ZÑ&]{4}(\d{6})/.exec(idNumber) ?? [];
  if (born === undefined || !/^\d{6}$/.test(birthDate)) return "untold";
  return born === birthDate ? "same" : "other";
};

/** A person's CUIT or CUIL is the DNI between two digits of kind and a check digit. */
const dniOf = (idNumber: string): string => (idNumber.length === 11 ? idNumber.slice(2, 10) : idNumber);

const dniWithLetter = (digits: string, text: string): boolean =>
  text.length === 9 && /^\d{8}[A-Z]$/.test(text) && text.startsWith(digits);

/** Each part of a field, and neighbouring parts as one. */
const runsOf = (field: string): string[] => {
  const parts = field.split("<").filter((part) => part !== "");
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_, length) => parts.slice(from, from + length + 1).join("")),
  );
};

const withoutZeros = (text: string): string => text.replace(/^0+/, "");
