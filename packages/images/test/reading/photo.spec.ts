import { systemClock } from "@rubrica/runtime";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { createImages } from "../../src/index.ts";

const images = createImages({ clock: systemClock });
afterAll(() => images.close());
const readPhoto = (bytes: Buffer) => images.photo(bytes, "somebody");

const picture = (background: string, width = 60, height = 40) =>
  sharp({ create: { width, height, channels: 3, background } });

describe("reading a photo", () => {
  test("turns it as it is meant to be seen and leaves out what the camera wrote", async () => {
    const turned = await picture("red")
      .withExif({ IFD0: { Make: "Camera" } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const read = await readPhoto(turned);
    const { width, height, exif, orientation } = await sharp(read).metadata();
    expect([width, height, exif, orientation]).toEqual([40, 60, undefined, undefined]);
  });

  test("makes a very large one smaller", async () => {
    const read = await readPhoto(await picture("red", 5_000, 100).jpeg().toBuffer());
    expect(await sharp(read).metadata()).toMatchObject({ width: 4_000, height: 80 });
  });

  test("refuses more pixels than it may hold, whatever its bytes", async () => {
    expect(await readPhoto(await picture("red", 10_000, 6_401).png().toBuffer())).toBeUndefined();
  });

  test.each([
    ["an SVG", async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>')],
    ["a GIF", () => picture("red").gif().toBuffer()],
    ["a TIFF", () => picture("red").tiff().toBuffer()],
    ["an AVIF", () => picture("red").avif().toBuffer()],
  ])("refuses what cameras do not write: %s", async (_what, make) => {
    expect(await readPhoto(await make())).toBeUndefined();
  });

  test("refuses half a photo", async () => {
    const noise = {
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: "red",
        noise: { type: "gaussian", mean: 128, sigma: 30 },
      },
    } as const;
    const whole = await sharp(noise).png().toBuffer();
    expect(await readPhoto(whole)).toBeDefined();
    expect(await readPhoto(whole.subarray(0, whole.length / 2))).toBeUndefined();
  });
});
