import sharp from "sharp";

/** A JPEG that is unlike that of any other number: coarse coloured blocks, as distinct as photos are. */
export const picture = (number: number, { width = 640, height = 400, quality = 90 } = {}): Promise<Buffer> => {
  const blocks = Buffer.from(Array.from({ length: 8 * 8 * 3 }, (_, index) => ((index + 1) * (number + 7) * 97) % 256));
  return sharp(blocks, { raw: { width: 8, height: 8, channels: 3 } })
    .resize(width, height, { fit: "fill", kernel: "cubic" })
    .jpeg({ quality })
    .toBuffer();
};

/** A JPEG of one colour. */
export const blank = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 640, height: 400, channels: 3, background } })
    .jpeg()
    .toBuffer();
