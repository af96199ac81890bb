/** What a picture in JPEG says of itself: readers that find something else in the file go on each in its own way. */

export interface JpegFrame {
  width: number;
  height: number;
  components: number;
  /** Bits of a component. */
  depth: number;
}

const [MARKER, START, END] = [0xff, 0xd8, 0xd9];
/** Markers that nothing belongs to: fill bytes, what stands alone, starts again. */
const isAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= START);
/** Frames (ITU-T T.81, table B.1); others of these markers are tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const END_MARK = Buffer.from([MARKER, END]);

/** The frame of a picture; undefined where there is none, or the mark that ends it is missing. */
export const frameOf = (data: Uint8Array): JpegFrame | undefined => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  let at = bytes.indexOf(Buffer.from([MARKER, START])) + 2;
  while (at >= 2 && at + 10 <= bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== MARKER || marker === MARKER) at += 1;
    else if (isAlone(marker)) at += 2;
    else if (isFrame(marker)) return bytes.indexOf(END_MARK, at) < 0 ? undefined : frameAt(bytes, at + 4);
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
};

const frameAt = (bytes: Buffer, at: number): JpegFrame => ({
  depth: bytes.readUInt8(at),
  height: bytes.readUInt16BE(at + 1),
  width: bytes.readUInt16BE(at + 3),
  components: bytes.readUInt8(at + 5),
});

/** Markers of what says which colors components are, and of where a picture's data begin. */
const [JFIF, ADOBE, SCAN] = [0xe0, 0xee, 0xda];
const LETTERS = /^RGB$/i;
const INKS = "CMYK";

/** What a picture says of its colors. */
interface Told {
  isJfif: boolean;
  /** Undefined where nothing by Adobe says it. */
  adobe: number | undefined;
  /** What its components are called. */
  names: string;
}

/**
 * Whether all readers take a picture's components for the same colors: light, or lightness and two differences. By what
 * the file says of that around it (`ColorTransform`, ISO 32000-2, table 13) some go, some do not.
 */
export const areColorsAgreed = (data: Uint8Array, transform: number | undefined): boolean => {
  const { isJfif, adobe, names } = toldIn(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  // MuPDF goes by such names.
  if (names.length === 4) return adobe !== undefined ? adobe === 0 || names !== INKS : (transform ?? 0) === 0;
  if (names.length !== 3) return true;
  // PDFium goes by JFIF then.
  if (adobe === 0) return !isJfif;
  // Some go by such names.
  if (LETTERS.test(names)) return adobe === undefined && !isJfif && names === "RGB" && transform === undefined;
  return adobe !== undefined || transform === undefined || transform === 1;
};

const toldIn = (bytes: Buffer): Told => {
  const told: Told = { isJfif: false, adobe: undefined, names: "" };
  let at = bytes.indexOf(Buffer.from([MARKER, START])) + 2;
  while (at >= 2 && at + 10 <= bytes.length && bytes[at + 1] !== SCAN) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== MARKER || marker === MARKER) at += 1;
    else if (isAlone(marker)) at += 2;
    else {
      const size = bytes.readUInt16BE(at + 2);
      const segment = bytes.subarray(at + 4, at + 2 + size);
      if (marker === JFIF) told.isJfif ||= segment.toString("latin1", 0, 5) === "JFIF\0";
      if (marker === ADOBE && segment.toString("latin1", 0, 5) === "Adobe") told.adobe = segment[11];
      if (isFrame(marker)) told.names = namesIn(segment);
      at += 2 + size;
    }
  }
  return told;
};

const namesIn = (frame: Buffer): string =>
  Buffer.from(Array.from({ length: frame[5] ?? 0 }, (_, index) => frame[6 + 3 * index] ?? 0)).toString("latin1");
