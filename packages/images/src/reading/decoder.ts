import sharp, { type Sharp } from "sharp";

// One picture at a time: more threads would only take memory.
sharp.concurrency(1);
sharp.cache(false);
// Of the library's many formats some are whole languages (SVG) or read by rarely looked at code.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer", "VipsForeignLoadWebpBuffer"],
});

export type Format = "jpeg" | "png" | "webp";

/** A picture of one of some formats that can be decoded, or undefined. What is broken is told when it is decoded. */
export const opened = async (
  bytes: Uint8Array,
  formats: readonly Format[],
  maxPixels: number,
): Promise<{ image: Sharp; format: Format; width: number; height: number } | undefined> => {
  const image = sharp(bytes, { limitInputPixels: maxPixels, failOn: "error" });
  const { format, autoOrient } = await image.metadata();
  const known = formats.find((name) => name === format);
  return known && { image, format: known, ...autoOrient };
};

/** Undefined for whatever the decoder has to say: it shows nobody anything. */
export const unlessBroken = async <T>(read: () => Promise<T | undefined>): Promise<T | undefined> => {
  try {
    return await read();
  } catch {
    return undefined;
  }
};
