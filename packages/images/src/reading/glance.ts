import { opened, unlessBroken } from "./decoder.ts";
import { MAX_PHOTO_PIXELS } from "./photo.ts";

const THUMBNAIL_SIDE_PIXELS = 32;
const KEPT_SIDE_PIXELS = 800;
const KEPT_QUALITY = 70;

/** What a glance at a photo tells. */
export interface Glance {
  /** Pixels, as it is meant to be seen. */
  width: number;
  height: number;
  /** The largest of its colours' standard deviations, of 255. */
  deviation: number;
  /** 32 × 32 pixels, RGB. */
  thumbnail: Uint8Array;
  /** A reduced JPEG, no side longer than 800 pixels. */
  kept: Uint8Array;
}

/** Looks at a photo; undefined when it can't be read. */
export const glanceAt = (bytes: Uint8Array): Promise<Glance | undefined> =>
  unlessBroken(async () => {
    const found = await opened(bytes, ["jpeg", "png", "webp"], MAX_PHOTO_PIXELS);
    if (!found) return undefined;
    const { width, height } = found;
    const image = found.image.autoOrient();
    const { channels } = await image.clone().stats();
    const thumbnail = await image
      .clone()
      .resize(THUMBNAIL_SIDE_PIXELS, THUMBNAIL_SIDE_PIXELS, { fit: "fill" })
      .removeAlpha()
      .toColourspace("srgb")
      .raw()
      .toBuffer();
    const kept = await image
      .clone()
      .resize(KEPT_SIDE_PIXELS, KEPT_SIDE_PIXELS, { fit: "inside", withoutEnlargement: true })
      .jpeg({ quality: KEPT_QUALITY })
      .toBuffer();
    const deviation = Math.max(...channels.map(({ stdev }) => stdev));
    return { width, height, deviation, thumbnail, kept };
  });
