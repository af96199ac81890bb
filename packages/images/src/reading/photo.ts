import { opened, unlessBroken } from "./decoder.ts";

/** More pixels are refused before they are decoded: some 200 MB of memory. */
export const MAX_PHOTO_PIXELS = 64_000_000;
/** Larger photos are made smaller: a face and a document's small print are plain to see in less. */
const MAX_SIDE_PIXELS = 4_000;
const QUALITY = 90;

/**
 * A photo as it is kept: a JPEG as it is meant to be seen, on white, without what cameras write beside the picture (place,
 * device). Undefined when the bytes are no whole JPEG, PNG or WebP, or hold too many pixels. The same bytes give the same
 * JPEG.
 */
export const readPhoto = (bytes: Uint8Array): Promise<Uint8Array | undefined> =>
  unlessBroken(async () => {
    const found = await opened(bytes, ["jpeg", "png", "webp"], MAX_PHOTO_PIXELS);
    return found?.image
      .autoOrient()
      .resize({ width: MAX_SIDE_PIXELS, height: MAX_SIDE_PIXELS, fit: "inside", withoutEnlargement: true })
      .flatten({ background: "#ffffff" })
      .jpeg({ quality: QUALITY })
      .toBuffer();
  });
