import type { Mrz } from "./read.ts";

/** What a machine-readable zone says of an ID number; `untold` where such a number stands in none. */
export type NumberAgreement = "same" | "other" | "untold";

/** Shorter numbers are looked for as document numbers only: a few digits stand in optional data by chance. */
const MIN_OPTIONAL_LENGTH = 5;

/** Numbers of companies: CUIT from 30, RUT from 50 million, RFC of 12 characters. */
const COMPANY: Readonly<Record<string, RegExp>> = { AR: /^3\d{10}$/, CL: /^[5-9]\d{7}[\dK]$/, MX: /^.{12}$/ };

/**
 * Whether an ID number (sanitized) is that of the document: it is the document number, or stands by itself in the optional
 * data, whatever zeros it begins with and fillers it is parted by (`12345678<9`). Part of a longer number is another number.
 *
 * Where it stands: AR (DNI), DE, PE: document number. UY (cédula), CL (RUN with its verifier), ES (DNI with its letter),
 * and passports of several states: optional data. Mexico's documents have neither CURP nor RFC, but both begin with what the
 * zone has too: the day of birth. A company's number says nothing of a person.
 */
export const numberAgreement = (mrz: Mrz, idNumber: string, country: string | null): NumberAgreement => {
  if (COMPANY[country ?? ""]?.test(idNumber)) return "untold";
  if (country === "MX") return agreementOfBirth(mrz, idNumber);
  const wanted = withoutZeros(country === "AR" ? dniOf(idNumber) : idNumber);
  const found = [mrz.documentNumber, ...(wanted.length < MIN_OPTIONAL_LENGTH ? [] : mrz.optionalData.flatMap(runsOf))];
  const isSame = (text: string) =>
    withoutZeros(text) === wanted || (country === "ES" && isSpanishNumber(text, idNumber));
  return wanted !== "" && found.some(isSame) ? "same" : "other";
};

/** A CURP's or an RFC's date of birth. */
const agreementOfBirth = ({ birthDate }: Mrz, idNumber: string): NumberAgreement => {
  const [, born] = /^\D{4}(\d{6})/.exec(idNumber) ?? [];
  if (born === undefined || !/^\d{6}$/.test(birthDate)) return "untold";
  return born === birthDate ? "same" : "other";
};

/** A person's CUIT or CUIL is the DNI between two digits of kind and a check digit. */
const dniOf = (idNumber: string): string => (idNumber.length === 11 ? idNumber.slice(2, 10) : idNumber);

/** Spain's DNI as its documents have it: on cards with the letter that requests may leave out, in passports as `A12345678` and two digits. */
const isSpanishNumber = (text: string, idNumber: string): boolean => {
  const [, digits, letter] = /^(\d{8})([A-Z]?)$/.exec(idNumber) ?? [];
  if (digits === undefined) return false;
  return new RegExp(letter ? `^A${digits}\\d\\d$` : `^(?:A${digits}\\d\\d|${digits}[A-Z])$`).test(text);
};

/** Each part of a field, and neighbouring parts as one. */
const runsOf = (field: string): string[] => {
  const parts = field.split("<").filter((part) => part !== "");
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_, length) => parts.slice(from, from + length + 1).join("")),
  );
};

const withoutZeros = (text: string): string => text.replace(/^0+/, "");
