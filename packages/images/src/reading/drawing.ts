import sharp from "sharp";
import { opened, unlessBroken } from "./decoder.ts";

/** Larger drawings are refused before they are decoded. */
const MAX_DRAWING_PIXELS = 4_000 * 4_000;
const QUALITY = 90;
/** About as large as a stamp shows a drawing, in points. */
const SHOWN = { width: 150, height: 25 };
/**
 * How finely ink is looked for, in pixels a point, and how much lighter or darker than its ground it has to be there, of 255.
 * A light grey on white is just that. On paper, a drawing hardly is finer; a stamp keeps no more of it than the second.
 */
const LOOKS = [
  { scale: 16, contrast: 40 },
  { scale: 4, contrast: 20 },
] as const;
/** Less is a speck, or a hairline: how far ink has to reach and what area to cover as it is shown, in points. */
const LEAST_INK = { reach: 1.5, area: 0.15 };
/** A drawing that is wider or higher than that, times its other side, is shown as a hairline itself. */
const MAX_ASPECT = 50;

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

/** Whether something stands out, as a stamp shows it, from the ground, which is the shade that most of a drawing has. */
const hasInk = async (jpeg: Uint8Array): Promise<boolean> => {
  for (const look of LOOKS) if (!(await standsOut(jpeg, look))) return false;
  return true;
};

const standsOut = async (jpeg: Uint8Array, { scale, contrast }: (typeof LOOKS)[number]): Promise<boolean> => {
  const [most, least] = [SHOWN.width * scale, SHOWN.height * scale];
  // A mean of what is put together, with no edges drawn sharper than they are.
  const { data: shades, info } = await sharp(jpeg)
    .resize({ width: most, height: least, fit: "inside", withoutEnlargement: true, kernel: "linear" })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  if (Math.max(width, height) > MAX_ASPECT * Math.min(width, height)) return false;
  const ink = inkOf(shades, width, contrast);
  const pointsAPixel = Math.min(SHOWN.width / width, SHOWN.height / height);
  return ink.reach * pointsAPixel >= LEAST_INK.reach && ink.count * pointsAPixel ** 2 >= LEAST_INK.area;
};

/** How many pixels stand out from the ground, and how far apart they reach. */
const inkOf = (shades: Uint8Array, width: number, contrast: number): { count: number; reach: number } => {
  const counts = new Uint32Array(256);
  // By index: an iterator over that many shades takes four times as long.
  for (let index = 0; index < shades.length; index += 1) {
    const shade = shades[index] ?? 0;
    counts[shade] = (counts[shade] ?? 0) + 1;
  }
  const ground = counts.indexOf(Math.max(...counts));
  let [count, left, right, top, bottom] = [0, width, 0, shades.length, 0];
  for (let index = 0; index < shades.length; index += 1) {
    if (Math.abs((shades[index] ?? 0) - ground) < contrast) continue;
    const [x, y] = [index % width, Math.floor(index / width)];
    count += 1;
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x + 1), Math.min(top, y), Math.max(bottom, y + 1)];
  }
  return { count, reach: count === 0 ? 0 : Math.max(right - left, bottom - top) };
};
