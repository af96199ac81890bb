import { type PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, type PDFRef } from "pdf-lib";
import { bufferOf, latin1 } from "./bytes.ts";
import { isWhitespace } from "./characters.ts";
import { unlessDamaged } from "./faults.ts";
import { inflateStructure } from "./inflate.ts";
import { Lexer } from "./lexer.ts";
import type { PdfFile } from "./pdf-file.ts";
import { filterOf } from "./structure-streams.ts";

/**
 * What a file says for readers that show its first page before they have all of it (ISO 32000-2, annex F). As long as it
 * is as long as it says there, pdf.js, Poppler and Chrome take the first page, the count of pages, and where the
 * cross-reference is, from there, and Poppler the other pages, too; others never do, and none once something is appended.
 */

/** How far into a file its header may stand, and after it the end of its first object: Poppler looks no further. */
const WITHIN_BYTES = 1_024;
/** Where in the table of pages the bits of each page's count of objects are told, and where these counts begin. */
const [COUNT_BITS_AT, COUNTS_AT] = [8, 36];
const MAX_COUNT_BITS = 32;
const LINEARIZED = PDFName.of("Linearized");

/** Whether some readers find other pages by a file's linearization than others do by its page tree, now or when it has grown. */
export const linearizationIsDoubtful = (file: PdfFile, pages: readonly PDFRef[]): boolean => {
  const headerAt = Math.max(0, latin1(file.bytes, 0, WITHIN_BYTES).indexOf("%PDF-"));
  const told = unlessDamaged(() => toldAtFirst(file, headerAt));
  if (told === undefined || told === null) return told === undefined;
  const length = file.numberEntry(told, "L") ?? 0;
  // It never becomes shorter than it is.
  if (length < file.bytes.length && length !== file.bytes.length - headerAt) return false;
  if (length > file.bytes.length) return true;
  const first = file.numberEntry(told, "P") ?? 0;
  return (
    file.numberEntry(told, "N") !== pages.length ||
    file.numberEntry(told, "O") !== pages[first]?.objectNumber ||
    sectionAfterFirst(file, headerAt) !== file.crossReference.startOffset ||
    hintsAreDoubtful(file, told, first, pages)
  );
};

/** What the first object of the file says, where it is a linearization's: readers take it from there, whatever names it. */
const toldAtFirst = (file: PdfFile, headerAt: number): PDFDict | null => {
  const lexer = new Lexer(file.bytes, file.context, headerAt, file.allowance);
  const isHead = lexer.takeInteger() !== undefined && lexer.takeInteger() !== undefined && lexer.takeKeyword("obj");
  const first = isHead ? lexer.object() : undefined;
  return first instanceof PDFDict && first.has(LINEARIZED) ? first : null;
};

/** Where readers find the cross-reference of a file that is as long as it says: after its first object. */
const sectionAfterFirst = ({ bytes }: PdfFile, headerAt: number): number => {
  const end = bufferOf(bytes.subarray(headerAt, headerAt + WITHIN_BYTES)).indexOf("endobj");
  if (end < 0) return Number.NaN;
  let at = headerAt + end + "endobj".length;
  while (isWhitespace(bytes[at] ?? 0) && at < bytes.length) at += 1;
  return at;
};

/** Whether Poppler reckons other pages from the table of hints: where all that it finds so are pages, it shows them. */
const hintsAreDoubtful = (file: PdfFile, told: PDFDict, first: number, pages: readonly PDFRef[]): boolean => {
  const counts = unlessDamaged(() => objectCounts(file, told, pages.length));
  if (counts === undefined) return true;
  let number = 1;
  return pages.some((page, index) => {
    const reckoned = number;
    number += index === 0 ? 0 : (counts[index] ?? 0);
    return index !== first && page.objectNumber !== reckoned && isPage(file, reckoned);
  });
};

const isPage = (file: PdfFile, number: number): boolean => {
  const object = unlessDamaged(() => file.object(number));
  return object instanceof PDFDict && file.nameEntry(object, "Type") === "Page";
};

/** How many objects each page has, as the table of hints says; undefined where it can't be read. */
const objectCounts = (file: PdfFile, told: PDFDict, pageCount: number): number[] | undefined => {
  const table = hintTable(file, file.arrayEntry(told, "H"));
  if (table === undefined || table.length < COUNTS_AT) return undefined;
  const least = table.readUInt32BE(0);
  const bits = table.readUInt16BE(COUNT_BITS_AT);
  if (bits > MAX_COUNT_BITS || COUNTS_AT * 8 + bits * pageCount > table.length * 8) return undefined;
  return Array.from({ length: pageCount }, (_, index) => least + bitsAt(table, COUNTS_AT * 8 + bits * index, bits));
};

const bitsAt = (bytes: Buffer, from: number, count: number): number => {
  let value = 0;
  for (let bit = from; bit < from + count; bit += 1)
    value = value * 2 + (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
  return value;
};

/** The stream of hints: one that stands where it is said. */
const hintTable = (file: PdfFile, places: PDFArray | undefined): Buffer | undefined => {
  const offset = places?.size() === 2 ? numberOf(file.resolve(places.get(0))) : undefined;
  const [number] = [...file.crossReference.locations].find(
    ([, location]) => location?.kind === "offset" && location.offset === offset,
  ) ?? [undefined];
  const stream = number === undefined ? undefined : file.streamData(number);
  if (stream === undefined) return undefined;
  const { filter, parameters } = filterOf(stream.dict);
  return bufferOf(inflateStructure(stream.data, filter, parameters, file.allowance));
};

const numberOf = (value: PDFObject | undefined): number | undefined =>
  value instanceof PDFNumber ? value.asNumber() : undefined;
