import { TooComplex } from "@rubrica/pdf-reading/faults";
import { isWholeFax } from "./fax.ts";

/** Whether the data of a picture in JBIG2 (ITU-T T.88) are made of segments that are whole: each reader passes over others in its own way. */

interface Segment {
  number: number;
  type: number;
  /** 0: of all pages. */
  page: number;
  /** The numbers of segments that it is made with. */
  references: ReadonlySet<number>;
  data: Buffer;
}

const [PAGE, PAGE_END, FILE_END] = [48, 49, 51];
/** What regions are made of: symbols, patterns, tables of codes; and what readers pass over. */
const SHARED = [0, 16, 53, 62];
const [SYMBOLS, SYMBOLS_BYTES] = [0, 10];
/** Symbols, patterns and tables of codes, and regions of symbols and of patterns. */
const [DICTIONARIES, OF_DICTIONARIES] = [
  [SYMBOLS, 16, 53],
  [4, 6, 7, 20, 22, 23],
];
const GENERIC = [36, 38, 39];
const IMMEDIATE = 38;
const REGIONS = [...GENERIC, 4, 6, 7, 20, 22, 23, 40, 42, 43];
const KNOWN = [...SHARED, ...REGIONS, PAGE, PAGE_END, 50, FILE_END, 52];
const [LEAST_HEAD, PAGE_BYTES, REGION_BYTES] = [11, 19, 18];
/** Of a region that is told dot by dot: whether in the manner of a fax, and all flags that there are. */
const [IN_FAX, MOST_FLAGS] = [0x01, 0x1f];
/** Where a page's flags stand, of which the last has no meaning, and how a region is put on its page. */
const [PAGE_FLAGS_AT, WITHOUT_MEANING, PUT_AT, MOST_PUT] = [16, 0x80, 16, 4];
const [UNKNOWN, ROWS_BYTES] = [0xffffffff, 4];
/** What ends a region whose length is not told: with one kind of codes, and with the other. */
const REGION_ENDS = [Buffer.from([0xff, 0xac]), Buffer.from([0, 0])] as const;
const MANY_REFERENCES = 7;
/** Honest pictures have some ten. */
const MOST_SEGMENTS = 10_000;

/**
 * Whether data hold one page of a size, and regions of it.
 * @param takeRows is told of rows that are gone through
 */
export const isWholeJbig2 = (
  data: Uint8Array,
  size: { width: number; height: number },
  takeRows: (rows: number) => void,
): boolean => {
  const segments = segmentsIn(data);
  const at = segments?.findIndex(({ type }) => type === PAGE) ?? -1;
  const page = segments?.[at];
  if (segments === undefined || page === undefined || page.data.length !== PAGE_BYTES) return false;
  if (page.data.readUInt32BE(0) !== size.width || page.data.readUInt32BE(4) !== size.height) return false;
  if ((page.data.readUInt8(PAGE_FLAGS_AT) & WITHOUT_MEANING) !== 0) return false;
  const types = segments.map(({ type }) => type);
  const end = types.indexOf(PAGE_END);
  return (
    types.lastIndexOf(PAGE) === at &&
    types.some((type) => REGIONS.includes(type)) &&
    types.slice(0, at).every((type) => SHARED.includes(type)) &&
    (end < 0 || types.slice(end + 1).every((type) => type === FILE_END)) &&
    areUsed(segments) &&
    segments.every((one) => (one.page === 0 || one.page === page.page) && isWhole(one, size, takeRows))
  );
};

/**
 * Whether regions name what they are made of, and each dictionary is named: a broken one that nothing is made of ends the
 * picture for some readers.
 */
const areUsed = (segments: readonly Segment[]): boolean => {
  const used = new Set(segments.flatMap(({ references }) => [...references]));
  return segments.every(({ number, type, references }) => {
    const isNamed = !DICTIONARIES.includes(type) || used.has(number);
    const isMade = !OF_DICTIONARIES.includes(type) || references.size > 0;
    return isNamed && isMade && [...references].every((one) => one < number);
  });
};

/** Poppler draws refined parts, halftones and symbols by Huffman's codes otherwise, or leaves out what has them. */
const RARE = [16, 20, 22, 23, 40, 42, 43];
const TEXTS = [4, 6, 7];
/** Flags of symbols, and of a text's. */
const [IN_HUFFMAN, REFINED] = [0x01, 0x02];

/** Whether data are of parts that all readers draw alike where their codes are sound. */
export const isPlainJbig2 = (data: Uint8Array): boolean =>
  segmentsIn(data)?.every((segment) => {
    if (segment.type === SYMBOLS) return (segment.data.readUInt16BE(0) & (IN_HUFFMAN | REFINED)) === 0;
    if (TEXTS.includes(segment.type)) return ((segment.data[REGION_BYTES] ?? REFINED) & REFINED) === 0;
    return !RARE.includes(segment.type);
  }) === true;

/** Whether data that pictures share are whole. */
export const areWholeGlobals = (data: Uint8Array): boolean =>
  segmentsIn(data)?.every((one) => one.page === 0 && SHARED.includes(one.type) && hasSymbols(one)) === true;

/** Undefined where a segment is unknown, out of order, or longer than the data. Throws `TooComplex`. */
const segmentsIn = (data: Uint8Array): Segment[] | undefined => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const segments: Segment[] = [];
  for (let at = 0; at + LEAST_HEAD <= bytes.length; ) {
    const read = segmentAt(bytes, at);
    if (read === undefined || read.segment.number <= (segments.at(-1)?.number ?? -1)) return undefined;
    segments.push(read.segment);
    if (segments.length > MOST_SEGMENTS) throw new TooComplex("a picture in JBIG2 has too many parts");
    at = read.end;
  }
  return segments;
};

const segmentAt = (bytes: Buffer, start: number): { segment: Segment; end: number } | undefined => {
  const [number, flags, told] = [bytes.readUInt32BE(start), bytes.readUInt8(start + 4), bytes.readUInt8(start + 5)];
  const isLong = told >> 5 === MANY_REFERENCES;
  const count = isLong ? bytes.readUInt32BE(start + 5) & 0x1fffffff : told >> 5;
  const width = number <= 256 ? 1 : number <= 65_536 ? 2 : 4;
  const referencesAt = start + 5 + (isLong ? 4 + ((count + 8) >> 3) : 1);
  const pageAt = referencesAt + count * width;
  const lengthAt = pageAt + ((flags & 0x40) === 0 ? 1 : 4);
  if (lengthAt + 4 > bytes.length || !KNOWN.includes(flags & 0x3f)) return undefined;
  const [type, from] = [flags & 0x3f, lengthAt + 4];
  const length = bytes.readUInt32BE(lengthAt);
  const end = length === UNKNOWN ? (type === IMMEDIATE ? regionEnd(bytes, from) : undefined) : from + length;
  if (end === undefined || end > bytes.length) return undefined;
  const page = (flags & 0x40) === 0 ? bytes.readUInt8(pageAt) : bytes.readUInt32BE(pageAt);
  const references = new Set<number>();
  for (let at = referencesAt; at < pageAt; at += width) references.add(bytes.readUIntBE(at, width));
  return { segment: { number, type, page, references, data: bytes.subarray(from, end) }, end };
};

const regionEnd = (bytes: Buffer, from: number): number | undefined => {
  const mark = REGION_ENDS[(bytes[from + REGION_BYTES - 1] ?? 0) & 1];
  const at = mark === undefined ? -1 : bytes.indexOf(mark, from + REGION_BYTES);
  return at < 0 ? undefined : at + 2 + ROWS_BYTES;
};

/** Whether what says how many symbols there are is there. */
const hasSymbols = ({ type, data }: Segment): boolean => type !== SYMBOLS || data.length >= SYMBOLS_BYTES;

/** Whether a segment is as long as it must be, and a region lies within its page. */
const isWhole = (
  segment: Segment,
  { width, height }: { width: number; height: number },
  takeRows: (rows: number) => void,
): boolean => {
  const { type, data } = segment;
  if (!REGIONS.includes(type)) return hasSymbols(segment);
  if (data.length < REGION_BYTES || data.readUInt8(PUT_AT) > MOST_PUT) return false;
  const [columns, rows] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [right, lowest] = [data.readUInt32BE(8) + columns, data.readUInt32BE(12) + rows];
  if (columns === 0 || rows === 0 || right > width || lowest > height) return false;
  if (!GENERIC.includes(type)) return true;
  const flags = data.readUInt8(REGION_BYTES - 1);
  // Of what is told in the manner of a fax it is known how long it must be; other flags have no meaning there.
  if ((flags & IN_FAX) === 0) return flags <= MOST_FLAGS;
  if (flags !== IN_FAX) return false;
  takeRows(rows);
  return isWholeFax(data.subarray(REGION_BYTES), { columns, rows, k: -1, isAligned: false, isMarked: false });
};
