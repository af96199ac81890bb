import sharp from "sharp";
import { opened, unlessBroken } from "./decoder.ts";

/** Larger drawings are refused before they are decoded. */
const MAX_DRAWING_PIXELS = 4_000 * 4_000;
const QUALITY = 90;

/** A drawn signature: what it was sent as, and a JPEG of it on white. */
export interface Drawing {
  mediaType: "image/png" | "image/jpeg";
  jpeg: Uint8Array;
}

/** Reads a drawn signature; undefined when it is no whole PNG or JPEG, is too large, or when nothing was drawn. */
export const readDrawing = (bytes: Uint8Array): Promise<Drawing | undefined> =>
  unlessBroken(async () => {
    const found = await opened(bytes, ["png", "jpeg"], MAX_DRAWING_PIXELS);
    if (!found) return undefined;
    const jpeg = await found.image.flatten({ background: "#ffffff" }).jpeg({ quality: QUALITY }).toBuffer();
    const { channels } = await sharp(jpeg).stats();
    if (channels.every(({ min, max }) => min === max)) return undefined;
    return { mediaType: found.format === "png" ? "image/png" : "image/jpeg", jpeg };
  });
