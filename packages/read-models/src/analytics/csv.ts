import { type Row, snakeCase, type Table, type Value } from "./field.ts";

/** What spreadsheets take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A field of RFC 4180: text that a spreadsheet would calculate has an apostrophe before it. */
const csvField = (value: Value | undefined): string => {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** A line of CSV with its end. Null is an empty field. */
export const csvLine = (values: readonly (Value | undefined)[]): string => `${values.map(csvField).join(",")}\r\n`;

/** The names of a table's columns. */
export const csvHeader = ({ fields }: Table): string => csvLine(fields.map(({ name }) => snakeCase(name)));

export const csvRow = ({ fields }: Table, row: Row): string => csvLine(fields.map(({ name }) => row[name]));
