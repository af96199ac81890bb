import { systemClock } from "@rubrica/runtime";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { createImages } from "../../src/index.ts";

const images = createImages({ clock: systemClock });
afterAll(() => images.close());
const readDrawing = (bytes: Buffer) => images.drawing(bytes, "somebody");

const strokes = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="80"><path d="M10 60 L90 10 L190 70" stroke="${color}" stroke-width="4" fill="none"/></svg>`;
const stroke = Buffer.from(strokes("black"));
const inked = (color: string) =>
  sharp(Buffer.from(strokes(color)))
    .png()
    .toBuffer();
const speck = { create: { width: 1, height: 1, channels: 4, background: "#000000ff" } } as const;
/** A drawing with a square of so many pixels. */
const dotted = (size: { width: number; height: number }, dot: number, ground = "white", ink = "black") =>
  sharp({ create: { ...size, channels: 3, background: ground } })
    .composite([{ input: { create: { width: dot, height: dot, channels: 3, background: ink } }, left: 90, top: 0 }])
    .png()
    .toBuffer();
const WIDE = { width: 2_400, height: 400 };
/** A white picture with grey dots by a rule. */
const picture = ({ width, height }: { width: number; height: number }, shadeAt: (x: number, y: number) => number) =>
  sharp(
    Buffer.alloc(width * height).map((_, index) => shadeAt(index % width, Math.floor(index / width))),
    { raw: { width, height, channels: 1 } },
  )
    .png()
    .toBuffer();
const blank = (background: string) => sharp({ create: { width: 50, height: 50, channels: 4, background } });

describe("a drawn signature", () => {
  test("as a transparent PNG is kept as drawn, and as a JPEG on white", async () => {
    const png = await sharp(stroke).png().toBuffer();
    const drawing = await readDrawing(png);
    expect(drawing?.mediaType).toBe("image/png");
    const { data, info } = await sharp(drawing?.jpeg).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([200, 80, 3]);
    expect([...data.subarray(0, 3)]).toEqual([255, 255, 255]);
  });

  test("as a JPEG is taken too", async () => {
    const jpeg = await sharp(stroke).flatten({ background: "white" }).jpeg().toBuffer();
    expect((await readDrawing(jpeg))?.mediaType).toBe("image/jpeg");
  });

  test.each(["#000000", "#0000ff", "#c00000", "#808080", "#ffd000", "#00000080"])("in %s is taken", async (color) => {
    expect(await readDrawing(await inked(color))).toBeDefined();
  });

  test("light on a dark ground is taken, where it is a picture of paper", async () => {
    const white = sharp(Buffer.from(strokes("#ffffff"))).flatten({ background: "#202020" });
    expect(await readDrawing(await white.jpeg().toBuffer())).toBeDefined();
  });

  test("in thin lines of a canvas that is high is taken, and so are a few small letters", async () => {
    const line = `<svg xmlns="http://www.w3.org/2000/svg" width="1080" height="1920"><path d="M90 900 L500 1000 L990 920" stroke="black" stroke-width="2" fill="none"/></svg>`;
    expect(await readDrawing(await sharp(Buffer.from(line)).png().toBuffer())).toBeDefined();
    const letters = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="200"><path d="M90 90 v18 h8 M106 96 v12" stroke="black" stroke-width="2" fill="none"/></svg>`;
    expect(await readDrawing(await sharp(Buffer.from(letters)).png().toBuffer())).toBeDefined();
  });

  test("in thin lines of a large drawing is taken", async () => {
    const large = sharp(Buffer.from(strokes("#000000")), { density: 1_000 }).resize(3_000);
    expect(await readDrawing(await large.png().toBuffer())).toBeDefined();
    const hairline = strokes("#000000").replace('stroke-width="4"', 'stroke-width="0.15"');
    expect(await readDrawing(await sharp(Buffer.from(hairline)).resize(3_000).png().toBuffer())).toBeDefined();
  });

  test.each([
    ["ink of 1/255 opacity", () => inked("#00000001")],
    ["ink that hardly is", () => inked("#00000018")],
    ["ink as white as paper", () => inked("#ffffff")],
    ["ink nearly as white as paper", () => inked("#f0f0f0")],
    [
      "a speck",
      () =>
        blank("#ffffffff")
          .composite([{ input: speck, left: 9, top: 9 }])
          .png()
          .toBuffer(),
    ],
    [
      "a speck of a drawing so large that a stamp shows nothing of it",
      () =>
        sharp({ create: { width: 3000, height: 3000, channels: 3, background: "white" } })
          .composite([
            { input: { create: { width: 3, height: 3, channels: 3, background: "black" } }, left: 900, top: 900 },
          ])
          .png()
          .toBuffer(),
    ],
    [
      "dots that a stamp shows as an empty box",
      () => picture(WIDE, (x, y) => (x % 24 === 0 && y % 24 === 0 ? 0 : 255)),
    ],
    ["dots so close that a stamp shows a grey box", () => picture(WIDE, (x, y) => ((x + y) % 2 ? 215 : 255))],
    ["a few dots of a drawing that a stamp shows small", () => dotted({ width: 800, height: 800 }, 2)],
    ["a few dots of a wide drawing", () => dotted({ width: 800, height: 250 }, 2)],
    ["a few dots of a drawing that is too large to show them", () => dotted({ width: 3_990, height: 3_990 }, 10)],
    ["a drawing that is a line itself", () => dotted({ width: 800, height: 3 }, 3)],
    ["a black one with a few white dots", () => dotted({ width: 400, height: 150 }, 2, "black", "white")],
    ["nothing drawn, transparent", () => blank("#00000000").png().toBuffer()],
    ["nothing drawn, on white", () => blank("#ffffffff").png().toBuffer()],
    ["another kind of image", () => sharp(stroke).webp().toBuffer()],
    ["a picture that is a program", async () => stroke],
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
