import sharp from "sharp";
import { opened, unlessBroken } from "./decoder.ts";

/** Larger drawings are refused before they are decoded. */
const MAX_DRAWING_PIXELS = 4_000 * 4_000;
const QUALITY = 90;
/** How much lighter or darker than its ground ink has to be to be seen, of 255: a light grey on white is just that. */
const LEAST_CONTRAST = 40;
/** The longer side that ink is looked for at: a stamp shows no finer lines, nor a dot of a larger drawing. */
const LOOKED_AT_PIXELS = 800;
/** Less is a speck. */
const LEAST_INK_PIXELS = 4;

/** A drawn signature: what it was sent as, and a JPEG of it on white. */
export interface Drawing {
  mediaType: "image/png" | "image/jpeg";
  jpeg: Uint8Array;
}

/** Reads a drawn signature; undefined when it is no whole PNG or JPEG, is too large, or when no ink can be seen on it. */
export const readDrawing = (bytes: Uint8Array): Promise<Drawing | undefined> =>
  unlessBroken(async () => {
    const found = await opened(bytes, ["png", "jpeg"], MAX_DRAWING_PIXELS);
    if (!found) return undefined;
    const jpeg = await found.image.flatten({ background: "#ffffff" }).jpeg({ quality: QUALITY }).toBuffer();
    if (!(await hasInk(jpeg))) return undefined;
    return { mediaType: found.format === "png" ? "image/png" : "image/jpeg", jpeg };
  });

/** Whether something stands out from the ground, which is the shade that most of a drawing has. */
const hasInk = async (jpeg: Uint8Array): Promise<boolean> => {
  const size = { width: LOOKED_AT_PIXELS, height: LOOKED_AT_PIXELS, fit: "inside", withoutEnlargement: true } as const;
  // A mean of what is put together, with no edges drawn sharper than they are.
  const shades = await sharp(jpeg)
    .resize({ ...size, kernel: "linear" })
    .greyscale()
    .raw()
    .toBuffer();
  const counts = new Uint32Array(256);
  // By index: an iterator over sixteen million shades takes four times as long.
  for (let index = 0; index < shades.length; index += 1) {
    const shade = shades[index] ?? 0;
    counts[shade] = (counts[shade] ?? 0) + 1;
  }
  const ground = counts.indexOf(Math.max(...counts));
  const ink = counts.filter((_, shade) => Math.abs(shade - ground) >= LEAST_CONTRAST);
  return ink.reduce((sum, count) => sum + count, 0) >= LEAST_INK_PIXELS;
};
