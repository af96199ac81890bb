import { COMMON_NAMES } from "./named-glyphs.ts";

/** What glyphs are called in the Compact Font Format, and which codes they have (Adobe Technical Note 5176, 12 and 13). */

/** So many names every reader has. */
export const STANDARD_NAMES = 391;
/** FreeType ends a name at a NUL, pdf.js does not. */
const NAME = /^[!-~]+$/;
const [CODES, EXPERT, SUPPLEMENTED] = [256, 1, 0x80];

/** A glyph's name; undefined for a standard one that few fonts have. */
export const nameOf = (number: number, strings: readonly Uint8Array[]): string | undefined => {
  if (number < STANDARD_NAMES) return COMMON_NAMES[number - 1];
  const name = Buffer.from(strings[number - STANDARD_NAMES] ?? []).toString("latin1");
  if (!NAME.test(name)) throw new RangeError();
  return name;
};

/** A number of so many bytes. */
export const numberAt = (view: DataView, at: number, width: number): number => {
  let value = 0;
  for (let index = 0; index < width; index += 1) value = value * 256 + view.getUint8(at + index);
  return value;
};

/** The numbers of the glyphs' names, but for the first one, which stands for none. */
export const charsetOf = (view: DataView, at: number, count: number): number[] => {
  const numbers: number[] = [];
  const left = count - 1;
  if (!isPlace(at)) throw new RangeError();
  // Lists that every reader has, of which the first one has the names in their order.
  if (at <= 2) return Array.from({ length: left }, (_, index) => (at === 0 ? index + 1 : STANDARD_NAMES - 1));
  const format = view.getUint8(at);
  if (format > 2) throw new RangeError();
  for (let glyph = 0; format === 0 && glyph < left; glyph += 1) numbers.push(view.getUint16(at + 1 + glyph * 2));
  for (let range = at + 1; numbers.length < left; range += 2 + format) {
    const first = view.getUint16(range);
    const last = first + numberAt(view, range + 2, format);
    for (let number = first; number <= last && numbers.length < left; number += 1) numbers.push(number);
  }
  return numbers;
};

/** Below zero some readers take none of a program, others a list that they have. */
const isPlace = (at: number): boolean => Number.isInteger(at) && at >= 0;

/** What glyphs are called, from the second one on, by the numbers of their names. */
interface Called {
  charset: readonly number[];
  strings: readonly Uint8Array[];
}

/**
 * Names by codes that are not of the standard encoding; "" for a name that is not known here. Throws `RangeError` where
 * readers take different glyphs for a code.
 */
export const codesOf = (view: DataView, at: number, { charset, strings }: Called): Map<number, string> => {
  if (!isPlace(at)) throw new RangeError();
  if (at === 0) return new Map();
  if (at === EXPERT) return new Map(Array.from({ length: CODES }, (_, code) => [code, ""]));
  const listed = listedCodes(view, at);
  const names = charset.map((number) => nameOf(number, strings));
  const firsts = new Map(names.map((name, index) => [name ?? charset[index], index] as const).reverse());
  const codes = new Map<number, string>();
  for (const [index, code] of listed.codes.entries()) {
    const name = names[index];
    // Some readers find glyphs by codes, others by the names of these: of two the first one.
    const isFirst = index >= charset.length || firsts.get(name ?? charset[index]) === index;
    if (!isFirst || codes.has(code)) throw new RangeError();
    codes.set(code, name ?? "");
  }
  const supplements = listed.isSupplemented ? view.getUint8(listed.end) : 0;
  for (let next = listed.end + 1; next < listed.end + 1 + supplements * 3; next += 3)
    codes.set(view.getUint8(next), nameOf(view.getUint16(next + 1), strings) ?? "");
  return codes;
};

/** The codes of glyphs in their order, from the second one on, and where the list of them ends. */
const listedCodes = (view: DataView, at: number) => {
  const [format, count] = [view.getUint8(at), view.getUint8(at + 1)];
  const isInRanges = format % SUPPLEMENTED === 1;
  if (format % SUPPLEMENTED > 1) throw new RangeError();
  const codes: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const [first, left] = isInRanges
      ? [view.getUint8(at + 2 + index * 2), view.getUint8(at + 3 + index * 2)]
      : [view.getUint8(at + 2 + index), 0];
    for (let code = first; code <= first + left; code += 1) codes.push(code);
  }
  return { codes, isSupplemented: format >= SUPPLEMENTED, end: at + 2 + count * (isInRanges ? 2 : 1) };
};
