import type { Allowance } from "@rubrica/pdf-reading/allowance";
import { fromAsciiHex } from "@rubrica/pdf-reading/ascii-hex";
import { Damaged, TooComplex } from "@rubrica/pdf-reading/faults";
import { inflateStructure } from "@rubrica/pdf-reading/inflate";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNull, type PDFObject } from "pdf-lib";

/** What contents are compressed by; of broken data each reader shows another part. */

const MAX_FILTERS = 4;
/** ASCIIHex with the mark that ends it, and white space alone after it; at a NUL some readers end. */
const HEX = /^[\da-fA-F\t\n\f\r ]*>[\0\t\n\f\r ]*$/;
/** The same; some programs break lines within its end. Some readers end at a form feed, too. */
const ASCII85 = /^[!-uz\t\n\r ]*~[\t\n\r ]*>[\0\t\n\f\r ]*$/;
const [RUN_END, GROUP] = [128, 5];

const textOf = (data: Uint8Array): string => Buffer.from(data).toString("latin1");

/** Whether data are in ASCIIHex, to its end. */
export const isWholeAsciiHex = (data: Uint8Array): boolean => HEX.test(textOf(data));

/** How long data in runs of bytes are without them, to their end; undefined where they are broken. */
export const lengthOfRuns = (data: Uint8Array): number | undefined => {
  let [at, length] = [0, 0];
  while (at < data.length) {
    const told = data[at] as number;
    if (told === RUN_END) return at === data.length - 1 ? length : undefined;
    length += told < RUN_END ? told + 1 : 2 * RUN_END + 1 - told;
    at += told < RUN_END ? told + 2 : 2;
  }
  return undefined;
};

/** Data in runs of bytes without them, which `lengthOfRuns` has measured. */
export const withoutRuns = (data: Uint8Array, length: number): Buffer => {
  const plain = Buffer.alloc(length);
  for (let [at, to] = [0, 0]; to < length; ) {
    const told = data[at] as number;
    const end = to + (told < RUN_END ? told + 1 : 2 * RUN_END + 1 - told);
    if (told < RUN_END) plain.set(data.subarray(at + 1, at + 2 + told), to);
    else plain.fill(data[at + 1] as number, to, end);
    at += told < RUN_END ? told + 2 : 2;
    to = end;
  }
  return plain;
};

const fromRunLength = (data: Uint8Array, allowance: Allowance): Uint8Array => {
  const length = lengthOfRuns(data);
  if (length === undefined) throw new Damaged("runs of its content are broken");
  allowance.inflated(length);
  return withoutRuns(data, length);
};

/** Data in ASCII85, to its end. Throws `Damaged`. */
export const fromAscii85 = (data: Uint8Array): Uint8Array => {
  const broken = () => new Damaged("its content in ASCII85 is broken");
  if (!ASCII85.test(textOf(data))) throw broken();
  const plain = Buffer.alloc(4 * data.length);
  let [length, digits, value] = [0, 0, 0];
  for (const byte of data) {
    if (byte === 0x7e) break;
    if (byte <= 0x20) continue;
    if (byte === 0x7a) {
      if (digits > 0) throw broken();
      length += 4;
      continue;
    }
    value = value * 85 + byte - 0x21;
    digits += 1;
    if (digits < GROUP) continue;
    if (value >= 2 ** 32) throw broken();
    length = plain.writeUInt32BE(value, length);
    [digits, value] = [0, 0];
  }
  if (digits === 0) return plain.subarray(0, length);
  for (let left = digits; left < GROUP; left += 1) value = value * 85 + 84;
  if (digits === 1 || value >= 2 ** 32) throw broken();
  plain.writeUInt32BE(value, length);
  return plain.subarray(0, length + digits - 1);
};

const [LZW_CLEAR, LZW_END, LZW_MOST, LZW_WIDEST] = [256, 257, 4_096, 12];

/** Codes of 9 to 12 bits (7.4.4.2), which grow one early, as they do unless something else is said. */
export const fromLzw = (data: Uint8Array, allowance: Pick<Allowance, "inflated">): Uint8Array => {
  const broken = () => new Damaged("its content in LZW is broken");
  const parts: Uint8Array[] = [];
  let table: Uint8Array[] = [];
  let [bits, held, width] = [0, 0, 9];
  let last: Uint8Array | undefined;
  for (const byte of data) {
    bits = ((bits << 8) | byte) & 0xff_ff_ff;
    held += 8;
    if (held < width) continue;
    held -= width;
    const code = (bits >> held) & ((1 << width) - 1);
    if (code === LZW_END) return Buffer.concat(parts);
    if (code === LZW_CLEAR) {
      [table, width, last] = [[], 9, undefined];
      continue;
    }
    const known = code < LZW_CLEAR ? Uint8Array.of(code) : table[code - LZW_END - 1];
    const entry =
      known ?? (last && code === LZW_END + 1 + table.length ? Buffer.concat([last, last.subarray(0, 1)]) : undefined);
    if (entry === undefined || LZW_END + 1 + table.length > LZW_MOST) throw broken();
    if (last) table.push(Buffer.concat([last, entry.subarray(0, 1)]));
    allowance.inflated(entry.length);
    parts.push(entry);
    last = entry;
    if (table.length + LZW_END + 2 >= 1 << width && width < LZW_WIDEST) width += 1;
  }
  throw broken();
};

/**
 * How long data in LZW are without it, as far as they go; undefined where a code is of nothing. Nothing is made of them.
 * @param early how many codes before they need it codes grow: 1, or 0
 */
export const lengthOfLzw = (data: Uint8Array, early: number): number | undefined => {
  const lengths = new Uint16Array(LZW_MOST + 1).fill(1, 0, LZW_CLEAR);
  let next = LZW_END + 1;
  let last = 0;
  let width = 9;
  let bits = 0;
  let held = 0;
  let length = 0;
  for (const byte of data) {
    bits = ((bits << 8) | byte) & 0xff_ff_ff;
    held += 8;
    if (held < width) continue;
    held -= width;
    const code = (bits >> held) & ((1 << width) - 1);
    if (code === LZW_END) return length;
    if (code === LZW_CLEAR) {
      [next, last, width] = [LZW_END + 1, 0, 9];
      continue;
    }
    if (code > next || (code === next && last === 0) || next > LZW_MOST) return undefined;
    if (last > 0) {
      lengths[next] = last + 1;
      next += 1;
    } else if (code > LZW_END) return undefined;
    last = lengths[code] as number;
    length += last;
    if (next + early >= 1 << width && width < LZW_WIDEST) width += 1;
  }
  return length;
};

type Decode = (data: Uint8Array, parameters: PDFDict | undefined, allowance: Allowance) => Uint8Array;

const plainOnly =
  (decode: (data: Uint8Array, allowance: Allowance) => Uint8Array): Decode =>
  (data, parameters, allowance) => {
    if (parameters !== undefined) throw new Damaged("its content is compressed in an unknown way");
    return decode(data, allowance);
  };

const decoders: Readonly<Record<string, Decode>> = Object.fromEntries(
  (
    [
      ["FlateDecode Fl", (data, parameters, allowance) => inflateStructure(data, "Fl", parameters, allowance)],
      [
        "ASCIIHexDecode AHx",
        plainOnly((data) => {
          if (!isWholeAsciiHex(data)) throw new Damaged("its content in ASCIIHex is broken");
          return fromAsciiHex(data);
        }),
      ],
      ["ASCII85Decode A85", plainOnly(fromAscii85)],
      ["RunLengthDecode RL", plainOnly(fromRunLength)],
      ["LZWDecode LZW", plainOnly(fromLzw)],
    ] satisfies [string, Decode][]
  ).flatMap(([names, decode]) => names.split(" ").map((name) => [name, decode])),
);

/** A stream of content without its compression. Throws `Damaged` where only some readers could, `TooComplex` past a limit. */
export const decodedContent = (
  { dict, data }: { dict: PDFDict; data: Uint8Array },
  file: PdfFile,
  allowance: Allowance,
): Uint8Array => {
  const [filters, parameters] = ["Filter", "DecodeParms"].map((name) => listOf(file.entry(dict, name), file)) as [
    PDFObject[],
    PDFObject[],
  ];
  if (filters.length > MAX_FILTERS) throw new TooComplex("its content is compressed too often");
  if (filters.length === 0) allowance.inflated(data.length);
  return filters.reduce((left: Uint8Array, filter, index) => {
    const decode = filter instanceof PDFName ? decoders[filter.decodeText()] : undefined;
    if (decode === undefined) throw new Damaged("its content is compressed in an unknown way");
    const given = parameters[index];
    return decode(left, given instanceof PDFDict ? given : undefined, allowance);
  }, data);
};

const listOf = (value: PDFObject | undefined, file: PdfFile): PDFObject[] => {
  if (value === undefined || value === PDFNull) return [];
  return value instanceof PDFArray ? value.asArray().map((item) => file.resolve(item) ?? PDFNull) : [value];
};
