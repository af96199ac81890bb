import { isWhitespace } from "@rubrica/pdf-reading/characters";
import { NAME, NUMBER, WORD } from "@rubrica/pdf-reading/content-tokens";
import { Damaged } from "@rubrica/pdf-reading/faults";
import { Lexer } from "@rubrica/pdf-reading/lexer";
import {
  PDFArray,
  PDFBool,
  PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFString,
} from "pdf-lib";
import type { InlineJpegs } from "../coded/jpeg.ts";
import { transformOf } from "../parameters.ts";
import { goesBeyond, type ShortTable } from "../short-tables.ts";
import type { Space } from "./color-spaces.ts";
import { isWholeIn, plainFromAll, type ToldWithin } from "./inline-data.ts";
import { onlyEnd } from "./inline-ends.ts";
import { areSoundEntries, inlinePredictor } from "./inline-parameters.ts";
import type { Tokens } from "./tokens.ts";

/** Pictures that are written within contents (ISO 32000-2, 8.9.7): each reader looks for their end in its own way. */

const longNames: Readonly<Record<string, string>> = {
  BPC: "BitsPerComponent",
  CS: "ColorSpace",
  D: "Decode",
  DP: "DecodeParms",
  F: "Filter",
  H: "Height",
  IM: "ImageMask",
  I: "Interpolate",
  L: "Length",
  W: "Width",
};
const KEYS = new Set([...Object.values(longNames), "Intent"]);
const devices: Readonly<Record<string, number>> = {
  G: 1,
  DeviceGray: 1,
  RGB: 3,
  DeviceRGB: 3,
  CMYK: 4,
  DeviceCMYK: 4,
};
const LAST_INDEX = 255;
const LARGEST_SIDE = 32_767;
const FAX_COLUMNS = 1728;
const DEPTHS = [1, 2, 4, 8];

type NamedSpaces = (name: string) => Pick<Space, "count" | "most"> | undefined;

/** An inline image that all readers find the same end of. */
export interface InlineImage {
  isMask: boolean;
}

/**
 * Passes over an inline image from after its `BI` to after its `EI`; undefined where readers may find another end of it.
 * Throws `TooComplex`.
 * @param named a color space by its name in the resources; undefined where there is none
 */
export const inlineImage = (tokens: Tokens, named: NamedSpaces, jpegs: InlineJpegs): InlineImage | undefined => {
  const start = tokens.at;
  const head = isSoundHead(tokens) ? entriesIn(tokens.bytes, start) : undefined;
  const begin = tokens.at + 1;
  const [before, after] = [tokens.bytes[tokens.at] ?? 0, tokens.bytes[begin]];
  if (head === undefined || !isWhitespace(before) || (before === 0x0d && after === 0x0a)) return undefined;
  const end = onlyEnd(tokens.bytes, begin);
  if (end === undefined) return undefined;
  tokens.at = end + 2;
  const isMask = head.get("ImageMask") === PDFBool.True;
  // One byte of white space, or two, is before the end.
  const data = tokens.bytes.subarray(begin, end - 1);
  const isWhole =
    isWholeImage(head, isMask, data, { named, jpegs }) ||
    (isWhitespace(data.at(-1) ?? 0) && isWholeImage(head, isMask, data.subarray(0, -1), { named, jpegs }));
  return isWhole && !tokens.isTornSince(start) ? { isMask } : undefined;
};

/** Whether names and values stand there by turns, until the data begin. */
const isSoundHead = (tokens: Tokens): boolean => {
  for (let count = 0; ; count += 1) {
    const kind = tokens.next();
    const isId =
      kind === WORD &&
      tokens.at - tokens.start === 2 &&
      tokens.bytes[tokens.start] === 0x49 &&
      tokens.bytes[tokens.start + 1] === 0x44;
    if (isId) return count % 2 === 0;
    if (count % 2 === 0 ? kind !== NAME : kind < NUMBER || kind >= WORD) return false;
  }
};

const entriesIn = (bytes: Uint8Array, start: number): Map<string, PDFObject> | undefined => {
  const lexer = new Lexer(bytes, PDFContext.create(), start);
  const entries = new Map<string, PDFObject>();
  try {
    while (!lexer.takeKeyword("ID")) {
      const given = (lexer.object() as PDFName).decodeText();
      const name = longNames[given] ?? given;
      if (!KEYS.has(name) || entries.has(name)) return undefined;
      entries.set(name, lexer.object());
    }
    return areSoundEntries(entries) ? entries : undefined;
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
};

/** Whether data are as long as the picture says. */
const isWholeImage = (
  head: ReadonlyMap<string, PDFObject>,
  isMask: boolean,
  data: Uint8Array,
  { named, jpegs }: { named: NamedSpaces; jpegs: InlineJpegs },
): boolean => {
  const size = sizeOf(head, isMask, named);
  if (size === undefined) return false;
  const given = head.get("Filter");
  const filters = given instanceof PDFArray ? given.asArray() : given === undefined ? [] : [given];
  const isWithin = (plain: Uint8Array | undefined, hasRules: boolean): boolean => {
    const table = shortTableIn(head, named, hasRules);
    return table === null || (plain !== undefined && !goesBeyond(plain, table));
  };
  if (filters.length === 0) return data.length === size && isWithin(data, false);
  const names = filters.map((filter) => (filter instanceof PDFName ? filter.decodeText() : ""));
  const count = isMask ? 1 : (spaceOf(head.get("ColorSpace"), named)?.count ?? 0);
  const told = toldIn(head, count);
  const { width, height, depth } = told.frame;
  const predictor = inlinePredictor(head, { width, depth, count });
  // Before each row stands by which rule it is predicted.
  if (predictor === undefined) return false;
  const isWhole = isWholeIn(names, data, { size: size + (predictor > 0 ? height : 0), told, jpegs });
  return isWhole && isWithin(plainFromAll(names, data), predictor > 0);
};

/** The table of a picture's colors, where it lacks some. */
const shortTableIn = (
  head: ReadonlyMap<string, PDFObject>,
  named: NamedSpaces,
  hasRules: boolean,
): ShortTable | null => {
  const most = spaceOf(head.get("ColorSpace"), named)?.most;
  const [width, depth] = [head.get("Width"), head.get("BitsPerComponent")].map((value) =>
    value instanceof PDFNumber ? value.asNumber() : undefined,
  );
  if (most === undefined || width === undefined || depth === undefined || most >= 2 ** depth - 1) return null;
  return { width, depth, most, hasRules };
};

const toldIn = (head: ReadonlyMap<string, PDFObject>, components: number): ToldWithin => {
  const given = head.get("DecodeParms");
  const last = given instanceof PDFArray ? given.asArray().at(-1) : given;
  const parameters = last instanceof PDFDict ? last : undefined;
  const own = (name: string) => parameters?.get(PDFName.of(name));
  const number = (value: PDFObject | undefined) => (value instanceof PDFNumber ? value.asNumber() : undefined);
  const [width = 0, height = 0, depth = 1] = ["Width", "Height", "BitsPerComponent"].map((name) =>
    number(head.get(name)),
  );
  const [isAligned, isMarked] = ["EncodedByteAlign", "EndOfLine"].map((name) => own(name) === PDFBool.True) as [
    boolean,
    boolean,
  ];
  return {
    frame: { width, height, depth, components },
    transform: transformOf(parameters, (value) => value),
    fax: {
      columns: number(own("Columns")) ?? FAX_COLUMNS,
      rows: height,
      k: number(own("K")) ?? 0,
      isAligned,
      isMarked,
    },
  };
};

/** How many bytes a picture takes. */
const sizeOf = (head: ReadonlyMap<string, PDFObject>, isMask: boolean, named: NamedSpaces): number | undefined => {
  const number = (name: string) => {
    const value = head.get(name);
    return value instanceof PDFNumber ? value.asNumber() : undefined;
  };
  const [width = 0, height = 0] = [number("Width"), number("Height")];
  const isSide = (side: number) => Number.isInteger(side) && side > 0 && side <= LARGEST_SIDE;
  const depth = number("BitsPerComponent") ?? (isMask ? 1 : 0);
  // PDFium draws no mask that has a color space.
  if (isMask && head.has("ColorSpace")) return undefined;
  const space = isMask ? { count: 1 } : spaceOf(head.get("ColorSpace"), named);
  if (!space || !isPlainRange(head, isMask, depth, space)) return undefined;
  if (!isSide(width) || !isSide(height) || !(isMask ? [1] : DEPTHS).includes(depth)) return undefined;
  return Math.ceil((width * depth * space.count) / 8) * height;
};

/** A device's space, a table of its colors, or what resources name; undefined for what not all readers take. */
const spaceOf = (space: PDFObject | undefined, named: NamedSpaces): ReturnType<NamedSpaces> => {
  const ofDevice = (name: string) => (devices[name] === undefined ? undefined : { count: devices[name] });
  if (space instanceof PDFName) {
    const found = ofDevice(space.decodeText()) ?? named(space.decodeText());
    return found && found.count > 0 ? found : undefined;
  }
  const [family, base, last, table, ...others] = space instanceof PDFArray ? space.asArray() : [];
  const [name = "", under = ""] = [family, base].map((one) => (one instanceof PDFName ? one.decodeText() : ""));
  if (base === undefined) return ofDevice(name);
  const count = name === "I" || name === "Indexed" ? devices[under] : undefined;
  const most = last instanceof PDFNumber ? last.asNumber() : -1;
  const colors = table instanceof PDFString || table instanceof PDFHexString ? table.asBytes() : new Uint8Array();
  const isSound = Number.isInteger(most) && most >= 0 && most <= LAST_INDEX && others.length === 0;
  return isSound && count !== undefined && colors.length >= (most + 1) * count ? { count: 1, most } : undefined;
};

/** Whether what numbers stand for is said as all readers take it. */
const isPlainRange = (
  head: ReadonlyMap<string, PDFObject>,
  isMask: boolean,
  depth: number,
  { count, most }: Pick<Space, "count" | "most">,
): boolean => {
  const given = head.get("Decode");
  if (given === undefined) return true;
  const numbers = given instanceof PDFArray ? given.asArray().map((one) => Number(one.toString())) : [];
  if (numbers.length !== 2 * count) return false;
  if (most !== undefined) return numbers[0] === 0 && numbers[1] === 2 ** depth - 1;
  // Of one bit pdf.js heeds only whether the first is the larger one.
  if (isMask || (depth === 1 && count === 1))
    return numbers.every((one) => one === 0 || one === 1) && numbers[0] !== numbers[1];
  return numbers.every((one) => one >= 0 && one <= 1);
};
