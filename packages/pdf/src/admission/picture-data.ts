import { isDeepStrictEqual } from "node:util";
import { inflateRawSync, inflateSync } from "node:zlib";
import { fromAsciiHex } from "@rubrica/pdf-reading/ascii-hex";
import { Damaged } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFBool, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject } from "pdf-lib";
import { fromAscii85, runsOf } from "./content/filters.ts";
import { spaceOf } from "./content/resources.ts";
import { frameOf, type JpegFrame } from "./jpeg.ts";

/** Pictures whose data end before the picture does: readers fill up the rest in white, in black, or draw nothing at all. */

/** Larger ones, and what is beyond this much of all, is not looked at: it would take longer than all else. */
const [MAX_PICTURE_BYTES, MAX_BYTES] = [64 * 1024 * 1024, 128 * 1024 * 1024];
const JPEG = /^DCT(?:Decode)?$/;
/** Values of Z_SYNC_FLUSH: data that are cut give what they hold. */
const FINISH = { finishFlush: 2 } as const;

/** A picture whose data can be measured. */
export interface Picture {
  number: number;
  /** In bytes, without a compression; of JPEG unknown. */
  size: number;
  filters: readonly string[];
  /** What data in JPEG have to say of themselves. */
  frame: JpegFrame | null;
}

/** What an object is as a picture; undefined where it is none, or its data don't tell how large it is. */
export const pictureOf = (object: PDFObject | undefined, number: number, file: PdfFile): Picture | undefined => {
  if (!(object instanceof PDFDict) || file.nameEntry(object, "Subtype") !== "Image") return undefined;
  const filters = filtersOf(object, file);
  const isJpeg = JPEG.test(filters.at(-1) ?? "");
  const size = isJpeg ? 0 : (sizeOf(object, file) ?? -1);
  const others = isJpeg ? filters.slice(0, -1) : filters;
  const isMeasured = size >= 0 && others.every((filter) => lengths[filter] !== undefined);
  return isMeasured ? { number, size, filters: others, frame: isJpeg ? toldFrame(object, file) : null } : undefined;
};

/** What is wrong with the data of a file's pictures. */
export interface PictureLook {
  /** Whether one has less data than it says, or others. */
  isOther: boolean;
  /** Pictures by their numbers that are of another size than is said of them, or of a depth that nothing says: readers draw one, the other, or a part. */
  sizes: ReadonlyMap<number, JpegFrame>;
}

/** Looks into the data of pictures, the smaller ones first. */
export const lookAtPictures = (file: PdfFile, pictures: readonly Picture[]): PictureLook => {
  let left = MAX_BYTES;
  const sizes = new Map<number, JpegFrame>();
  const isOtherJpeg = ({ number, filters }: Picture, told: JpegFrame): boolean => {
    const plain = plainOf(file.streamData(number)?.data, filters, left);
    left -= plain?.length ?? 0;
    const frame = plain && frameOf(plain);
    if (frame === undefined || ![0, frame.depth].includes(told.depth) || frame.components !== told.components)
      return true;
    if (!isDeepStrictEqual(frame, told)) sizes.set(number, frame);
    return false;
  };
  const isOther = pictures
    .toSorted((one, other) => one.size - other.size)
    .some((picture) => {
      const { number, size, filters, frame } = picture;
      if (frame !== null) return isOtherJpeg(picture, frame);
      left -= size;
      const data = left < 0 || size > MAX_PICTURE_BYTES ? undefined : file.streamData(number)?.data;
      return data !== undefined && lengthOf(data, filters, size) < size;
    });
  return { isOther, sizes };
};

/** Says of a picture what its data do. */
export const setSize = (picture: PDFObject, size: JpegFrame | undefined): void => {
  if (size === undefined || !(picture instanceof PDFDict)) return;
  picture.set(PDFName.of("Width"), PDFNumber.of(size.width));
  picture.set(PDFName.of("Height"), PDFNumber.of(size.height));
  picture.set(PDFName.of("BitsPerComponent"), PDFNumber.of(size.depth));
};

/** Of a mask, and of what names no colors, readers make each something else. */
const toldFrame = (image: PDFDict, file: PdfFile): JpegFrame => ({
  width: file.numberEntry(image, "Width") ?? 0,
  height: file.numberEntry(image, "Height") ?? 0,
  depth: file.numberEntry(image, "BitsPerComponent") ?? 0,
  components: spaceOf(file.entry(image, "ColorSpace"), file)?.count ?? 0,
});

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

/** Data without what a picture is compressed by beside; undefined where they are broken, or longer than is asked. */
const plainOf = (data: Uint8Array | undefined, filters: readonly string[], asked: number): Uint8Array | undefined =>
  filters.reduce((left, filter) => {
    const plain = left && lengths[filter]?.(left, asked);
    return typeof plain === "number" ? undefined : plain;
  }, data);

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

const [TILDE, ASCII85_END] = [0x7e, Buffer.from("~>")];

/** Filters whose data do not tell by themselves how large a picture is. */
const lengths: Readonly<Record<string, Decode>> = {
  FlateDecode: inflated,
  // Some programs leave the mark out that ends it, which all readers bear.
  ASCII85Decode: whole((data) => fromAscii85(data.includes(TILDE) ? data : Buffer.concat([data, ASCII85_END]))),
  ASCIIHexDecode: fromAsciiHex,
  RunLengthDecode: (data) => runsOf(data)?.reduce((sum, run) => sum + run.length, 0),
};
