import { names } from "@rubrica/pdf-reading/names";
import { isReal } from "@rubrica/pdf-reading/oddities";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, type PDFDict, PDFNumber, type PDFObject } from "pdf-lib";
import { programEntry } from "./programs.ts";

/** How wide fonts say their characters are (ISO 32000-2, 9.6.2 and 9.7.4.3), in thousandths of the size of text. */

/** Some readers take widths below zero for none, and larger ones than 16 bits hold for others; honest ones are below 2,000. */
const WIDEST = 4_000;
const LAST_CODE = 255;
const LAST_CHARACTER = 0xffff;
const SIMPLE: readonly (string | undefined)[] = ["Type1", "MMType1", "TrueType"];
/** Fonts that all readers have, and whose widths they know, by all names that they know them by. */
const STANDARD =
  /^(?:(?:[A-Z]{6}\+)?(?:(?:Helvetica|Courier)(?:-(?:Bold|Oblique|BoldOblique))?|Times-(?:Roman|Bold|Italic|BoldItalic)|(?:Arial|TimesNewRoman|CourierNew)(?:,(?:Bold|Italic|BoldItalic))?|(?:Arial|CourierNewPS|TimesNewRomanPS)(?:-(?:Bold|Italic|BoldItalic))?MT))$/;
const OF_SYMBOLS = /^(?:Symbol|ZapfDingbats)$/;
const [BASE_FONT, HELVETICA] = names("BaseFont", "Helvetica");
/** Some readers give all characters of it one width, also those that have none in its list. */
const FIXED = /Courier/;

const isWidth = (value: PDFObject | undefined): boolean =>
  value instanceof PDFNumber && value.asNumber() >= 0 && value.asNumber() <= WIDEST;

const itemsOf = (list: PDFArray, file: PdfFile): (PDFObject | undefined)[] =>
  list.asArray().map((item) => file.resolve(item));

const isSimple = (font: PDFDict, file: PdfFile): boolean => SIMPLE.includes(file.nameEntry(font, "Subtype"));

/**
 * The widths of a font's codes as all readers take them, and as most do now: as many as there are codes. Undefined: none,
 * null: nothing can stand there. Drawn glyphs have them in units of their own.
 */
export const settledWidths = (font: PDFDict, file: PdfFile): PDFObject | null | undefined => {
  const given = file.entry(font, "Widths");
  if (!isSimple(font, file)) return given;
  if (!(given instanceof PDFArray)) return undefined;
  const items = itemsOf(given, file);
  const [first, last] = [codeAt(font, "FirstChar", file), codeAt(font, "LastChar", file)];
  if (first === undefined || last === undefined || first > last || !items.every(isWidth)) return null;
  const missing = file.entry(file.dictEntry(font, "FontDescriptor"), "MissingWidth");
  if (missing === undefined && hasOneWidth(font, first, Math.min(last, first + items.length - 1), file)) return null;
  const surplus = items.length - (last - first + 1);
  if (surplus === 0 || (surplus < 0 && !(missing instanceof PDFNumber && missing.asNumber() > 0))) return given;
  const widths = PDFArray.withContext(file.context);
  for (let index = 0; index <= last - first; index += 1) widths.push(items[index] ?? (missing as PDFNumber));
  return widths;
};

const codeAt = (font: PDFDict, name: string, file: PdfFile): number | undefined => {
  const code = file.numberEntry(font, name);
  return code !== undefined && Number.isInteger(code) && code >= 0 && code <= LAST_CODE ? code : undefined;
};

/** Whether codes beyond a list have a width for some readers, and none for others. */
const hasOneWidth = (font: PDFDict, first: number, last: number, file: PdfFile): boolean =>
  FIXED.test(file.nameEntry(font, "BaseFont") ?? "") && !hasProgram(font, file) && (first > 32 || last < 126);

const hasProgram = (font: PDFDict, file: PdfFile): boolean => {
  const descriptor = file.dictEntry(font, "FontDescriptor");
  return descriptor !== undefined && programEntry(descriptor, file) !== undefined;
};

/**
 * The name by which all readers know how wide the characters of a font are that says nothing of it: its own, or that of a
 * font that they have. Null where nothing can stand there.
 */
export const settledName = (font: PDFDict, file: PdfFile): PDFObject | null => {
  const given = font.get(BASE_FONT) as PDFObject;
  if (!isSimple(font, file) || file.entry(font, "Widths") instanceof PDFArray) return given;
  if (hasProgram(font, file)) return null;
  const name = file.nameEntry(font, "BaseFont") ?? "";
  if (OF_SYMBOLS.test(name)) return file.nameEntry(font, "Subtype") === "TrueType" ? null : given;
  return STANDARD.test(name) ? given : HELVETICA;
};

/** Whether all readers take a width that stands for others alike. */
export const isSoundWidth = (value: PDFObject): boolean => isWidth(value);

/** Characters from one to another, and what is said of each of them. */
type Row = readonly [first: number, last: number, said: string];

/** What a list says of each character: how many numbers, and which may be among them. */
interface Saying {
  numbers: number;
  isSound: (value: PDFObject | undefined) => boolean;
}
const ACROSS: Saying = { numbers: 1, isSound: isWidth };
/** How far it is to the next one, and where it begins itself, to the right and up. */
const DOWN: Saying = { numbers: 3, isSound: (value) => value instanceof PDFNumber };

/**
 * Whether all readers take the widths of a font of characters alike: a character and the widths from there on, or two
 * characters and the width of all between. Of two widths some readers take the first one, others the last.
 */
export const areSoundCharacterWidths = (value: PDFObject, font: PDFDict, file: PdfFile): boolean =>
  areSound(value, font, ACROSS, file);

/** The same of a font that is written downwards. */
export const areSoundHeights = (value: PDFObject, font: PDFDict, file: PdfFile): boolean =>
  areSound(value, font, DOWN, file);

/** What stands for others downwards: two numbers; of one some readers take it, and others none. */
export const isSoundHeight = (value: PDFObject, file: PdfFile): boolean => {
  const items = value instanceof PDFArray ? itemsOf(value, file) : [];
  return items.length === 2 && items.every(DOWN.isSound);
};

const areSound = (value: PDFObject, font: PDFDict, saying: Saying, file: PdfFile): boolean => {
  if (!file.nameEntry(font, "Subtype")?.startsWith("CIDFont") || !(value instanceof PDFArray)) return true;
  const rows = rowsOf(itemsOf(value, file), saying, file);
  return rows !== undefined && sayOneThingEach(rows);
};

/** Undefined where something in a list is none. */
const rowsOf = (
  items: readonly (PDFObject | undefined)[],
  { numbers, isSound }: Saying,
  file: PdfFile,
): Row[] | undefined => {
  const rows: Row[] = [];
  for (let at = 0; at < items.length; ) {
    const first = characterOf(items[at]);
    const next = items[at + 1];
    const isList = next instanceof PDFArray;
    const list = isList ? itemsOf(next, file) : items.slice(at + 2, at + 2 + numbers);
    const last = isList ? undefined : characterOf(next);
    if (first === undefined || list.length % numbers > 0 || !list.every(isSound)) return undefined;
    if (!isList && (last === undefined || list.length === 0)) return undefined;
    for (let index = 0; index * numbers < list.length; index += 1) {
      const said = list.slice(index * numbers, (index + 1) * numbers).map((value) => (value as PDFNumber).asNumber());
      rows.push([first + index, last ?? first + index, said.join(" ")]);
    }
    at += isList ? 2 : 2 + numbers;
  }
  return rows;
};

const characterOf = (value: PDFObject | undefined): number | undefined => {
  const number = value instanceof PDFNumber && !isReal(value) ? value.asNumber() : -1;
  return Number.isInteger(number) && number >= 0 && number <= LAST_CHARACTER ? number : undefined;
};

const sayOneThingEach = (rows: Row[]): boolean => {
  if (rows.some(([first], index) => first < (rows[index - 1]?.[0] ?? 0))) rows.sort(([one], [other]) => one - other);
  let [end, known] = [-1, ""];
  for (const [first, last, said] of rows) {
    if (first <= end && said !== known) return false;
    [end, known] = [Math.max(end, last), said];
  }
  return true;
};
