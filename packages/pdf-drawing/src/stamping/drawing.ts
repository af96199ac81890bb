import { deflateSync } from "node:zlib";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import type { PDFContext, PDFRef } from "pdf-lib";
import { pictureLibrary } from "../picture-library.ts";

const MAX_PIXELS = 25_000_000;
/** Pixels kept for each point that the drawing takes: sharp in print, small in the file. */
const PIXELS_PER_POINT = 4;

const isPng = (bytes: Uint8Array) => bytes[0] === 0x89 && bytes[1] === 0x50 && bytes[2] === 0x4e && bytes[3] === 0x47;
const isJpeg = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

/** A drawing, decoded and scaled to what a stamp needs. */
export interface Drawing {
  width: number;
  height: number;
  rgb: Buffer;
  /** Opacity a pixel, or null when the drawing is opaque throughout. */
  alpha: Buffer | null;
}

/**
 * Decodes a PNG or JPEG, scaled to fit a box given in points.
 * Throws `PdfRefused` (`drawing_unreadable`), also for a picture of more than 25 million pixels.
 */
export const readDrawing = async (bytes: Uint8Array, boxWidth: number, boxHeight: number): Promise<Drawing> => {
  if (!isPng(bytes) && !isJpeg(bytes)) throw new PdfRefused("drawing_unreadable");
  const sharp = await pictureLibrary();
  try {
    const { data, info } = await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: "error", pages: 1 })
      .autoOrient()
      .resize({
        width: Math.round(boxWidth * PIXELS_PER_POINT),
        height: Math.round(boxHeight * PIXELS_PER_POINT),
        fit: "inside",
        withoutEnlargement: true,
      })
      .toColourspace("srgb")
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return split(data, info.width, info.height);
  } catch (error) {
    throw new PdfRefused("drawing_unreadable", { cause: error });
  }
};

const split = (rgba: Buffer, width: number, height: number): Drawing => {
  const rgb = Buffer.alloc(width * height * 3);
  const alpha = Buffer.alloc(width * height);
  let opaque = true;
  // Byte by byte: a copy of three bytes takes as long as thirty of these.
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    rgb[pixel * 3] = rgba[pixel * 4] ?? 0;
    rgb[pixel * 3 + 1] = rgba[pixel * 4 + 1] ?? 0;
    rgb[pixel * 3 + 2] = rgba[pixel * 4 + 2] ?? 0;
    const opacity = rgba[pixel * 4 + 3] ?? 255;
    alpha[pixel] = opacity;
    if (opacity !== 255) opaque = false;
  }
  return { width, height, rgb, alpha: opaque ? null : alpha };
};

/** Writes a drawing as an image XObject (ISO 32000-2, 8.9.5), its opacity as a soft mask. */
export const embedDrawing = (context: PDFContext, drawing: Drawing): PDFRef => {
  const { width, height } = drawing;
  const image = (data: Buffer, colorSpace: string, mask?: PDFRef): PDFRef =>
    context.register(
      context.stream(deflateSync(data), {
        Type: "XObject",
        Subtype: "Image",
        Width: width,
        Height: height,
        BitsPerComponent: 8,
        ColorSpace: colorSpace,
        Filter: "FlateDecode",
        ...(mask === undefined ? {} : { SMask: mask }),
      }),
    );
  if (drawing.alpha === null) return image(drawing.rgb, "DeviceRGB");
  return image(drawing.rgb, "DeviceRGB", image(drawing.alpha, "DeviceGray"));
};
