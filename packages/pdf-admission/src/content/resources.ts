import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFBool, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFObject, PDFString } from "pdf-lib";
import { drawnWith, shadeOf } from "../colors/shadings.ts";
import { settledSpace } from "../colors/spaces.ts";
import { dataOf } from "../colors/values.ts";
import { type AgreedCodes, agreedCodes } from "../fonts/agreed-codes.ts";
import { isBorrowed } from "../fonts/borrowed.ts";
import { isDrawnFont, isFont, widestGlyphOf } from "../fonts/kinds.ts";
import { shiftingOf } from "../fonts/shifting.ts";
import type { NamedResources, Space } from "./color-spaces.ts";
import { effectOf } from "./state-effects.ts";

/** What contents find by names in their resources (ISO 32000-2, 7.8.3). */

const families: Readonly<Record<string, number>> = {
  DeviceGray: 1,
  CalGray: 1,
  Indexed: 1,
  Separation: 1,
  DeviceRGB: 3,
  CalRGB: 3,
  Lab: 3,
  DeviceCMYK: 4,
};
/** Kinds of patterns: of cells, and of a shading. */
const PATTERNS: readonly (number | undefined)[] = [1, 2];
/** How deep a pattern's space may lie. */
const MAX_DEPTH = 2;
const LAST_INDEX = 255;
const MAX_TABLE_BYTES = 1024 * 1024;

/** The names of one list of resources. */
export const namedIn = (resources: PDFDict, file: PdfFile): NamedResources => {
  const entry = (category: string, name: string): PDFObject | undefined => {
    const all = file.dictEntry(resources, category);
    return all === undefined ? undefined : file.resolve(all.get(PDFName.of(name)));
  };
  const fonts = new Map<string, boolean>();
  const codes = new Map<string, AgreedCodes | null>();
  const spaces = new Map<string, Space | undefined>();
  return {
    hasFont: (name) => {
      const isThere = fonts.get(name) ?? isFont(entry("Font", name), file);
      fonts.set(name, isThere);
      return isThere;
    },
    isDrawnFont: (name) => isDrawnFont(entry("Font", name), file),
    isBorrowedFont: (name) => {
      const font = entry("Font", name);
      return font instanceof PDFDict && isBorrowed(font, file);
    },
    widestGlyphOf: (name) => widestGlyphOf(entry("Font", name), file),
    agreedCodes: (name) => {
      const font = codes.has(name) ? undefined : entry("Font", name);
      if (!codes.has(name)) codes.set(name, font instanceof PDFDict ? agreedCodes(font, file) : null);
      return codes.get(name) ?? null;
    },
    shiftingOf: (name) => {
      const font = entry("Font", name);
      return font instanceof PDFDict ? shiftingOf(font, file) : undefined;
    },
    has: (category, name) => entry(category, name) !== undefined,
    space: (name) => {
      if (!spaces.has(name)) spaces.set(name, limited(entry("ColorSpace", name), file));
      return spaces.get(name);
    },
    isPattern: (name) => {
      const pattern = entry("Pattern", name);
      return pattern instanceof PDFDict && PATTERNS.includes(file.numberEntry(pattern, "PatternType"));
    },
    isUncoloredPattern: (name) => {
      const pattern = entry("Pattern", name);
      return pattern instanceof PDFDict && file.numberEntry(pattern, "PaintType") === 2;
    },
    isTiling: (name) => {
      const pattern = entry("Pattern", name);
      return pattern instanceof PDFDict && file.numberEntry(pattern, "PatternType") === 1;
    },
    drawnWith: (name) => {
      const pattern = entry("Pattern", name);
      return pattern instanceof PDFDict ? drawnWith(pattern, file) : undefined;
    },
    shading: (name) => {
      const shading = entry("Shading", name);
      return shading instanceof PDFDict ? shadeOf(shading, file) : undefined;
    },
    isForm: (name) => {
      const form = entry("XObject", name);
      return form instanceof PDFDict && file.nameEntry(form, "Subtype") === "Form";
    },
    isPicture: (name) => {
      const picture = entry("XObject", name);
      const isImage = picture instanceof PDFDict && file.nameEntry(picture, "Subtype") === "Image";
      return isImage && file.entry(picture, "ImageMask") !== PDFBool.True;
    },
    isMask: (name) => {
      const picture = entry("XObject", name);
      return picture instanceof PDFDict && file.entry(picture, "ImageMask") === PDFBool.True;
    },
    effectOf: (name) => {
      const state = entry("ExtGState", name);
      return state instanceof PDFDict ? effectOf(state, file) : undefined;
    },
    isPlainState: (name) => {
      const state = entry("ExtGState", name);
      return (
        state instanceof PDFDict &&
        state.entries().every(([key, value]) => isPlainEntry(key.decodeText(), String(file.resolve(value))))
      );
    },
  };
};

/** Entries of graphics states that change nothing in what is drawn on a screen, and values that do not; and masks: Chrome blurs letters by them. */
const PLAIN = /^(?:Type|SA|SM|FL|OP|op|OPM|AIS|TK|RI|SMask)$|^(?:ca|CA) 1(?:\.0*)?$|^BM \/(?:Normal|Compatible)$/;
const isPlainEntry = (name: string, value: string): boolean => PLAIN.test(name) || PLAIN.test(`${name} ${value}`);

/** The same with what its components may be; all readers bound greys and the lights of a screen. */
const limited = (value: PDFObject | undefined, file: PdfFile): Space | undefined => {
  const space = spaceOf(value, file);
  const isOfLight = value instanceof PDFName && space?.startsBlack;
  if (space === undefined || space.isPattern || isOfLight) return space;
  return { ...space, limits: settledSpace(value, file)?.components };
};

/** A color space; undefined for what is none, or broken. */
export const spaceOf = (value: PDFObject | undefined, file: PdfFile, depth = 0): Space | undefined => {
  const items = value instanceof PDFArray ? value.asArray().map((item) => file.resolve(item)) : [value];
  const family = items[0] instanceof PDFName ? items[0].decodeText() : "";
  if (family === "Pattern" && depth < MAX_DEPTH) {
    const under = items.length > 1 ? spaceOf(items[1], file, depth + 1) : { count: 0 };
    return under && { count: under.count, isPattern: true, startsBlack: false };
  }
  const most = value instanceof PDFArray && depth < MAX_DEPTH ? lastIn(value, file, depth) : undefined;
  if (family === "Indexed" && most === undefined) return undefined;
  const count = countOf(family, items[1], file) ?? families[family];
  const startsBlack = family === "DeviceGray" || family === "DeviceRGB";
  return count === undefined ? undefined : { count, isPattern: false, most, startsBlack };
};

const INDEXED = PDFName.of("Indexed");
/** Some readers pass over what else stands in such a string, others take it for a digit. */
const HEX = /^<[\dA-Fa-f \t\r\n\f]*>$/;

/** The last number of a table (8.6.6.3); undefined of what is none, or has not all the colors that it says. */
const lastIn = (space: PDFArray, file: PdfFile, depth: number): number | undefined => {
  const [family, under, last, colors] = space.asArray();
  if (file.resolve(family) !== INDEXED) return undefined;
  const base = spaceOf(file.resolve(under), file, depth + 1);
  const [highest, table] = [file.resolve(last), file.resolve(colors)];
  if (base === undefined || base.isPattern || base.most !== undefined || !(highest instanceof PDFNumber))
    return undefined;
  const most = highest.asNumber();
  if (!Number.isInteger(most) || most < 0 || most > LAST_INDEX) return undefined;
  // Of two line ends one reader makes one.
  if (table instanceof PDFString && String(table).includes("\r\n")) return undefined;
  if (table instanceof PDFHexString && !HEX.test(String(table))) return undefined;
  const bytes =
    table instanceof PDFString || table instanceof PDFHexString
      ? table.asBytes()
      : dataOf(colors, file, MAX_TABLE_BYTES);
  return bytes !== undefined && bytes.length >= (most + 1) * base.count ? most : undefined;
};

/** Components of families whose parameters tell them. */
const countOf = (family: string, parameter: PDFObject | undefined, file: PdfFile): number | undefined => {
  if (family === "DeviceN") return parameter instanceof PDFArray ? parameter.size() : undefined;
  if (family !== "ICCBased" || !(parameter instanceof PDFDict)) return undefined;
  const count = file.entry(parameter, "N");
  return count instanceof PDFNumber && [1, 3, 4].includes(count.asNumber()) ? count.asNumber() : undefined;
};
