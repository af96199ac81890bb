import { isDeepStrictEqual } from "node:util";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import { Scans } from "./jpeg-scans.ts";
import { Samples } from "./jpeg-values.ts";

/** What a picture in JPEG says of itself: readers that find something else in the file go on each in its own way. */

export interface JpegFrame {
  width: number;
  height: number;
  components: number;
  /** Bits of a component. */
  depth: number;
}

/** What a picture says of its colors. */
export interface ToldColors {
  isJfif: boolean;
  /** Undefined where nothing by Adobe says it. */
  adobe: number | undefined;
  /** What its components are called. */
  names: string;
}

/** A picture whose data hold together. */
export interface Jpeg {
  frame: JpegFrame;
  colors: ToldColors;
  /** Whether nothing stands between its blocks and the marks after them. */
  isTight: boolean;
}

const [MARKER, START, END] = [0xff, 0xd8, 0xd9];
/** Markers of what says which colors components are, and of where a picture's data begin. */
const [JFIF, ADOBE, SCAN] = [0xe0, 0xee, 0xda];
const [CODES, QUANTIZATION, INTERVAL] = [0xc4, 0xdb, 0xdd];
/** Baseline, extended, progressive (table B.1): others (lossless, hierarchical, arithmetic) only some readers know. */
const [BASELINE, PROGRESSIVE] = [0xc0, 0xc2];
/** What programs write for themselves, and comments: all readers pass over these alone. */
const [FIRST_OWN, LAST_OWN, COMMENT] = [0xe0, 0xef, 0xfe];
const LETTERS = /^RGB$/i;
const INKS = "CMYK";
/** As MuPDF alone takes for lightness and differences of twice the range. */
const OF_WIDE_COLORS = "\x01\x22\x23";
const ADOBE_BYTES = 12;

/**
 * Goes through a picture, up to the mark that ends it; undefined where there is not one frame that readers know, where a
 * scan has not its tables, its restarts, all of its blocks and a marker after it, or where samples lie beyond what all
 * readers bound alike. Throws `TooComplex`.
 */
export const jpegIn = (data: Uint8Array, samples: Samples): Jpeg | undefined => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const reading = new Reading(bytes, samples);
  // Of bytes before it MuPDF makes a black picture.
  if (bytes[0] !== MARKER || bytes[1] !== START) return undefined;
  let at = 2;
  while (at + 2 <= bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== MARKER) {
      // Before the frame all readers pass over other bytes.
      if (reading.hasFrame) return undefined;
      at += 1;
    } else if (marker === MARKER) at += 1;
    else if (marker === END) return reading.outcome();
    else {
      const end = at + 4 <= bytes.length ? at + 2 + bytes.readUInt16BE(at + 2) : Number.POSITIVE_INFINITY;
      const next = end <= bytes.length ? reading.passedOver(marker, bytes.subarray(at + 4, end), end) : undefined;
      if (next === undefined) return undefined;
      at = next;
    }
  }
  return undefined;
};

/** So much of what is written within contents is gone through. */
const MAX_WITHIN_BYTES = 4 * 1024 * 1024;

/** Pictures that are written within the contents of a file. */
export class InlineJpegs {
  readonly #samples = new Samples();
  #left = MAX_WITHIN_BYTES;

  /** Whether all readers take one for a picture of a frame. Throws `TooComplex`. */
  isSound(data: Uint8Array, told: JpegFrame, transform: number | undefined): boolean {
    this.#left -= data.length;
    if (this.#left < 0) throw new TooComplex("its contents have too many pictures in JPEG");
    const jpeg = jpegIn(data, this.#samples);
    // What stands between PDFium takes for content.
    return jpeg?.isTight === true && isDeepStrictEqual(jpeg.frame, told) && areColorsAgreed(jpeg.colors, transform);
  }
}

class Reading {
  readonly #bytes: Buffer;
  readonly #samples: Samples;
  readonly #scans: Scans;
  readonly #colors: ToldColors = { isJfif: false, adobe: undefined, names: "" };
  #frame: JpegFrame | undefined;
  #hasScan = false;

  constructor(bytes: Buffer, samples: Samples) {
    this.#bytes = bytes;
    this.#samples = samples;
    this.#scans = new Scans(samples);
  }

  get hasFrame(): boolean {
    return this.#frame !== undefined;
  }

  outcome(): Jpeg | undefined {
    return this.#frame && this.#scans.areWhole
      ? { frame: this.#frame, colors: this.#colors, isTight: this.#scans.areTight }
      : undefined;
  }

  /** Where the next marker is; undefined where a segment is broken. */
  passedOver(marker: number, segment: Buffer, end: number): number | undefined {
    this.#samples.takePart();
    if (marker === SCAN) {
      this.#hasScan = true;
      return this.#scans.scan(this.#bytes, segment, end);
    }
    if (!this.#hasScan) this.#note(marker, segment);
    return this.#isSound(marker, segment) ? end : undefined;
  }

  #isSound(marker: number, segment: Buffer): boolean {
    if (marker === QUANTIZATION) return this.#scans.quantization(segment);
    if (marker === CODES) return this.#scans.codes(segment);
    if (marker === INTERVAL) return this.#scans.interval(segment);
    // Of a short one pdf.js takes the colors to be light.
    if (marker === ADOBE && isByAdobe(segment) && segment.length < ADOBE_BYTES) return false;
    if ((marker >= FIRST_OWN && marker <= LAST_OWN) || marker === COMMENT) return true;
    if (marker < BASELINE || marker > PROGRESSIVE || !this.#scans.frame(segment, marker === PROGRESSIVE)) return false;
    this.#colors.names = namesIn(segment);
    this.#frame = {
      depth: segment.readUInt8(0),
      height: segment.readUInt16BE(1),
      width: segment.readUInt16BE(3),
      components: segment.readUInt8(5),
    };
    return true;
  }

  #note(marker: number, segment: Buffer): void {
    if (marker === JFIF) this.#colors.isJfif ||= segment.toString("latin1", 0, 5) === "JFIF\0";
    if (marker === ADOBE && isByAdobe(segment)) this.#colors.adobe = segment[11];
  }
}

const isByAdobe = (segment: Buffer): boolean => segment.toString("latin1", 0, 5) === "Adobe";

/**
 * Whether all readers take a picture's components for the same colors: light, or lightness and two differences. By what
 * the file says of that around it (`ColorTransform`, ISO 32000-2, table 13) some go, some do not.
 */
export const areColorsAgreed = ({ isJfif, adobe, names }: ToldColors, transform: number | undefined): boolean => {
  if (Number.isNaN(transform)) return false;
  // MuPDF goes by such names.
  if (names.length === 4) return adobe !== undefined ? adobe === 0 || names !== INKS : (transform ?? 0) === 0;
  if (names.length !== 3) return true;
  if (names === OF_WIDE_COLORS) return false;
  // PDFium goes by JFIF then.
  if (adobe === 0) return !isJfif;
  // Some go by such names.
  if (LETTERS.test(names)) return adobe === undefined && !isJfif && names === "RGB" && transform === undefined;
  return adobe !== undefined || transform === undefined || transform === 1;
};

const namesIn = (frame: Buffer): string =>
  Buffer.from(Array.from({ length: frame[5] ?? 0 }, (_, index) => frame[6 + 3 * index] ?? 0)).toString("latin1");
