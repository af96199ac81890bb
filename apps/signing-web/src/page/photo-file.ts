import { contextOf } from "./ink-canvas.ts";

const maxSidePx = 2_000;
const jpegQuality = 0.88;

/**
 * A camera's photo, turned upright and made small enough for a slow network, yet large enough to read the small print
 * of an identity document; always JPEG, without the place and time that cameras write into files. Throws when the
 * browser can't read the image.
 */
export const shrunkPhoto = async (file: Blob): Promise<Blob> => {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  const scale = Math.min(1, maxSidePx / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  contextOf(canvas).drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no image"))), "image/jpeg", jpegQuality);
  });
};
