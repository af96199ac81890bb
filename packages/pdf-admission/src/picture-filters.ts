import { inflateRawSync, inflateSync } from "node:zlib";
import { fromAsciiHex } from "@rubrica/pdf-reading/ascii-hex";
import { Damaged, TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, type PDFDict, PDFName, PDFNull, type PDFObject } from "pdf-lib";
import { fromAscii85, fromLzw, isWholeAsciiHex, lengthOfRuns, withoutRuns } from "./filters.ts";

/** What the data of pictures are compressed by, and undoing it where it does not tell by itself how large they are. */

export const [JPEG, JPEG_2000, FLATE, RUNS, LZW, FAX, JBIG2] =
  "DCTDecode JPXDecode FlateDecode RunLengthDecode LZWDecode CCITTFaxDecode JBIG2Decode".split(" ") as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
/** Names that filters have within contents, by which readers know them everywhere. */
const LONG_NAMES: Readonly<Record<string, string>> = {
  AHx: "ASCIIHexDecode",
  A85: "ASCII85Decode",
  CCF: FAX,
  DCT: JPEG,
  Fl: FLATE,
  LZW,
  RL: RUNS,
};
/** Values of Z_SYNC_FLUSH: data that are cut give what they hold. */
const FINISH = { finishFlush: 2 } as const;

const itemsOf = (value: PDFObject | undefined, file: PdfFile): readonly PDFObject[] => {
  if (value === undefined) return [];
  return value instanceof PDFArray ? value.asArray().map((item) => file.resolve(item) ?? PDFNull) : [value];
};

/** The names of a picture's filters, in full. */
export const filtersOf = (image: PDFDict, file: PdfFile): string[] =>
  itemsOf(file.entry(image, "Filter"), file)
    .map((filter) => (filter instanceof PDFName ? filter.decodeText() : ""))
    .map((name) => LONG_NAMES[name] ?? name);

/** How much may still be made of pictures' data. */
export interface Budget {
  bytes: number;
}

/** What data are without a compression; undefined where they are broken. Throws `TooComplex`. */
type Decode = (data: Uint8Array, budget: Budget) => Uint8Array | undefined;

/** Undefined where they are broken, null where they are longer than may be. */
export const inflatedUpTo = (data: Uint8Array, most: number): Uint8Array | null | undefined => {
  const options = { ...FINISH, maxOutputLength: Math.max(1, most) };
  for (const attempt of [() => inflateSync(data, options), () => inflateRawSync(data.subarray(2), options)]) {
    try {
      return attempt();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return null;
      // Without its head and its checksum, it would break at the same place again; where its head is odd some readers find nothing.
      if (!(error instanceof Error && error.message.includes("data check"))) return undefined;
    }
  }
  return undefined;
};

const tooLarge = () => new TooComplex("its pictures are compressed more than once, and too large then");

const spend = (budget: Budget, bytes: number): void => {
  budget.bytes -= bytes;
  if (budget.bytes < 0) throw tooLarge();
};

const inflated: Decode = (data, budget) => {
  const plain = inflatedUpTo(data, budget.bytes);
  if (plain === null) throw tooLarge();
  spend(budget, plain?.length ?? 0);
  return plain;
};

const whole =
  (decode: Decode): Decode =>
  (data, budget) => {
    try {
      return decode(data, budget);
    } catch (error) {
      if (error instanceof Damaged) return undefined;
      throw error;
    }
  };

const [TILDE, ASCII85_END, ASCII_HEX_END] = [0x7e, Buffer.from("~>"), 0x3e];

/** Filters whose data do not tell by themselves how large a picture is. */
export const decoders: Readonly<Record<string, Decode>> = {
  [FLATE]: inflated,
  // Some programs leave out the mark at its end, and all readers accept that.
  ASCII85Decode: whole((data) => fromAscii85(data.includes(TILDE) ? data : Buffer.concat([data, ASCII85_END]))),
  ASCIIHexDecode: (data) => {
    const marked = data.includes(ASCII_HEX_END) ? data : Buffer.concat([data, Buffer.of(ASCII_HEX_END)]);
    return isWholeAsciiHex(marked) ? fromAsciiHex(marked) : undefined;
  },
  [LZW]: whole((data, budget) => fromLzw(data, { inflated: (bytes) => spend(budget, bytes) })),
  [RUNS]: (data, budget) => {
    const length = lengthOfRuns(data);
    if (length === undefined) return undefined;
    spend(budget, length);
    return withoutRuns(data, length);
  },
};
/** Data without the last of what they are compressed by is left; undefined where they are broken. */
export const plainOf = (data: Uint8Array, filters: readonly string[], budget: Budget): Uint8Array | undefined =>
  filters.reduce((left: Uint8Array | undefined, filter) => left && decoders[filter]?.(left, budget), data);
