import sharp from "sharp";

export interface Ink {
  width: number;
  height: number;
  /** The opacity of the four corner pixels, 0 to 255. */
  corners: number[];
  inkedPixels: number;
  /** Empty pixels at the left, top, right and bottom. */
  margins: number[];
}

/** What a PNG data URI shows, by its opacity. */
export const inkOf = async (dataUri: string): Promise<Ink> => {
  const image = sharp(Buffer.from(dataUri.replace(/^data:image\/png;base64,/, ""), "base64"));
  const { data, info } = await image.ensureAlpha().extractChannel(3).raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const opacity = (x: number, y: number) => data[y * width + x] ?? 0;
  const xs: number[] = [];
  const ys: number[] = [];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      if (opacity(x, y) > 0) {
        xs.push(x);
        ys.push(y);
      }
  const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b), 0);
  return {
    width,
    height,
    corners: [opacity(0, 0), opacity(width - 1, 0), opacity(0, height - 1), opacity(width - 1, height - 1)],
    inkedPixels: xs.length,
    margins: [least(xs), least(ys), width - 1 - most(xs), height - 1 - most(ys)],
  };
};
