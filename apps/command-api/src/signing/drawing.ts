import sharp from "sharp";

/** Larger drawings, in bytes or pixels, are refused before they are decoded. */
export const MAX_DRAWING_BYTES = 1_048_576;
const MAX_DRAWING_PIXELS = 4_000 * 4_000;
const PREFIX = /^data:image\/(?:png|jpeg);base64,/;

/** A drawn signature: as drawn, and as a JPEG on white. */
export interface Drawing {
  bytes: Buffer;
  mediaType: "image/png" | "image/jpeg";
  jpeg: Buffer;
}

/** The bytes of a `garabato` (data URI of a PNG or JPEG, Base64), or undefined when it is none. */
export const drawingBytes = (dataUri: string): Buffer | undefined => {
  const prefix = PREFIX.exec(dataUri)?.[0];
  if (prefix === undefined || dataUri.length > prefix.length + (MAX_DRAWING_BYTES / 3) * 4 + 4) return undefined;
  const base64 = dataUri.slice(prefix.length);
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString("base64") === base64 && bytes.length > 0 ? bytes : undefined;
};

/**
 * Reads a drawn signature; undefined when it is no whole PNG or JPEG, is too large, or when nothing was drawn.
 * Decoding runs on the image library's own threads.
 */
export const readDrawing = async (bytes: Buffer): Promise<Drawing | undefined> => {
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_DRAWING_PIXELS, failOn: "error" });
    const { format } = await image.metadata();
    if (format !== "png" && format !== "jpeg") return undefined;
    const jpeg = await image.flatten({ background: "#ffffff" }).jpeg({ quality: 90 }).toBuffer();
    const { channels } = await sharp(jpeg).stats();
    if (channels.every(({ min, max }) => min === max)) return undefined;
    return { bytes, mediaType: format === "png" ? "image/png" : "image/jpeg", jpeg };
  } catch {
    // Whatever the decoder says, it can't be drawn on a document.
    return undefined;
  }
};
