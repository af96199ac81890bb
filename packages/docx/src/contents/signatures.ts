/** What an office program draws, by the first bytes; `undefined` for all else. */
type Signature = readonly [type: string, matches: (bytes: Buffer) => boolean];

const startsWith =
  (hex: string, at = 0) =>
  (bytes: Buffer): boolean =>
    bytes.toString("hex", at, at + hex.length / 2) === hex;

/** Formats whose first bytes leave no doubt. */
const RASTERS: readonly Signature[] = [
  ["image/png", startsWith("89504e470d0a1a0a")],
  ["image/jpeg", startsWith("ffd8ff")],
  ["image/gif", (bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))],
  ["image/webp", (bytes) => startsWith("52494646")(bytes) && startsWith("57454250", 8)(bytes)],
];

const BMP_HEADER_BYTES: ReadonlySet<number> = new Set([12, 40, 52, 56, 64, 108, 124]);

/** Formats whose first bytes are few: the rest must not look like another's. */
const OTHERS: readonly Signature[] = [
  [
    "image/bmp",
    (bytes) => startsWith("424d")(bytes) && bytes.length >= 18 && BMP_HEADER_BYTES.has(bytes.readUInt32LE(14)),
  ],
  ["image/tiff", (bytes) => startsWith("49492a00")(bytes) || startsWith("4d4d002a")(bytes)],
  ["image/x-emf", (bytes) => startsWith("01000000")(bytes) && startsWith("20454d46", 40)(bytes)],
  [
    "image/x-wmf",
    (bytes) => startsWith("d7cdc69a")(bytes) || startsWith("01000900")(bytes) || startsWith("02000900")(bytes),
  ],
];

/** What other formats are known by, wherever within the first bytes. */
const FOREIGN = ["<svg", "<!doctype", "<?xml", "%pdf", "%!ps"];
const LOOKED_AT_BYTES = 4_096;
/** A program for a printer, which office programs hand to other programs to be run. */
const POSTSCRIPT = "%!PS";

const typeBy = (signatures: readonly Signature[], bytes: Buffer): string | undefined =>
  signatures.find(([, matches]) => matches(bytes))?.[0];

/** The media type of a PNG, JPEG, GIF or WebP. */
export const rasterTypeOf = (bytes: Buffer): string | undefined => typeBy(RASTERS, bytes);

/** The media type of a picture that is no text. */
export const pictureTypeOf = (bytes: Buffer): string | undefined => {
  const raster = rasterTypeOf(bytes);
  if (raster !== undefined) return raster;
  const start = bytes.toString("latin1", 0, LOOKED_AT_BYTES).toLowerCase();
  if (FOREIGN.some((mark) => start.includes(mark)) || bytes.includes(POSTSCRIPT)) return undefined;
  return typeBy(OTHERS, bytes);
};

/** Whether bytes are text that may be XML, in whatever encoding. */
export const looksLikeXml = (bytes: Buffer): boolean =>
  /^(?:\u00ef\u00bb\u00bf)?\s*</.test(bytes.toString("latin1", 0, 64)) ||
  ["fffe", "feff", "3c00", "003c"].includes(bytes.toString("hex", 0, 2));

/** Whether bytes are packed by gzip. */
export const isGzip = startsWith("1f8b");
