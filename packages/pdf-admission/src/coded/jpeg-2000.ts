/** What a picture in JPEG 2000 says of itself: readers that find something else in the file, or no end of it, go on each in its own way. */

export interface Jpeg2000Frame {
  width: number;
  height: number;
  components: number;
}

/** A picture. Of colors by a profile some readers know nothing, where the profile is in the picture's box alone. */
export interface Jpeg2000Picture {
  frame: Jpeg2000Frame;
  hasProfile: boolean;
}

/** Markers of a codestream (ISO/IEC 15444-1, table A.2). */
const [START, SIZE, TILE_PART, END] = [0xff4f, 0xff51, 0xff90, 0xffd9];
const [TILE_PART_HEAD, LEAST_SIZE] = [12, 40];
/** Of the codings that all tiles have: whether a mark ends what stands before each part of data (A.6.1). */
const [CODING, ENDS_HEADS] = [0xff52, 0x04];
/** Boxes of a file around it (annex I): the codestream, and what holds others, such as the size once more, and colors. */
const [CODESTREAM, HEADER, SIZES, COLORS] = ["jp2c", "jp2h", "ihdr", "colr"].map((type) =>
  Buffer.from(type).readUInt32BE(0),
) as [number, number, number, number];
/** A palette, what each component is taken from, and what components are (I.5.3.6): of those that are seen through readers make each something else. */
const [PALETTE, SOURCES, DEFINITIONS, DEFINITION_BYTES] = ["pclr", "cmap", "cdef", 6] as const;
/** How many components colors have that are told by a number (I.5.3.3): inks, colors and greys. Readers take others each in its own way. */
const ENUMERATED: Readonly<Record<number, number>> = { 12: 4, 16: 3, 17: 1 };
const [BY_NUMBER, BY_PROFILE] = [1, 2];
/** Of components of fewer bits some readers show colors, others next to black. */
const [LEAST_BITS, MOST_BITS] = [4, 16];
const [COMPONENTS_AT, COMPONENT_BYTES] = [42, 3];
const [SIZES_BYTES, MOST_BOXES] = [14, 1000];

/** Undefined where there is no picture, one with a palette or clear parts, or data that do not end where they say. */
export const jpeg2000In = (data: Uint8Array): Jpeg2000Picture | undefined => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const boxed = startsAt(bytes, 0) ? undefined : boxedIn(bytes);
  const frame = frameIn(boxed?.stream ?? bytes);
  if (frame === undefined || boxed === undefined) return frame && { frame, hasProfile: false };
  return isHeaderOf(boxed.header, frame) ? { frame, hasProfile: hasProfile(boxed.header) } : undefined;
};

const frameIn = (stream: Buffer): Jpeg2000Frame | undefined => {
  if (!startsAt(stream, 0) || stream.length < 4 + LEAST_SIZE || !endsWhole(stream)) return undefined;
  const components = stream.readUInt16BE(40);
  const end = COMPONENTS_AT + components * COMPONENT_BYTES;
  if (stream.readUInt16BE(2) !== SIZE || end > stream.length) return undefined;
  return areLikeEachOther(stream.subarray(COMPONENTS_AT, end))
    ? {
        width: stream.readUInt32BE(8) - stream.readUInt32BE(16),
        height: stream.readUInt32BE(12) - stream.readUInt32BE(20),
        components,
      }
    : undefined;
};

/** Whether all components are of one depth, from zero on, and have a sample for each dot. */
const areLikeEachOther = (components: Buffer): boolean => {
  const bits = (components[0] ?? 0) + 1;
  const isFirst = (byte: number, at: number) => byte === (at % COMPONENT_BYTES === 0 ? bits - 1 : 1);
  return bits >= LEAST_BITS && bits <= MOST_BITS && components.every(isFirst);
};

const startsAt = (bytes: Buffer, at: number): boolean => at + 2 <= bytes.length && bytes.readUInt16BE(at) === START;

/** What a file of boxes begins with (I.5.1 and I.5.2). */
const FIRST_BOX = Buffer.from("0000000c6a5020200d0a870a", "hex");
const SECOND_BOX = Buffer.from("ftyp");

interface Boxed {
  stream: Buffer;
  /** What tells of it. */
  header: Buffer;
}

/** The codestream of a file of boxes; undefined where it does not begin as such a file, which not all readers read then. */
const boxedIn = (bytes: Buffer): Boxed | undefined => {
  const second = FIRST_BOX.length + 4;
  if (!bytes.subarray(0, FIRST_BOX.length).equals(FIRST_BOX)) return undefined;
  if (!bytes.subarray(second, second + SECOND_BOX.length).equals(SECOND_BOX)) return undefined;
  const boxes = boxesIn(bytes) ?? [];
  const headers = boxes.filter(({ type }) => type === HEADER);
  const last = boxes.at(-1);
  // Some readers find no picture where nothing told of it before.
  return last?.type === CODESTREAM && headers.length === 1
    ? { stream: last.content, header: (headers[0] as Box).content }
    : undefined;
};

interface Box {
  type: number;
  content: Buffer;
}

/** Up to the first codestream; undefined where they are more than honest files have, or one is shorter than its head. */
const boxesIn = (bytes: Buffer): Box[] | undefined => {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length && boxes.at(-1)?.type !== CODESTREAM; ) {
    const [told, type] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
    // 1: the length follows in eight bytes; 0: to the end.
    const isLong = told === 1 && at + 16 <= bytes.length;
    const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : told === 0 ? bytes.length - at : told;
    if (length < 8 || boxes.length === MOST_BOXES) return undefined;
    boxes.push({ type, content: bytes.subarray(at + (isLong ? 16 : 8), at + length) });
    at += length;
  }
  return boxes;
};

/** Whether a header says of a picture what its codestream does, and nothing that not all readers heed. */
const isHeaderOf = (header: Buffer, { width, height, components }: Jpeg2000Frame): boolean => {
  if (header.includes(PALETTE) || header.includes(SOURCES) || hasClearParts(header)) return false;
  const [first, ...others] = boxesIn(header) ?? [];
  if (first?.type !== SIZES || first.content.length < SIZES_BYTES) return false;
  const told = [first.content.readUInt32BE(4), first.content.readUInt32BE(0), first.content.readUInt16BE(8)];
  const isTold = told.every((one, index) => one === [width, height, components][index]);
  return isTold && others.every(({ type, content }) => type !== COLORS || areColorsOf(content, components));
};

const areColorsOf = (colors: Buffer, components: number): boolean =>
  colors[0] === BY_NUMBER
    ? colors.length >= 7 && ENUMERATED[colors.readUInt32BE(3)] === components
    : colors[0] === BY_PROFILE;

const hasProfile = (header: Buffer): boolean =>
  (boxesIn(header) ?? []).some(({ type, content }) => type === COLORS && content[0] === BY_PROFILE);

const hasClearParts = (header: Buffer): boolean => {
  const at = header.indexOf(DEFINITIONS) + DEFINITIONS.length;
  if (at < DEFINITIONS.length || at + 2 > header.length) return false;
  const kinds = Array.from({ length: header.readUInt16BE(at) }, (_, index) => at + 4 + index * DEFINITION_BYTES);
  return kinds.some((kind) => kind + 2 > header.length || header.readUInt16BE(kind) !== 0);
};

/** Whether each part of a codestream is as long as it says, up to the mark that ends it. */
const endsWhole = (stream: Buffer): boolean => {
  let at = 2;
  let hasEnds = false;
  while (at + TILE_PART_HEAD <= stream.length) {
    const marker = stream.readUInt16BE(at);
    if (marker !== TILE_PART) {
      if (marker < START || marker === END) return marker === END;
      if (marker === CODING) hasEnds = ((stream[at + 4] ?? 0) & ENDS_HEADS) !== 0;
      at += 2 + stream.readUInt16BE(at + 2);
      continue;
    }
    const length = stream.readUInt32BE(at + 6);
    // Of such a tile in several parts MuPDF draws nothing.
    if (hasEnds && stream.readUInt8(at + 10) > 0) return false;
    if (length === 0) return stream.lastIndexOf(Buffer.from([END >> 8, END & 0xff])) > at;
    if (length < TILE_PART_HEAD) return false;
    at += length;
  }
  return at + 2 <= stream.length && stream.readUInt16BE(at) === END;
};
