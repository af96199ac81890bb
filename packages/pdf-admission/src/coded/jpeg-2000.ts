/** What a picture in JPEG 2000 says of itself: readers that find something else in the file, or no end of it, go on each in its own way. */

export interface Jpeg2000Frame {
  width: number;
  height: number;
  components: number;
}

/** Markers of a codestream (ISO/IEC 15444-1, table A.2). */
const [START, SIZE, TILE_PART, END] = [0xff4f, 0xff51, 0xff90, 0xffd9];
const [TILE_PART_HEAD, LEAST_SIZE] = [12, 40];
/** Boxes of a file around it (annex I): the codestream, and what holds others. */
const [CODESTREAM, HEADER] = ["jp2c", "jp2h"].map((type) => Buffer.from(type).readUInt32BE(0));
/** A palette, and what components are (I.5.3.6): of those that are seen through readers make each something else. */
const [PALETTE, DEFINITIONS, DEFINITION_BYTES] = ["pclr", "cdef", 6];

/** The frame of a picture; undefined where there is none, one with a palette or clear parts, or data that do not end where they say. */
export const jpeg2000FrameOf = (data: Uint8Array): Jpeg2000Frame | undefined => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const stream = startsAt(bytes, 0) ? bytes : boxedIn(bytes);
  if (stream === undefined || !startsAt(stream, 0) || stream.length < 4 + LEAST_SIZE || !endsWhole(stream))
    return undefined;
  if (stream.readUInt16BE(2) !== SIZE) return undefined;
  return {
    width: stream.readUInt32BE(8) - stream.readUInt32BE(16),
    height: stream.readUInt32BE(12) - stream.readUInt32BE(20),
    components: stream.readUInt16BE(40),
  };
};

const startsAt = (bytes: Buffer, at: number): boolean => at + 2 <= bytes.length && bytes.readUInt16BE(at) === START;

/** What a file of boxes begins with (I.5.1 and I.5.2). */
const FIRST_BOX = Buffer.from("0000000c6a5020200d0a870a", "hex");
const SECOND_BOX = Buffer.from("ftyp");

/** The codestream of a file of boxes; undefined where it does not begin as such a file, which not all readers read then. */
const boxedIn = (bytes: Buffer): Buffer | undefined => {
  const second = FIRST_BOX.length + 4;
  if (!bytes.subarray(0, FIRST_BOX.length).equals(FIRST_BOX)) return undefined;
  if (!bytes.subarray(second, second + SECOND_BOX.length).equals(SECOND_BOX)) return undefined;
  for (let at = 0; at + 8 <= bytes.length; ) {
    const [told, type] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
    // 1: the length follows in eight bytes; 0: to the end.
    const isLong = told === 1 && at + 16 <= bytes.length;
    const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : told === 0 ? bytes.length - at : told;
    if (length < 8) return undefined;
    const [from, end] = [at + (isLong ? 16 : 8), at + length];
    if (type === CODESTREAM) return bytes.subarray(from, end);
    const own = type === HEADER && end > from ? bytes.subarray(from, end) : undefined;
    if (own !== undefined && (own.includes(PALETTE) || hasClearParts(own))) return undefined;
    at += length;
  }
  return undefined;
};

const hasClearParts = (header: Buffer): boolean => {
  const at = header.indexOf(DEFINITIONS) + DEFINITIONS.length;
  if (at < DEFINITIONS.length || at + 2 > header.length) return false;
  const kinds = Array.from({ length: header.readUInt16BE(at) }, (_, index) => at + 4 + index * DEFINITION_BYTES);
  return kinds.some((kind) => kind + 2 > header.length || header.readUInt16BE(kind) !== 0);
};

/** Whether each part of a codestream is as long as it says, up to the mark that ends it. */
const endsWhole = (stream: Buffer): boolean => {
  let at = 2;
  while (at + TILE_PART_HEAD <= stream.length) {
    const marker = stream.readUInt16BE(at);
    if (marker !== TILE_PART) {
      if (marker < START || marker === END) return marker === END;
      at += 2 + stream.readUInt16BE(at + 2);
      continue;
    }
    const length = stream.readUInt32BE(at + 6);
    if (length === 0) return stream.lastIndexOf(Buffer.from([END >> 8, END & 0xff])) > at;
    if (length < TILE_PART_HEAD) return false;
    at += length;
  }
  return at + 2 <= stream.length && stream.readUInt16BE(at) === END;
};
