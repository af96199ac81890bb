import type { PDFContext, PDFDict } from "pdf-lib";
import type { Allowance } from "./allowance.ts";
import { bufferOf, latin1 } from "./bytes.ts";
import { Damaged, TooComplex } from "./faults.ts";
import { HIGHEST_OBJECT_NUMBER, integerOf, type Location, SectionReader, type Sections } from "./section-reader.ts";

const MAX_SECTIONS = 1_000;

/** What the cross-reference sections of a file say, the newest first (ISO 32000-2, 7.5.4 and 7.5.8). */
export interface CrossReference {
  /** Object number → place; null when the object was deleted. */
  locations: Map<number, Location | null>;
  /** The newest trailer: Root, Info, ID, Encrypt. */
  trailer: PDFDict;
  /** One more than the highest object number that an update must not take for another object. */
  size: number;
  /** Offset of the newest section: the next update's Prev; null when the sections of the file are wrong. */
  startOffset: number | null;
  /** The form of the newest section, which updates have to keep to. */
  kind: "table" | "stream";
  sections: Sections;
}

/** Reads all cross-reference sections of a file. Throws {@link Damaged} where one isn't what it should be. */
export const readCrossReference = (bytes: Uint8Array, context: PDFContext, allowance: Allowance): CrossReference => {
  const at = lastStart(bytes);
  if (at === undefined) throw new Damaged("it has no cross-reference");
  const { crossReference } = readSections(new SectionReader(bytes, context, allowance), startOffsetAt(bytes, at));
  if (!isPlainEnd(bytes, at)) crossReference.sections.isOdd = true;
  return crossReference;
};

/** How far from a file's end all readers look for its start. */
const END_WITHIN_BYTES = 1_024;

/** Whether all readers find the last `startxref`: some do only as a word by itself, near the end, and before the mark of that. */
const isPlainEnd = (bytes: Uint8Array, at: number): boolean =>
  bytes.length - at <= END_WITHIN_BYTES &&
  /^[ \t\r\n]startxref[ \t\r\n]+\d+[ \t\r\n]+%%EOF/.test(latin1(bytes, at - 1));

/**
 * Reads the sections of a file from one on, up to one that is known already, or to the first of all.
 * @param known offset of the section not to go beyond; null for none
 * @returns what the sections say that were read, and whether the known one was met
 */
export const readSections = (
  reader: SectionReader,
  startOffset: number,
  known: number | null = null,
): { crossReference: CrossReference; metKnown: boolean } => {
  const { trailer, kind } = reader.section(startOffset);
  const seen = new Set([startOffset]);
  let previous = integerOf(trailer, "Prev");
  while (previous !== undefined && previous !== known && !seen.has(previous)) {
    if (seen.size >= MAX_SECTIONS) throw new TooComplex("it was updated too often");
    seen.add(previous);
    previous = integerOf(reader.section(previous).trailer, "Prev");
  }
  const { locations, sections } = reader;
  if (!reader.areTabled) sections.contradictory = true;
  const crossReference = { locations, trailer, size: sizeOf(locations, trailer), startOffset, kind, sections };
  return { crossReference, metKnown: previous !== undefined && previous === known };
};

/** Size as the trailer has it, unless it is wrong. */
export const sizeOf = (locations: CrossReference["locations"], trailer: PDFDict): number => {
  const stated = integerOf(trailer, "Size") ?? 0;
  let size = stated <= HIGHEST_OBJECT_NUMBER ? stated : 0;
  for (const [number, location] of locations) if (location !== null) size = Math.max(size, number + 1);
  return size;
};

/** The last `startxref` at or after an offset. */
export const lastStart = (bytes: Uint8Array, from = 0): number | undefined => {
  const at = bufferOf(bytes.subarray(from)).lastIndexOf("startxref");
  return at < 0 ? undefined : from + at;
};

/** The offset behind a `startxref`. Throws {@link Damaged}. */
export const startOffsetAt = (bytes: Uint8Array, at: number): number => {
  const digits = /^\s*(\d{1,12})/.exec(latin1(bytes, at + 9, at + 40));
  if (digits === null) throw new Damaged("it has no cross-reference");
  return Number(digits[1]);
};
