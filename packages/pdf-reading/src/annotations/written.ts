import { PDFArray, type PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import { names } from "../names.ts";
import type { PdfFile } from "../pdf-file.ts";
import { textOf } from "../signatures.ts";
import { sidesOf } from "./appearances.ts";
import { type Fields, inherited } from "./fields.ts";
import { type Mark, markIn } from "./marks.ts";

/**
 * What annotations without an appearance say. Readers draw it by different entries, each in its own way, or not at all:
 * a field's value, its rich text, its default, the option that it chose; a note's text or its rich text.
 */
export interface Written {
  width: number;
  height: number;
  /** By how much it is turned against its page: 0, 90, 180 or 270 degrees to the left. */
  rotation: number;
  /** One text; with several lines where they are broken by its own ends of lines, or to fit. */
  text: string;
  hasLines: boolean;
  /** 0: at the left, 1: in the middle, 2: at the right. */
  alignment: number;
  /** In points; 0: as fits. */
  size: number;
  /** How many cells of the same width the characters stand in; 0: none. */
  cells: number;
  /** Components of a color: one of gray, three of RGB, four of CMYK. */
  color: readonly number[];
  ground: readonly number[] | null;
  border: readonly number[] | null;
  borderWidth: number;
  opacity: number;
  /** A box that is checked. */
  isChecked: boolean;
  /** Of a list of options: which lines of the text are chosen. */
  chosen: ReadonlySet<number>;
  /** What is drawn beside text. */
  mark: Mark | null;
}

const key = (name: string) => PDFName.of(name);
const [TEXT, CHOICE, BUTTON, OFF, WIDGET, FREE_TEXT, STAMP] = names(
  "Tx",
  "Ch",
  "Btn",
  "Off",
  "Widget",
  "FreeText",
  "Stamp",
);
/** Flags of fields (ISO 32000-2, tables 229, 231 and 233). */
const [MULTILINE, PASSWORD, PUSH_BUTTON, COMBO, COMB] = [0x1000, 0x2000, 0x10000, 0x20000, 0x1000000];
const MAX_CHARACTERS = 20_000;
/** Honest default appearances have some thirty. */
const MAX_STYLE_CHARACTERS = 1_000;
const MAX_OPTIONS = 1_000;
const MAX_CELLS = 1_000;
const BLACK = [0];
const NOTHING_CHOSEN: ReadonlySet<number> = new Set();

/** What is to be drawn of an annotation that has no appearance, or is to be drawn anew; null where no reader draws anything. */
export const writtenIn = (dict: PDFDict, subtype: PDFObject | undefined, file: PdfFile, fields: Fields) => {
  const [left, bottom, right, top] = sidesOf(file.entry(dict, "Rect"), file) ?? [0, 0, 0, 0];
  const size = { width: Math.abs(right - left), height: Math.abs(top - bottom) };
  if (size.width === 0 || size.height === 0) return null;
  if (subtype === FREE_TEXT) return { ...size, ...noteIn(dict, file) };
  if (subtype === STAMP) return { ...size, ...stampIn(dict, file) };
  const mark = markIn(dict, subtype, file);
  if (mark !== null) return { ...size, ...noteIn(dict, file), text: "", ground: null, border: null, mark };
  const field = subtype === WIDGET ? fieldIn(dict, file, fields) : null;
  return field === null ? null : { ...size, ...field };
};

type Look = Omit<Written, "width" | "height">;

const noteIn = (dict: PDFDict, file: PdfFile): Look => {
  const given = styleIn(textOf(file.entry(dict, "DA")) ?? "");
  const opacity = numberOf(file.entry(dict, "CA")) ?? 1;
  return {
    ...given,
    rotation: 0,
    text: shortened(textOf(file.entry(dict, "Contents")) ?? ""),
    hasLines: true,
    alignment: numberOf(file.entry(dict, "Q")) ?? 0,
    cells: 0,
    ground: colorIn(file.entry(dict, "C"), file),
    border: given.color,
    borderWidth: borderWidthOf(dict, file),
    opacity: Math.min(Math.max(opacity, 0), 1),
    isChecked: false,
    chosen: NOTHING_CHOSEN,
    mark: null,
  };
};

/** A stamp shows its name, which is this one where it has none (ISO 32000-2, 12.5.6.12). */
const stampIn = (dict: PDFDict, file: PdfFile): Look => {
  const name = file.entry(dict, "Name");
  const note = noteIn(dict, file);
  const text = shortened(name instanceof PDFName ? name.decodeText() : "Draft");
  const color = note.ground ?? note.color;
  return { ...note, text, hasLines: false, alignment: 1, size: 0, color, border: null, ground: null };
};

const fieldIn = (dict: PDFDict, file: PdfFile, fields: Fields): Look | null => {
  const type = inherited(dict, "FT", file);
  const flags = numberOf(inherited(dict, "Ff", file)) ?? 0;
  const characteristics = file.dictEntry(dict, "MK");
  const isButton = type === BUTTON;
  const isPushed = isButton && (flags & PUSH_BUTTON) !== 0;
  const text = isPushed
    ? (textOf(file.entry(characteristics, "CA")) ?? "")
    : isButton
      ? ""
      : heldBy(dict, type, flags, file);
  const [ground, border] = ["BG", "BC"].map((name) => colorIn(file.entry(characteristics, name), file));
  const isChecked = isButton && !isPushed && isOn(dict, file);
  const isNothing =
    text === "" && !ground && !border && !isChecked && !saysOtherwise(dict, type, file, characteristics);
  if (isNothing) return null;
  const isList = type === CHOICE && (flags & COMBO) === 0;
  const alignment = isPushed ? 1 : (numberOf(inherited(dict, "Q", file)) ?? 0);
  return {
    ...styleIn(textOf(inherited(dict, "DA", file)) ?? fields.style),
    rotation: (((numberOf(file.entry(characteristics, "R")) ?? 0) % 360) + 360) % 360,
    text: shortened(text),
    hasLines: (type === TEXT && (flags & MULTILINE) !== 0) || isList,
    alignment,
    cells: type === TEXT && (flags & COMB) !== 0 ? cellsOf(dict, text, file) : 0,
    ground: ground ?? null,
    border: border ?? null,
    borderWidth: borderWidthOf(dict, file),
    opacity: 1,
    isChecked,
    chosen: isList ? chosenOf(dict, file) : NOTHING_CHOSEN,
    mark: null,
  };
};

/** Entries that some readers draw a field by though its value says nothing, or something else. */
const saysOtherwise = (
  dict: PDFDict,
  type: PDFObject | undefined,
  file: PdfFile,
  look: PDFDict | undefined,
): boolean => {
  if (type === BUTTON) return ["I", "RI", "IX"].some((name) => look?.has(key(name)));
  if (type !== TEXT && type !== CHOICE) return false;
  const value = inherited(dict, "V", file);
  const others = type === CHOICE ? ["RV", "DV", "I", "Opt"] : ["RV", "DV"];
  return (
    (value !== undefined && textOf(value) === undefined) ||
    others.some((name) => ![undefined, ""].includes(said(inherited(dict, name, file))))
  );
};

/** An entry's text, or that there is something else. */
const said = (value: PDFObject | undefined): string | undefined =>
  value === undefined || (value instanceof PDFArray && value.size() === 0) ? undefined : (textOf(value) ?? "something");

/** What a field for text or choices holds: its value, as it is meant to be read. */
const heldBy = (dict: PDFDict, type: PDFObject | undefined, flags: number, file: PdfFile): string => {
  const values = valuesOf(dict, file);
  if (type === TEXT)
    return (flags & PASSWORD) === 0 ? (values[0] ?? "") : "*".repeat(shortened(values[0] ?? "").length);
  if (type !== CHOICE) return "";
  const options = optionsOf(dict, file);
  if ((flags & COMBO) === 0) return options.map(({ shown }) => shown.replace(/[\r\n]+/g, " ")).join("\n");
  const [value = ""] = values;
  return options.find(({ meant }) => meant === value)?.shown ?? value;
};

const valuesOf = (dict: PDFDict, file: PdfFile): string[] => {
  const given = inherited(dict, "V", file);
  const values = given instanceof PDFArray ? given.asArray().slice(0, MAX_OPTIONS) : [given];
  return values.map((value) => textOf(file.resolve(value)) ?? "");
};

/** The options of a list that its value names. */
const chosenOf = (dict: PDFDict, file: PdfFile): ReadonlySet<number> => {
  const values = new Set(inherited(dict, "V", file) === undefined ? [] : valuesOf(dict, file));
  return new Set(optionsOf(dict, file).flatMap(({ meant }, index) => (values.has(meant) ? [index] : [])));
};

const optionsOf = (dict: PDFDict, file: PdfFile): { meant: string; shown: string }[] => {
  const options = inherited(dict, "Opt", file);
  if (!(options instanceof PDFArray)) return [];
  return options
    .asArray()
    .slice(0, MAX_OPTIONS)
    .map((given) => {
      const option = file.resolve(given);
      const [meant, shown] = option instanceof PDFArray ? option.asArray() : [given, given];
      return { meant: textOf(file.resolve(meant)) ?? "", shown: textOf(file.resolve(shown)) ?? "" };
    });
};

/** The state that a box is in. Of several of one field, its value does not tell which one it means. */
const isOn = (dict: PDFDict, file: PdfFile): boolean => {
  const state = file.entry(dict, "AS") ?? file.entry(dict, "V");
  return state instanceof PDFName && state !== OFF;
};

/** Cells for single characters; none where the text has more of them than there are. */
const cellsOf = (dict: PDFDict, text: string, file: PdfFile): number => {
  const most = numberOf(inherited(dict, "MaxLen", file)) ?? 0;
  return Number.isInteger(most) && most > 0 && most <= MAX_CELLS && [...text].length <= most ? most : 0;
};

/** Size and color of text, by a default appearance (ISO 32000-2, 12.7.4.3): what it says last of each counts. */
const styleIn = (appearance: string): { size: number; color: readonly number[] } => {
  const words = appearance.slice(0, MAX_STYLE_CHARACTERS).trim().split(/\s+/);
  let [size, color]: [number, readonly number[]] = [0, BLACK];
  for (const [index, word] of words.entries()) {
    const count = { g: 1, rg: 3, k: 4 }[word];
    const before = (taken: number) => words.slice(Math.max(0, index - taken), index).map(Number);
    const isTaken = count !== undefined && index >= count && before(count).every(Number.isFinite);
    if (isTaken) color = before(count);
    if (word === "Tf") size = Math.abs(before(1)[0] ?? 0);
  }
  return { size: Number.isFinite(size) ? size : 0, color };
};

const colorIn = (value: PDFObject | undefined, file: PdfFile): readonly number[] | null => {
  if (!(value instanceof PDFArray) || ![1, 3, 4].includes(value.size())) return null;
  const components = value.asArray().map((one) => numberOf(file.resolve(one)));
  return components.every((one) => one !== undefined) ? components : null;
};

const borderWidthOf = (dict: PDFDict, file: PdfFile): number => {
  const style = numberOf(file.entry(file.dictEntry(dict, "BS"), "W"));
  const border = numberOf(file.resolve(file.arrayEntry(dict, "Border")?.asArray()[2]));
  return Math.max(0, style ?? border ?? 1);
};

const numberOf = (value: PDFObject | undefined): number | undefined => {
  const number = value instanceof PDFNumber ? value.asNumber() : undefined;
  return Number.isFinite(number) ? number : undefined;
};

const shortened = (text: string): string => text.slice(0, MAX_CHARACTERS);
