import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFBool, type PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";

/** Pictures that say of themselves what not all readers understand: some of them draw one, others nothing or black. */

const FILTERS =
  /^(?:ASCIIHex|ASCII85|LZW|Flate|RunLength|CCITTFax|JBIG2|DCT|JPX)Decode$|^Crypt$|^(?:AHx|A85|LZW|Fl|RL|CCF|DCT)$/;
/** What says by itself how many bits there are, and of which colors. */
const TELLS_ITSELF = /^(?:CCITTFax|JBIG2|DCT|JPX)Decode$|^(?:CCF|DCT)$/;
const FAMILIES = /^(?:(?:Device|Cal)(?:Gray|RGB|CMYK)|Lab|ICCBased|Indexed|Separation|DeviceN|Pattern|[GI]|RGB|CMYK)$/;
const DEPTHS = [1, 2, 4, 8, 16];

/** Whether all readers understand what a picture says of itself. */
export const isSoundImage = (image: PDFDict, file: PdfFile): boolean => {
  const [width, height] = [file.numberEntry(image, "Width"), file.numberEntry(image, "Height")];
  if (![width, height].every((side) => side !== undefined && Number.isInteger(side) && side > 0)) return false;
  const filters = namesIn(file.entry(image, "Filter"), file);
  if (!filters.every((name) => FILTERS.test(name))) return false;
  const isMask = file.entry(image, "ImageMask") === PDFBool.True;
  const depth = file.numberEntry(image, "BitsPerComponent") ?? (isMask ? 1 : undefined);
  const tellsItself = TELLS_ITSELF.test(filters.at(-1) ?? "");
  if (depth === undefined ? !tellsItself : !(isMask ? [1] : DEPTHS).includes(depth)) return false;
  return (isMask || hasSoundColors(image, tellsItself, file)) && hasSoundLists(image, depth, file);
};

const namesIn = (value: PDFObject | undefined, file: PdfFile): string[] => {
  if (value === undefined) return [];
  const items = value instanceof PDFArray ? value.asArray().map((item) => file.resolve(item)) : [value];
  return items.map((item) => (item instanceof PDFName ? item.decodeText() : ""));
};

const hasSoundColors = (image: PDFDict, tellsItself: boolean, file: PdfFile): boolean => {
  const colors = file.entry(image, "ColorSpace");
  if (colors === undefined) return tellsItself;
  const [family = ""] = namesIn(colors, file);
  return FAMILIES.test(family);
};

/** Which numbers are which colors, and which are seen through. */
const hasSoundLists = (image: PDFDict, depth: number | undefined, file: PdfFile): boolean => {
  const [decode, mask] = ["Decode", "Mask"].map((name) => file.entry(image, name));
  const most = depth === undefined ? Number.POSITIVE_INFINITY : 2 ** depth - 1;
  const isPairs = (list: PDFObject | undefined, isSound: (value: number) => boolean) =>
    !(list instanceof PDFArray) ||
    (list.size() % 2 === 0 &&
      list.asArray().every((item) => {
        const value = file.resolve(item);
        return value instanceof PDFNumber && isSound(value.asNumber());
      }));
  return isPairs(decode, Number.isFinite) && isPairs(mask, (value) => value >= 0 && value <= most);
};
