import sharp from "sharp";

/** What photos may be sent as. */
export const PHOTO_MEDIA_TYPES = ["image/jpeg", "image/png", "image/webp"];

const FORMATS = ["jpeg", "png", "webp"];
/** More pixels are refused before they are decoded: some 200 MB of memory. */
const MAX_PIXELS = 64_000_000;
/** Larger photos are made smaller: a face and a document's small print are plain to see in less. */
const MAX_SIDE_PIXELS = 4_000;
const QUALITY = 90;

/**
 * A photo as it is kept: a JPEG as it is meant to be seen, on white, without what cameras write beside the picture (place,
 * device). Undefined when the bytes are no whole JPEG, PNG or WebP, or hold too many pixels. The same bytes give the same
 * JPEG. Decoding runs on the image library's own threads.
 */
export const readPhoto = async (bytes: Buffer): Promise<Buffer | undefined> => {
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: "error" });
    const { format } = await image.metadata();
    if (!FORMATS.includes(format)) return undefined;
    const size = { width: MAX_SIDE_PIXELS, height: MAX_SIDE_PIXELS, fit: "inside", withoutEnlargement: true } as const;
    return await image
      .autoOrient()
      .resize(size)
      .flatten({ background: "#ffffff" })
      .jpeg({ quality: QUALITY })
      .toBuffer();
  } catch {
    // Whatever the decoder says, it shows nobody anything.
    return undefined;
  }
};
