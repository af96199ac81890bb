import { deflateSync } from "node:zlib";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { describe, expect, test } from "vitest";
import { admit } from "../src/admit.ts";
import { picture, sound } from "./picture.ts";

const rgb = { ...sound, Width: "1", ColorSpace: "/DeviceRGB" };
const predicted = { ...sound, Filter: "/FlateDecode" };

test.each<[string, Readonly<Record<string, string>>]>([
  ["no width", { ...sound, Width: "0" }],
  ["a dictionary for whether it is smoothed", { ...sound, Interpolate: "<<>>" }],
  ["bits that are no number", { Width: "2", Height: "2", ImageMask: "true", BitsPerComponent: "<<>>" }],
  ["a soft mask without data", { ...sound, SMask: "<</Subtype/Image/Width 1/Height 1/BitsPerComponent 8>>" }],
  ["a mask without data", { ...sound, Mask: "<</Subtype/Image/Width 1/Height 1/ImageMask true>>" }],
  ["the names of pictures within content", { W: "2", H: "2", BPC: "8", CS: "/DeviceGray" }],
  ["a depth that there is not", { ...sound, BitsPerComponent: "3" }],
  ["no depth", { Width: "2", Height: "2", ColorSpace: "/DeviceGray" }],
  ["a mask of eight bits", { ...sound, ImageMask: "true" }],
  ["colors that there are not", { ...sound, ColorSpace: "/Odd" }],
  ["no colors", { Width: "2", Height: "2", BitsPerComponent: "8" }],
  ["an unknown filter", { ...sound, Filter: "/Odd" }],
  ["half a range of colors", { ...sound, Decode: "[1]" }],
  ["half a range that is seen through", { ...sound, Mask: "[255]" }],
  ["a range of colors that it does not have", { ...sound, Mask: "[0 999]" }],
  ["ranges of more colors than it has", { ...sound, Decode: "[0 1 0 1]" }],
  ["bits in an order that is none", { Width: "2", Height: "2", ImageMask: "true", Decode: "[0.4 0.6]" }],
  ["less data than it says", { ...sound, Height: "3" }],
  ["broken data", { ...sound, Filter: "/FlateDecode" }],
  ["a table that is too short", { ...sound, ColorSpace: "[/Indexed/DeviceRGB 1<ff000000ff>]" }],
  ["a table of a table", { ...sound, ColorSpace: "[/Indexed[/Indexed/DeviceRGB 0<ff0000>]0<00>]" }],
  ["a table that goes on too far", { ...sound, ColorSpace: `[/Indexed/DeviceGray 256<${"ff".repeat(257)}>]` }],
  [
    "a table of two line ends, of which one reader makes one",
    { ...sound, ColorSpace: "[/Indexed/DeviceGray 1(\r\n)]" },
  ],
  ["a table with something else than digits", { ...sound, ColorSpace: "[/Indexed/DeviceGray 1<00,ff>]" }],
  ["a number that says it is a mask", { ...sound, ImageMask: "1" }],
  ["a range that is no list", { ...sound, Decode: "/Odd" }],
  ["numbers of a table in another order", { ...sound, ColorSpace: "[/Indexed/DeviceGray 0<ff>]", Decode: "[1 0]" }],
  ["a mask that is none", { ...sound, Mask: "7 0 R" }],
  ["a mask of bits that does not say it is a picture", { ...sound, Mask: "14 0 R" }],
  ["a soft mask in colors", { ...sound, SMask: "7 0 R" }],
  ["a soft mask of bits", { ...sound, SMask: "9 0 R" }],
  ["a soft mask in a table", { ...sound, SMask: "10 0 R" }],
  ["a soft mask that is seen through", { ...sound, SMask: "11 0 R" }],
  ["a soft mask of 16 bits that its colors were mixed for", { ...sound, SMask: "12 0 R" }],
  ["a soft mask of another size that its colors were mixed for", { ...sound, SMask: "13 0 R" }],
  ["colors that were mixed with a text", { ...sound, Width: "1", Height: "1", SMask: "16 0 R" }],
  ["colors that were mixed with a grey", { ...rgb, Height: "1", SMask: "13 0 R" }],
  ["ranges of four colors that are none", { ...sound, BitsPerComponent: "2", Decode: "[0 .16]" }],
  ["a mask of its own, being one", { Width: "2", Height: "2", ImageMask: "true", SMask: "8 0 R" }],
  ["ranges of 16 bits that are seen through", { ...sound, Width: "1", BitsPerComponent: "16", Mask: "[0 0]" }],
  ["ranges between numbers", { ...sound, Mask: "[0.5 1.5]" }],
  ["ranges by references, which pdf.js does not follow", { ...sound, Mask: "[15 0 R 120]" }],
  ["ranges of two colors that are none", { ...sound, Width: "16", BitsPerComponent: "1", Decode: "[0 .5]" }],
  ["ranges of two values of each color that are none", { ...rgb, BitsPerComponent: "1", Decode: "[0 .5 0 .5 0 .5]" }],
  ["colors of few bits that are seen through", { ...rgb, BitsPerComponent: "2", Mask: "[3 3 3 3 3 3]" }],
  ["a filter after the one that tells its size", { ...sound, Filter: "[/DCTDecode/FlateDecode]" }],
  ["an unknown rule of prediction", { ...predicted, DecodeParms: "<</Predictor 3/Columns 2>>" }],
  ["a rule for rows that are not its own", { ...predicted, DecodeParms: "<</Predictor 15/Columns 1>>" }],
  ["a rule for other colors", { ...predicted, DecodeParms: "<</Predictor 15/Columns 2/Colors 3>>" }],
  ["a rule for another depth", { ...predicted, DecodeParms: "<</Predictor 2/Columns 2/BitsPerComponent 4>>" }],
  ["a fax of another width", { ...sound, BitsPerComponent: "1", Filter: "/CCITTFaxDecode" }],
  ["a fax in greys", { ...sound, Filter: "/CCITTFaxDecode", DecodeParms: "<</Columns 2>>" }],
])("a picture with %s is refused: readers draw it, or nothing of it", async (_, entries) => {
  await expect(admit(picture(entries))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Readonly<Record<string, string>>]>([
  ["two values of each color in another order", { ...rgb, BitsPerComponent: "1", Decode: "[1 0 1 0 1 0]" }],
  ["colors that are seen through", { ...rgb, Height: "1", Mask: "[255 255 0 0 0 0]" }],
  ["all that it needs", { ...sound, Decode: "[1 0]", Mask: "[255 255]" }],
  ["a mask", { Width: "2", Height: "2", ImageMask: "true", Decode: "[1 0]" }],
  ["a table of single line ends", { ...sound, BitsPerComponent: "1", ColorSpace: "[/Indexed/DeviceGray 1(\r\r)]" }],
  ["a soft mask that its colors were mixed for", { ...sound, Width: "1", Height: "1", SMask: "13 0 R" }],
  ["four colors in another order", { ...sound, BitsPerComponent: "2", Decode: "[1 0]" }],
  [
    "numbers of four colors",
    { ...sound, BitsPerComponent: "2", ColorSpace: "[/Indexed/DeviceGray 3<00407fff>]", Decode: "[0 3]" },
  ],
  ["a word that it is no mask", { ...sound, ImageMask: "false" }],
  ["a whole table", { ...sound, BitsPerComponent: "1", ColorSpace: "[/Indexed/DeviceRGB 1<ff000000ff00>]" }],
  ["masks", { ...sound, Mask: "9 0 R", SMask: "8 0 R" }],
  [
    "data of what it tells itself",
    { ...sound, Height: "32", BitsPerComponent: "1", Filter: "/CCITTFaxDecode", DecodeParms: "<</K -1/Columns 2>>" },
  ],
  ["measured colors", { ...sound, ColorSpace: "[/CalGray<</WhitePoint[1 1 1]/Gamma 2.2>>]" }],
])("a picture with %s stays", async (_, entries) => {
  expect((await admit(picture(entries))).bytes).toBeNull();
});

test.each([
  ["stays", 1, "/DeviceGray", null],
  ["is refused", 3, "/DeviceRGB", "shown_otherwise"],
])(
  "a picture of bits that are told by those before %s where it has %i components",
  async (_, count, ColorSpace, reason) => {
    const DecodeParms = `<</Predictor 2/Columns 2/Colors ${count}/BitsPerComponent 1>>`;
    const entries = { ...predicted, BitsPerComponent: "1", ColorSpace, DecodeParms };
    const outcome = await admit(picture(entries, deflateSync(Buffer.alloc(2)).toString("latin1"))).catch(
      (error: { reason: string }) => error,
    );
    expect("reason" in outcome ? outcome.reason : outcome.bytes).toBe(reason);
  },
);

test.each(["/Rotate 45", "/CropBox[0 0 0 0]"])("%s of a page is taken out", async (entries) => {
  const { bytes } = await admit(pdf({ pages: [{ entries: `/MediaBox[0 0 200 200]${entries}` }] }));
  expect(Buffer.from(bytes ?? "").toString("latin1")).not.toMatch(/\/Rotate|\/CropBox/);
});

describe.each([
  ["few", 2],
  ["many", 5_000],
])("a picture of %s dots in rows that are predicted", (_, side) => {
  const rows = (rule: number) =>
    deflateSync(Buffer.alloc((side + 1) * side).map((_, at) => (at === side + 1 ? rule : 0))).toString("latin1");
  const entries = { ...predicted, Width: String(side), Height: String(side) };

  test.each([12, 15])("stays where each is by a known rule (%i)", async (rule) => {
    const DecodeParms = `<</Predictor ${rule}/Columns ${side}>>`;
    expect((await admit(picture({ ...entries, DecodeParms }, rows(4)))).bytes).toBeNull();
  });

  test("is refused where one is by none", async () => {
    const DecodeParms = `<</Predictor 15/Columns ${side}>>`;
    const refused = { reason: "shown_otherwise" };
    await expect(admit(picture({ ...entries, DecodeParms }, rows(5)))).rejects.toMatchObject(refused);
  });
});

test.each([
  ["/ASCIIHexDecode", "ff\0ffffff>"],
  ["/ASCII85Decode", "s8\0W-!~>"],
])("a picture in %s with a NUL within is refused: each reader goes on in its own way", async (Filter, data) => {
  expect((await admit(picture({ ...sound, Filter }, data.replace("\0", "\n")))).bytes).toBeNull();
  await expect(admit(picture({ ...sound, Filter }, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a picture in ASCII85 without the mark that ends it stays", async () => {
  expect((await admit(picture({ ...sound, Filter: "/ASCII85Decode" }, "s8W-!"))).bytes).toBeNull();
});

const MEGABYTE = 1_048_576;

test("runs that are longer than their picture are counted, and not made", async () => {
  const runs = Buffer.from(`${"\x81\0".repeat(2_000_000)}\x80`, "latin1");
  const before = process.memoryUsage().arrayBuffers;
  expect((await admit(picture({ ...sound, Filter: "/RunLengthDecode" }, runs.toString("latin1")))).bytes).toBeNull();
  // 256 MB are what they say.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MEGABYTE);
});

test.each([
  ["is refused where it has less data than it says", 5_000, 4_999, false],
  ["stays where it has as much", 5_000, 5_000, true],
])("a picture of many dots %s", async (_, height, rows, stays) => {
  const entries = { ...sound, Width: "5000", Height: String(height), Filter: "/FlateDecode" };
  const data = deflateSync(Buffer.alloc(5_000 * rows)).toString("latin1");
  const admitted = admit(picture(entries, data)).then(
    ({ bytes }) => bytes,
    ({ reason }) => reason,
  );
  expect(await admitted).toBe(stays ? null : "shown_otherwise");
});
