import { type ParseResult, parse } from "mrz";

/** Layouts of ICAO 9303: cards (part 5), booklets and cards of two lines (parts 4 and 6), visas (part 7). */
export type MrzFormat = "TD1" | "TD2" | "TD3" | "MRV-A" | "MRV-B";

/** What a machine-readable zone says. `<` is its filler, for a space and for nothing. */
export interface Mrz {
  format: MrzFormat;
  /** Whether each check digit, the composite one included, is that of its characters. */
  isChecked: boolean;
  /** Three letters, or fewer (`D` is Germany). */
  issuingState: string;
  documentNumber: string;
  /** The fields that are left to the issuing state, fillers included. */
  optionalData: string[];
  /** `YYMMDD`; fillers where a part is unknown. */
  birthDate: string;
  /** The last day of validity, `YYYY-MM-DD`, or null when the document has none. */
  expiresOn: string | null;
  surnames: string[];
  givenNames: string[];
  /** The names fill their field to its end: some may be shortened or missing. */
  areNamesCut: boolean;
}

type Field = ParseResult["details"][number];
type Fields = ReadonlyMap<string | null, Field>;

const SHAPES = new Set(["3×30", "2×36", "2×44"]);
const CHECK_DIGITS = ["documentNumberCheckDigit", "birthDateCheckDigit", "expirationDateCheckDigit"];

/**
 * Reads the lines of a machine-readable zone; spaces in them and empty lines don't matter. Null when they have no layout
 * of ICAO 9303, or say no possible day of expiry. National layouts without an expiry (the French card before 2021,
 * driving licences) are none of them.
 */
export const readMrz = (given: readonly string[]): Mrz | null => {
  const lines = given.map((line) => line.replace(/\s/g, "").toUpperCase()).filter((line) => line !== "");
  const [first = ""] = lines;
  if (!SHAPES.has(`${lines.length}×${first.length}`)) return null;
  if (!lines.every((line) => line.length === first.length && /^[A-Z\d<]+$/.test(line))) return null;
  const { format, details } = parse(lines);
  if (format !== "TD1" && format !== "TD2" && format !== "TD3") return null;
  return first.startsWith("V") ? visaOf(lines, details, format) : documentOf(lines, details, format);
};

const documentOf = (lines: readonly string[], details: Field[], format: "TD1" | "TD2" | "TD3"): Mrz | null => {
  const fields = byName(details);
  const optional = ["optional1", "optional2", "optional", "personalNumber"].flatMap((name) => fields.get(name) ?? []);
  const isChecked =
    areChecked(fields, [...CHECK_DIGITS, "compositeCheckDigit"]) &&
    fields.get("personalNumberCheckDigit")?.valid !== false;
  return mrzOf(lines, fields, { format, isChecked, optionalData: optional.map((field) => rawOf(lines, field)) });
};

/** A visa has the places of a document of its size, but for the end of its second line: no digits check that. */
const visaOf = (lines: readonly string[], details: Field[], size: "TD1" | "TD2" | "TD3"): Mrz | null => {
  if (size === "TD1") return null;
  const fields = byName(details);
  return mrzOf(lines, fields, {
    format: size === "TD3" ? "MRV-A" : "MRV-B",
    isChecked: areChecked(fields, CHECK_DIGITS),
    optionalData: [lines[1]?.slice(28) ?? ""],
  });
};

const mrzOf = (
  lines: readonly string[],
  fields: Fields,
  layout: Pick<Mrz, "format" | "isChecked" | "optionalData">,
): Mrz | null => {
  const raw = (name: string) => rawOf(lines, fields.get(name));
  const issuingState = raw("issuingState").replaceAll("<", "");
  const expiresOn = lastDay(raw("expirationDate"), issuingState);
  if (expiresOn === undefined) return null;
  const names = raw("lastName");
  const [surnames = "", ...given] = names.replace(/<+$/, "").split("<<");
  return {
    ...layout,
    issuingState,
    documentNumber: (fields.get("documentNumber")?.value ?? "").replace(/[< ]/g, ""),
    birthDate: raw("birthDate"),
    expiresOn,
    surnames: wordsOf(surnames),
    givenNames: wordsOf(given.join("<")),
    areNamesCut: !names.endsWith("<"),
  };
};

const byName = (details: Field[]): Fields => new Map(details.map((field) => [field.field, field]));

/** By the field's whole place: what the library gives has its fillers cut off, and is null where it finds a fault. */
const rawOf = (lines: readonly string[], field: Field | undefined): string => {
  const [range] = field?.ranges ?? [];
  return range ? (lines[range.line] ?? "").slice(range.start, range.end) : "";
};

/** The library takes a digit that isn't there for a 0. */
const areChecked = (fields: Fields, names: string[]): boolean =>
  names.every((name) => fields.get(name)?.valid === true && /^\d$/.test(fields.get(name)?.value ?? ""));

const wordsOf = (names: string): string[] => names.split("<").filter((word) => word !== "");

/** Two-digit years from here on are those of the last century. */
const FIRST_YEAR_OF_1900S = 80;

/**
 * The last day of validity of `YYMMDD`, by the end of the month or year where its parts are unknown. Null when there is none:
 * all of it is unknown, or the year is Spain's 9999. Undefined when it is no day.
 */
const lastDay = (yymmdd: string, issuingState: string): string | null | undefined => {
  if (yymmdd === "<<<<<<" || (issuingState === "ESP" && yymmdd.startsWith("99"))) return null;
  const match = /^(\d\d)(\d\d|<<)(\d\d|<<)$/.exec(yymmdd);
  if (!match) return undefined;
  const [, year = "", month = "", day = ""] = match;
  const monthNumber = month === "<<" ? 12 : Number(month);
  const fullYear = Number(year) + (Number(year) < FIRST_YEAR_OF_1900S ? 2000 : 1900);
  const date = new Date(Date.UTC(fullYear, monthNumber, 0));
  const lastOfMonth = date.getUTCDate();
  const dayOfMonth = day === "<<" ? lastOfMonth : Number(day);
  if (monthNumber < 1 || monthNumber > 12 || dayOfMonth < 1 || dayOfMonth > lastOfMonth) return undefined;
  date.setUTCDate(dayOfMonth);
  return date.toISOString().slice(0, 10);
};
