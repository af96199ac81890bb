import { createHash } from "node:crypto";
import sharp from "sharp";

const MAX_PIXELS = 64_000_000;
/** A face, or a card's print, is not to be made out in less. */
const MIN_SIDE_PIXELS = 200;
/** Standard deviation of each colour, of 255, below which nothing is to be seen. */
const MIN_DEVIATION = 3;
const THUMBNAIL_SIDE_PIXELS = 32;
/** Mean difference of two thumbnails' colours, of 255, below which they show one picture: compressed again, not taken again. */
const SAME_DIFFERENCE = 1;
const KEPT_SIDE_PIXELS = 800;
const KEPT_QUALITY = 70;

/** What a glance at a photo tells. */
export interface Picture {
  /** Of the bytes as they came, lower-case hex. */
  sha256: string;
  flaw: "unreadable" | "too_small" | "nothing_to_see" | null;
  /** Of 32 × 32 pixels, RGB; null when it could not be read. */
  thumbnail: Buffer | null;
  /** A reduced JPEG, no side longer than 800 pixels; null when it could not be read. */
  kept: Buffer | null;
}

/** Looks at a photo, on the image library's own threads. */
export const lookAt = async (jpeg: Uint8Array): Promise<Picture> => {
  const sha256 = createHash("sha256").update(jpeg).digest("hex");
  try {
    const image = sharp(jpeg, { limitInputPixels: MAX_PIXELS, failOn: "error" }).autoOrient();
    const [{ width, height }, { channels }, thumbnail, kept] = await Promise.all([
      image.metadata(),
      image.clone().stats(),
      image
        .clone()
        .resize(THUMBNAIL_SIDE_PIXELS, THUMBNAIL_SIDE_PIXELS, { fit: "fill" })
        .removeAlpha()
        .toColourspace("srgb")
        .raw()
        .toBuffer(),
      image
        .clone()
        .resize(KEPT_SIDE_PIXELS, KEPT_SIDE_PIXELS, { fit: "inside", withoutEnlargement: true })
        .jpeg({ quality: KEPT_QUALITY })
        .toBuffer(),
    ]);
    const isSmall = Math.min(width, height) < MIN_SIDE_PIXELS;
    const isEmpty = channels.every(({ stdev }) => stdev < MIN_DEVIATION);
    return { sha256, flaw: isSmall ? "too_small" : isEmpty ? "nothing_to_see" : null, thumbnail, kept };
  } catch {
    // Whatever the decoder says: it is no picture.
    return { sha256, flaw: "unreadable", thumbnail: null, kept: null };
  }
};

/** Whether two photos are one picture, compressed again or not. */
export const areSame = ({ thumbnail: one }: Picture, { thumbnail: other }: Picture): boolean => {
  if (!one || !other || one.length !== other.length) return false;
  const difference = one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0);
  return difference / one.length < SAME_DIFFERENCE;
};
