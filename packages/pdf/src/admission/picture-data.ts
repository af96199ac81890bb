import { inflateRawSync, inflateSync } from "node:zlib";
import { fromAsciiHex } from "@rubrica/pdf-reading/ascii-hex";
import { Damaged } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFBool, PDFDict, PDFName, PDFNull, type PDFObject } from "pdf-lib";
import { fromAscii85, runsOf } from "./content/filters.ts";
import { spaceOf } from "./content/resources.ts";

/** Pictures whose data end before the picture does: readers fill up the rest in white, in black, or draw nothing at all. */

/** Larger ones, and what is beyond this much of all, is not looked at: it would take longer than all else. */
const [MAX_PICTURE_BYTES, MAX_BYTES] = [64 * 1024 * 1024, 128 * 1024 * 1024];
/** Values of Z_SYNC_FLUSH: data that are cut give what they hold. */
const FINISH = { finishFlush: 2 } as const;

/** A picture whose data can be measured. */
export interface Picture {
  number: number;
  /** In bytes, without a compression. */
  size: number;
  filters: readonly string[];
}

/** What an object is as a picture; undefined where it is none, or its data don't tell how large it is. */
export const pictureOf = (object: PDFObject | undefined, number: number, file: PdfFile): Picture | undefined => {
  if (!(object instanceof PDFDict) || file.nameEntry(object, "Subtype") !== "Image") return undefined;
  const [size, filters] = [sizeOf(object, file), filtersOf(object, file)];
  const isMeasured = size !== undefined && size > 0 && filters.every((filter) => lengths[filter] !== undefined);
  return isMeasured ? { number, size, filters } : undefined;
};

/** Whether a picture of a file has less data than it says. The smaller ones are looked at first. */
export const hasShortPicture = (file: PdfFile, pictures: readonly Picture[]): boolean => {
  let left = MAX_BYTES;
  const bySize = pictures.toSorted((one, other) => one.size - other.size);
  return bySize.some(({ number, size, filters }) => {
    left -= size;
    const data = left < 0 || size > MAX_PICTURE_BYTES ? undefined : file.streamData(number)?.data;
    return data !== undefined && lengthOf(data, filters, size) < size;
  });
};

/** How many bytes a picture takes, with those of its prediction; undefined where that is not told, or is another's to judge. */
const sizeOf = (image: PDFDict, file: PdfFile): number | undefined => {
  const [width = 0, height = 0] = [file.numberEntry(image, "Width"), file.numberEntry(image, "Height")];
  const isMask = file.entry(image, "ImageMask") === PDFBool.True;
  const depth = isMask ? 1 : file.numberEntry(image, "BitsPerComponent");
  const count = isMask ? 1 : spaceOf(file.entry(image, "ColorSpace"), file)?.count;
  if (depth === undefined || count === undefined) return undefined;
  const parameters = itemsOf(file.entry(image, "DecodeParms"), file).find((one) => one instanceof PDFDict);
  const predictor = parameters instanceof PDFDict ? (file.numberEntry(parameters, "Predictor") ?? 1) : 1;
  return (Math.ceil((width * depth * count) / 8) + (predictor >= 10 ? 1 : 0)) * height;
};

const itemsOf = (value: PDFObject | undefined, file: PdfFile): readonly PDFObject[] => {
  if (value === undefined) return [];
  return value instanceof PDFArray ? value.asArray().map((item) => file.resolve(item) ?? PDFNull) : [value];
};

const filtersOf = (image: PDFDict, file: PdfFile): string[] =>
  itemsOf(file.entry(image, "Filter"), file).map((filter) => (filter instanceof PDFName ? filter.decodeText() : ""));

/** How long data are, as far as is asked. */
const lengthOf = (data: Uint8Array, [filter, ...others]: readonly string[], asked: number): number => {
  if (filter === undefined) return data.length;
  const plain = lengths[filter]?.(data, others.length > 0 ? MAX_PICTURE_BYTES : asked);
  return plain === undefined || typeof plain === "number" ? (plain ?? 0) : lengthOf(plain, others, asked);
};

/** What data are without a compression; undefined where they are broken, a number where they are at least so long. */
type Decode = (data: Uint8Array, asked: number) => Uint8Array | number | undefined;

const inflated: Decode = (data, asked) => {
  const options = { ...FINISH, maxOutputLength: Math.max(1, asked) };
  for (const attempt of [() => inflateSync(data, options), () => inflateRawSync(data.subarray(2), options)]) {
    try {
      return attempt();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return asked;
    }
  }
  return undefined;
};

const whole =
  (decode: (data: Uint8Array) => Uint8Array): Decode =>
  (data) => {
    try {
      return decode(data);
    } catch (error) {
      if (error instanceof Damaged) return undefined;
      throw error;
    }
  };

/** Filters whose data do not tell by themselves how large a picture is. */
const lengths: Readonly<Record<string, Decode>> = {
  FlateDecode: inflated,
  ASCII85Decode: whole(fromAscii85),
  // Some programs leave the mark out that ends it, which all readers bear.
  ASCIIHexDecode: fromAsciiHex,
  RunLengthDecode: (data) => runsOf(data)?.reduce((sum, run) => sum + run.length, 0),
};
