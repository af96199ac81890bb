import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { drawingBytes, MAX_DRAWING_BYTES, readDrawing } from "../src/signing/drawing.ts";

const stroke = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="80"><path d="M10 60 L90 10 L190 70" stroke="black" stroke-width="4" fill="none"/></svg>',
);
const blank = (background: string) => sharp({ create: { width: 50, height: 50, channels: 4, background } });

describe("a drawn signature", () => {
  test("as a transparent PNG is kept as drawn, and as a JPEG on white", async () => {
    const png = await sharp(stroke).png().toBuffer();
    const drawing = await readDrawing(png);
    expect(drawing?.bytes).toEqual(png);
    expect(drawing?.mediaType).toBe("image/png");
    const { data, info } = await sharp(drawing?.jpeg).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([200, 80, 3]);
    expect([...data.subarray(0, 3)]).toEqual([255, 255, 255]);
  });

  test("as a JPEG is taken too", async () => {
    const jpeg = await sharp(stroke).flatten({ background: "white" }).jpeg().toBuffer();
    expect((await readDrawing(jpeg))?.mediaType).toBe("image/jpeg");
  });

  test.each([
    ["nothing drawn, transparent", () => blank("#00000000").png().toBuffer()],
    ["nothing drawn, on white", () => blank("#ffffffff").png().toBuffer()],
    ["another kind of image", () => sharp(stroke).webp().toBuffer()],
    ["no image", async () => Buffer.from("%PDF-1.7")],
    ["half an image", async () => (await sharp(stroke).png().toBuffer()).subarray(0, 300)],
    [
      "too many pixels",
      () =>
        sharp({ create: { width: 5000, height: 4000, channels: 3, background: "red" } })
          .png()
          .toBuffer(),
    ],
  ])("is refused: %s", async (_what, make) => {
    expect(await readDrawing(await make())).toBeUndefined();
  });
});

describe("a garabato", () => {
  test("is a data URI of a PNG or a JPEG", () => {
    expect(drawingBytes("data:image/png;base64,AQID")).toEqual(Buffer.from([1, 2, 3]));
    expect(drawingBytes("data:image/jpeg;base64,AQID")).toEqual(Buffer.from([1, 2, 3]));
  });

  test.each([
    ["plain Base64", "AQID"],
    ["an SVG", "data:image/svg+xml;base64,AQID"],
    ["broken Base64", "data:image/png;base64,AQ*D"],
    ["empty", "data:image/png;base64,"],
    ["too large", `data:image/png;base64,${"A".repeat(MAX_DRAWING_BYTES * 1.4)}`],
  ])("is refused: %s", (_what, dataUri) => {
    expect(drawingBytes(dataUri)).toBeUndefined();
  });
});
