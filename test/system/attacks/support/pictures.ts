import { constants, crc32, deflateRawSync } from "node:zlib";
import sharp from "sharp";

/** A picture that is cheap to send and may be dear to read. `size`: as each one's name says. */
export interface Picture {
  mediaType: "image/png" | "image/jpeg" | "image/webp";
  from: number;
  to: number;
  make(size: number): Promise<Buffer> | Buffer;
}

// What attacks leaves a core to those who look on.
sharp.concurrency(1);

const MEGABYTE = 1_048_576;
const ZLIB_HEADER = Buffer.of(0x78, 0x9c);
const LAST_EMPTY_BLOCK = Buffer.of(0x03, 0x00);

const flushedZeros = (bytes: number): Buffer =>
  deflateRawSync(Buffer.alloc(bytes), { finishFlush: constants.Z_FULL_FLUSH });
// Whole blocks that refer to nothing before them can be repeated: gigabytes are written without being held.
const zerosOfOneMegabyte = flushedZeros(MEGABYTE);

/** A zlib stream of so many zeros. */
const deflatedZeros = (bytes: number): Buffer => {
  const megabytes = Array.from({ length: Math.floor(bytes / MEGABYTE) }, () => zerosOfOneMegabyte);
  const adler = Buffer.alloc(4);
  adler.writeUInt16BE(bytes % 65_521, 0);
  adler.writeUInt16BE(1, 2);
  return Buffer.concat([ZLIB_HEADER, ...megabytes, flushedZeros(bytes % MEGABYTE), LAST_EMPTY_BLOCK, adler]);
};

const PNG_SIGNATURE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};

interface PngOptions {
  width: number;
  height: number;
  /** Bits a pixel: 8 (grey), 32 (colour with transparency). */
  bits?: 8 | 32;
  interlaced?: boolean;
  /** Between the header and the pixels. */
  before?: Buffer;
  /** The deflated pixels, in place of blank ones. */
  pixels?: Buffer;
}

const pngFile = ({ width, height, bits = 8, interlaced = false, before, pixels }: PngOptions): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  header.writeUInt8(bits === 8 ? 0 : 6, 9);
  header.writeUInt8(interlaced ? 1 : 0, 12);
  // Interlaced rows begin with a filter each, seven times over: enough for all passes.
  const bytes = (1 + (width * bits) / 8) * height + (interlaced ? 8 * height : 0);
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk("IHDR", header),
    before ?? Buffer.alloc(0),
    chunk("IDAT", pixels ?? deflatedZeros(bytes)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};

/** A small PNG with so many further chunks. */
const pngOfChunks = (count: number, part: Buffer): Buffer =>
  pngFile({ width: 64, height: 64, before: Buffer.concat(Array.from({ length: count }, () => part)) });

const plain = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "#ffffff" }, limitInputPixels: false });

/** The place of each marker of a kind in a JPEG; scans' own bytes hold none. */
const markersOf = (jpeg: Buffer, marker: number): number[] => {
  const places: number[] = [];
  for (let at = jpeg.indexOf(0xff); at !== -1 && at < jpeg.length - 1; at = jpeg.indexOf(0xff, at + 1)) {
    if (jpeg[at + 1] === marker) places.push(at);
  }
  return places;
};

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.of(0xff, 0xd9);

/** A progressive JPEG whose last scan comes again and again. */
const jpegOfScans = async (count: number): Promise<Buffer> => {
  const jpeg = await plain(1_500).jpeg({ progressive: true }).toBuffer();
  const last = markersOf(jpeg, START_OF_SCAN).at(-1) ?? jpeg.length;
  const scan = jpeg.subarray(last, -2);
  return Buffer.concat([jpeg.subarray(0, last), ...Array.from({ length: count }, () => scan), END_OF_IMAGE]);
};

/** A JPEG with so many application segments after its beginning. */
const jpegOfSegments = async (count: number, segment: Buffer): Promise<Buffer> => {
  const jpeg = await plain(64).jpeg().toBuffer();
  return Buffer.concat([jpeg.subarray(0, 2), ...Array.from({ length: count }, () => segment), jpeg.subarray(2)]);
};

const segment = (marker: number, data: Buffer): Buffer => {
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};

const riff = (chunks: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(chunks.length + 4);
  return Buffer.concat([Buffer.from("RIFF"), length, Buffer.from("WEBP"), chunks]);
};

const webpChunk = (type: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(type), length, data, Buffer.alloc(data.length % 2)]);
};

/** An animation of so many frames, all the same. */
const webpOfFrames = async (count: number): Promise<Buffer> => {
  const frame = (await plain(512).webp({ lossless: true }).toBuffer()).subarray(12);
  const extended = Buffer.from("0200000000010000ff0100".slice(0, 20), "hex");
  extended.writeUIntLE(511, 4, 3);
  extended.writeUIntLE(511, 7, 3);
  const placed = Buffer.alloc(16);
  placed.writeUIntLE(511, 6, 3);
  placed.writeUIntLE(511, 9, 3);
  const animated = webpChunk("ANMF", Buffer.concat([placed, frame]));
  return riff(
    Buffer.concat([
      webpChunk("VP8X", extended),
      webpChunk("ANIM", Buffer.alloc(6)),
      ...Array.from({ length: count }, () => animated),
    ]),
  );
};

const inflating = (megabytes: number): Buffer => deflatedZeros(megabytes * MEGABYTE);
const png = { mediaType: "image/png" } as const;
const jpeg = { mediaType: "image/jpeg" } as const;
const webp = { mediaType: "image/webp" } as const;

const sides = { from: 500, to: 16_000 };
/** Of pictures that a library makes: beyond what is read too, and made in a second. */
const madeSides = { from: 500, to: 8_200 };

export const pictures: Readonly<Record<string, Picture>> = {
  "a blank grey PNG, by its side": { ...png, ...sides, make: (side) => pngFile({ width: side, height: side }) },
  "a blank PNG of colours, by its side": {
    ...png,
    ...sides,
    make: (side) => pngFile({ width: side, height: side, bits: 32 }),
  },
  "an interlaced PNG, by its side": {
    ...png,
    ...sides,
    make: (side) => pngFile({ width: side, height: side, bits: 32, interlaced: true }),
  },
  "a PNG of one row, by its length": {
    ...png,
    from: 100_000,
    to: 64_000_000,
    make: (width) => pngFile({ width, height: 1 }),
  },
  "a PNG of one column, by its length": {
    ...png,
    from: 100_000,
    to: 64_000_000,
    make: (height) => pngFile({ width: 1, height }),
  },
  "a PNG that inflates to more than it shows, by megabytes": {
    ...png,
    from: 8,
    to: 1_024,
    make: (megabytes) => pngFile({ width: 64, height: 64, pixels: inflating(megabytes) }),
  },
  "a PNG of texts, by their number": {
    ...png,
    from: 1_000,
    to: 256_000,
    make: (count) => pngOfChunks(count, chunk("tEXt", Buffer.from("a\0b"))),
  },
  "a PNG of deflated texts, by their number": {
    ...png,
    from: 2,
    to: 512,
    make: (count) => pngOfChunks(count, chunk("zTXt", Buffer.concat([Buffer.from("a\0\0"), inflating(4)]))),
  },
  "a PNG of unknown chunks, by their number": {
    ...png,
    from: 1_000,
    to: 256_000,
    make: (count) => pngOfChunks(count, chunk("ruBr", Buffer.alloc(8))),
  },
  "a PNG with a deflated profile, by megabytes": {
    ...png,
    from: 8,
    to: 1_024,
    make: (megabytes) => pngOfChunks(1, chunk("iCCP", Buffer.concat([Buffer.from("a\0\0"), inflating(megabytes)]))),
  },
  "a PNG that ends early, by its side": {
    ...png,
    ...sides,
    make: (side) => {
      const whole = pngFile({ width: side, height: side });
      return whole.subarray(0, whole.length - 40);
    },
  },
  "a blank JPEG, by its side": { ...jpeg, ...madeSides, make: (side) => plain(side).jpeg().toBuffer() },
  "a blank progressive JPEG, by its side": {
    ...jpeg,
    ...madeSides,
    make: (side) => plain(side).jpeg({ progressive: true }).toBuffer(),
  },
  "a progressive JPEG, by its scans": { ...jpeg, from: 8, to: 2_048, make: jpegOfScans },
  "a JPEG that ends early, by its side": {
    ...jpeg,
    ...madeSides,
    make: async (side) => {
      const whole = await plain(side).jpeg().toBuffer();
      return whole.subarray(0, Math.floor(whole.length / 2));
    },
  },
  "a JPEG of comments, by their number": {
    ...jpeg,
    from: 1_000,
    to: 256_000,
    make: (count) => jpegOfSegments(count, segment(0xfe, Buffer.from("a"))),
  },
  "a JPEG of Exif, by its segments": {
    ...jpeg,
    from: 4,
    to: 128,
    make: (count) =>
      jpegOfSegments(count, segment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), Buffer.alloc(60_000)]))),
  },
  "a blank WebP, by its side": { ...webp, ...madeSides, make: (side) => plain(side).webp().toBuffer() },
  "a blank lossless WebP, by its side": {
    ...webp,
    ...madeSides,
    make: (side) => plain(side).webp({ lossless: true, effort: 0 }).toBuffer(),
  },
  "an animated WebP, by its frames": { ...webp, from: 8, to: 4_096, make: webpOfFrames },
  "a WebP of unknown chunks, by their number": {
    ...webp,
    from: 1_000,
    to: 256_000,
    make: async (count) => {
      const whole = (await plain(64).webp().toBuffer()).subarray(12);
      return riff(Buffer.concat([whole, ...Array.from({ length: count }, () => webpChunk("ruBr", Buffer.alloc(8)))]));
    },
  },
};

/** A blank PNG of so many pixels a side: some kilobytes. */
export const blankPng = (side: number): Buffer => pngFile({ width: side, height: side, bits: 32 });
