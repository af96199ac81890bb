import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFBool, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { spaceOf } from "./content/resources.ts";
import { isReadAlike, type Shape } from "./parameters.ts";

/** Pictures that say of themselves what not all readers understand: some of them draw one, others nothing or black. */

const FILTERS =
  /^(?:ASCIIHex|ASCII85|LZW|Flate|RunLength|CCITTFax|JBIG2|DCT|JPX)Decode$|^(?:AHx|A85|LZW|Fl|RL|CCF|DCT)$/;
/** Names of entries within content, which some readers heed elsewhere too: pdf.js takes them for nothing where they are null. */
const SHORT_NAMES = "W H BPC CS D DP F FFilter FDecodeParms IM I".split(" ").map((name) => PDFName.of(name));
/** What says by itself how many bits there are, and of which colors. */
const TELLS_ITSELF = /^(?:CCITTFax|JBIG2|DCT|JPX)Decode$|^(?:CCF|DCT)$/;
const [DECODE, MASK, SMASK, COLOR_SPACE] = names("Decode", "Mask", "SMask", "ColorSpace");
const JPEG_2000 = "JPXDecode";
const FAMILIES = /^(?:(?:Device|Cal)(?:Gray|RGB|CMYK)|Lab|ICCBased|Indexed|Separation|DeviceN|Pattern|[GI]|RGB|CMYK)$/;
const INKS = 4;
/** Others of one component are inks, or some readers' alone. */
const GREYS: readonly (PDFObject | undefined)[] = [undefined, PDFName.of("DeviceGray")];
const DEPTHS = [1, 2, 4, 8, 16];

const sidesOf = (image: PDFDict, file: PdfFile) => ["Width", "Height"].map((name) => file.numberEntry(image, name));

/** Pictures with more are black or nothing for some readers. */
const MOST_DOTS = 65_500;

/** Whether a picture has as many dots across, and down, as all readers count. */
export const hasSides = (image: PDFDict, file: PdfFile): boolean =>
  sidesOf(image, file).every((side) => side !== undefined && Number.isInteger(side) && side > 0 && side <= MOST_DOTS);

/** Whether entries that may be left out are of their types: for another MuPDF draws nothing of the picture, or pdf.js. */
const hasPlainEntries = (image: PDFDict, file: PdfFile): boolean => {
  const [decode, smoothed, depth] = ["Decode", "Interpolate", "BitsPerComponent"].map((name) =>
    file.entry(image, name),
  );
  const isStream = (name: PDFName): boolean => {
    const given = image.get(name);
    return !(file.resolve(given) instanceof PDFDict) || (given instanceof PDFRef && isStreamAt(given, file));
  };
  return (
    (decode instanceof PDFArray || !image.has(DECODE)) &&
    (smoothed === undefined || smoothed instanceof PDFBool) &&
    (depth === undefined || depth instanceof PDFNumber) &&
    [MASK, SMASK].every(isStream)
  );
};

const isStreamAt = ({ objectNumber }: PDFRef, file: PdfFile): boolean => file.streamData(objectNumber) !== undefined;

/** Whether all readers understand what a picture says of itself. */
export const isSoundImage = (image: PDFDict, file: PdfFile): boolean => {
  if (!hasSides(image, file) || !hasPlainEntries(image, file)) return false;
  const filters = namesIn(file.entry(image, "Filter"), file);
  if (!filters.every((name) => FILTERS.test(name)) || SHORT_NAMES.some((name) => image.get(name, true) !== undefined))
    return false;
  // What tells how large it is stands last.
  if (filters.slice(0, -1).some((name) => TELLS_ITSELF.test(name))) return false;
  // What is no list, and no truth, some readers take for one.
  const [decode, told] = ["Decode", "ImageMask"].map((name) => file.entry(image, name));
  if ((decode !== undefined && !(decode instanceof PDFArray)) || (told !== undefined && !(told instanceof PDFBool)))
    return false;
  const isMask = told === PDFBool.True;
  const depth = file.numberEntry(image, "BitsPerComponent") ?? (isMask ? 1 : undefined);
  const tellsItself = TELLS_ITSELF.test(filters.at(-1) ?? "");
  if (depth === undefined ? !tellsItself : !(isMask ? [1] : DEPTHS).includes(depth)) return false;
  if (!isMask && !hasSoundColors(image, tellsItself, file)) return false;
  if (filters.at(-1) === JPEG_2000 && (isMask || !isPlainInJpeg2000(image, file))) return false;
  const count = isMask ? 1 : spaceOf(file.entry(image, "ColorSpace"), file)?.count;
  if (isMask && !isPlainOrder(decode, file)) return false;
  if (!isMask && isReordered(image, depth, file)) return false;
  const [width, height] = sidesOf(image, file) as [number, number];
  const shape = { width, height, depth, count };
  return (
    hasSoundLists(image, shape, file) && hasSoundMasks(image, isMask, file) && isReadAlike(image, filters, shape, file)
  );
};

/** Whether the dictionary of a picture in JPEG 2000 has nothing that only some readers heed: other ranges, transparent colors, inks. */
const isPlainInJpeg2000 = (image: PDFDict, file: PdfFile): boolean => {
  const [decode, mask] = ["Decode", "Mask"].map((name) => file.entry(image, name));
  const ranges = decode instanceof PDFArray ? decode.asArray().map((item) => file.resolve(item)?.toString()) : [];
  const [family = ""] = namesIn(file.entry(image, "ColorSpace"), file);
  return (
    ranges.every((value, index) => value === String(index % 2)) &&
    !(mask instanceof PDFArray) &&
    // Of a table PDFium shows black.
    !["Separation", "DeviceN", "Indexed"].includes(family)
  );
};

/** Of two colors some readers take any other list for one of these. */
const isPlainOrder = (decode: PDFObject | undefined, file: PdfFile): boolean => {
  if (!(decode instanceof PDFArray)) return true;
  const [first, second] = decode.asArray().map((item) => file.resolve(item)?.toString());
  return decode.size() === 2 && (first === "0" || first === "1") && second === (first === "0" ? "1" : "0");
};

/** Whether numbers of a table are taken for others: readers reckon each in its own way. */
const isReordered = (image: PDFDict, depth: number | undefined, file: PdfFile): boolean => {
  const decode = file.entry(image, "Decode");
  const [family] = namesIn(file.entry(image, "ColorSpace"), file);
  if (family !== "Indexed" || !(decode instanceof PDFArray)) return false;
  const [first, last] = decode.asArray().map((item) => file.resolve(item)?.toString());
  return first !== "0" || last !== String(2 ** (depth ?? 0) - 1);
};

/** What a picture is seen through: another one, of bits or of greys, which is not seen through itself. */
const hasSoundMasks = (image: PDFDict, isMask: boolean, file: PdfFile): boolean => {
  const [mask, soft] = ["Mask", "SMask"].map((name) => file.entry(image, name));
  if (isMask) return mask === undefined && soft === undefined;
  // What is no picture by itself is not looked at as one.
  const isStencil = (one: PDFDict) =>
    file.nameEntry(one, "Subtype") === "Image" && file.entry(one, "ImageMask") === PDFBool.True;
  if (mask instanceof PDFDict && !isStencil(mask)) return false;
  if (!(soft instanceof PDFDict)) return true;
  return (
    file.nameEntry(soft, "Subtype") === "Image" &&
    GREYS.includes(file.entry(soft, "ColorSpace")) &&
    file.entry(soft, "ImageMask") !== PDFBool.True &&
    hasSoundMatte(soft, image, file) &&
    !["Mask", "SMask"].some((name) => soft.has(PDFName.of(name)))
  );
};

/** Whether a color that a picture was mixed with before is one of its own, for each of its dots. */
const hasSoundMatte = (soft: PDFDict, image: PDFDict, file: PdfFile): boolean => {
  const matte = file.entry(soft, "Matte");
  if (matte === undefined) return true;
  const sizes = [soft, image].map((one) => ["Width", "Height"].map((name) => file.numberEntry(one, name)).join());
  return (
    matte instanceof PDFArray &&
    matte.asArray().every((item) => item instanceof PDFNumber) &&
    matte.size() === spaceOf(file.entry(image, "ColorSpace"), file)?.count &&
    sizes[0] === sizes[1] &&
    // Poppler takes colors of the one and bytes of the other for each other.
    file.numberEntry(soft, "BitsPerComponent") !== 16
  );
};

const namesIn = (value: PDFObject | undefined, file: PdfFile): string[] => {
  if (value === undefined) return [];
  const items = value instanceof PDFArray ? value.asArray().map((item) => file.resolve(item)) : [value];
  return items.map((item) => (item instanceof PDFName ? item.decodeText() : ""));
};

const hasSoundColors = (image: PDFDict, tellsItself: boolean, file: PdfFile): boolean => {
  const colors = file.entry(image, "ColorSpace");
  // For null, or what is not there, some readers take none, others the data's own.
  if (colors === undefined) return tellsItself && image.get(COLOR_SPACE, true) === undefined;
  const [family = ""] = namesIn(colors, file);
  return FAMILIES.test(family) && (family !== "Indexed" || spaceOf(colors, file) !== undefined);
};

/** Which numbers are which colors, and which are seen through. */
const hasSoundLists = (image: PDFDict, { depth, count }: Shape, file: PdfFile): boolean => {
  const [decode, mask] = ["Decode", "Mask"].map((name) => file.entry(image, name));
  const most = depth === undefined ? Number.POSITIVE_INFINITY : 2 ** depth - 1;
  const isPairs = (list: PDFObject | undefined, isSound: (value: number) => boolean, isFollowed = true) =>
    !(list instanceof PDFArray) ||
    ((count === undefined ? list.size() % 2 === 0 : list.size() === 2 * count) &&
      list.asArray().every((item) => {
        const value = isFollowed ? file.resolve(item) : item;
        return value instanceof PDFNumber && isSound(value.asNumber());
      }));
  if (depth === 1 && count === 1 && !isPlainOrder(decode, file)) return false;
  // pdf.js rounds to one of the two or four numbers that there are. Those of a table are judged by themselves.
  const isOfTable = namesIn(file.entry(image, "ColorSpace"), file)[0] === "Indexed";
  // A table has 256 colors at most.
  if (isOfTable && depth === 16) return false;
  const isCoarse = depth === 1 || depth === 2;
  if (isCoarse && !isOfTable && !isPairs(decode, (value) => value === 0 || value === 1)) return false;
  // PDFium does not look for colors of inks, of 16 bits, or of several components of one or two bits.
  const isUnsought = count === INKS || depth === 16 || (isCoarse && (count ?? 1) > 1);
  if (mask instanceof PDFArray && isUnsought) return false;
  const isNumber = (value: number) => Number.isInteger(value) && value >= 0 && value <= most;
  // pdf.js follows no references in these.
  return isPairs(decode, Number.isFinite) && isPairs(mask, isNumber, false);
};
