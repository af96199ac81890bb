import { opened, unlessBroken } from "./decoder.ts";

const MAX_PIXELS = 100_000_000;
/** Sharp in print at the largest size that a page shows. */
const SIDE_PIXELS = 520;
const QUALITY = 82;

/** A reduced picture, in pixels. */
export interface Reduced {
  jpeg: Uint8Array;
  width: number;
  height: number;
}

/** A picture small enough for print, as a JPEG on white. */
export const reduce = (bytes: Uint8Array): Promise<Reduced | undefined> =>
  unlessBroken(async () => {
    const found = await opened(bytes, ["jpeg", "png", "webp"], MAX_PIXELS);
    if (!found) return undefined;
    const { data, info } = await found.image
      .autoOrient()
      .resize({ width: SIDE_PIXELS, height: SIDE_PIXELS, fit: "inside", withoutEnlargement: true })
      .flatten({ background: "white" })
      .toColourspace("srgb")
      .jpeg({ quality: QUALITY })
      .toBuffer({ resolveWithObject: true });
    return { jpeg: data, width: info.width, height: info.height };
  });
