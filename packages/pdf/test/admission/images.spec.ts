import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admission/admit.ts";

const sound = {
  Width: "2",
  Height: "2",
  BitsPerComponent: "8",
  ColorSpace: "/DeviceGray",
};
const picture = (entries: Readonly<Record<string, string>>) =>
  pdf({
    pages: [{ content: "q 100 0 0 100 50 50 cm /I Do Q", resources: "/XObject<</I 6 0 R>>" }],
    objects: [
      streamOf(
        "\xff\xff\xff\xff",
        `/Type/XObject/Subtype/Image${Object.entries(entries)
          .map(([name, value]) => `/${name} ${value}`)
          .join("")}`,
      ),
      streamOf("\xff\xff\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB"),
      streamOf("\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"),
      streamOf("\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/ImageMask true"),
    ],
  });

test.each<[string, Readonly<Record<string, string>>]>([
  ["no width", { ...sound, Width: "0" }],
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
  ["numbers of a table in another order", { ...sound, ColorSpace: "[/Indexed/DeviceGray 0<ff>]", Decode: "[1 0]" }],
  ["a mask that is none", { ...sound, Mask: "7 0 R" }],
  ["a soft mask in colors", { ...sound, SMask: "7 0 R" }],
])("a picture with %s is refused: readers draw it, or nothing of it", async (_, entries) => {
  await expect(admit(picture(entries))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Readonly<Record<string, string>>]>([
  ["all that it needs", { ...sound, Decode: "[1 0]", Mask: "[255 255]" }],
  ["a mask", { Width: "2", Height: "2", ImageMask: "true", Decode: "[1 0]" }],
  ["a whole table", { ...sound, ColorSpace: "[/Indexed/DeviceRGB 1<ff000000ff00>]" }],
  ["masks", { ...sound, Mask: "9 0 R", SMask: "8 0 R" }],
  ["data of what it tells itself", { ...sound, Height: "999", Filter: "/DCTDecode" }],
  ["what it tells itself", { Width: "2", Height: "2", Filter: "/JPXDecode" }],
  ["colors by a profile", { ...sound, ColorSpace: "[/CalGray<</WhitePoint[1 1 1]>>]" }],
])("a picture with %s stays", async (_, entries) => {
  expect((await admit(picture(entries))).bytes).toBeNull();
});

test.each(["/Rotate 45", "/CropBox[0 0 0 0]"])("%s of a page is taken out", async (entries) => {
  const { bytes } = await admit(pdf({ pages: [{ entries: `/MediaBox[0 0 200 200]${entries}` }] }));
  expect(Buffer.from(bytes ?? "").toString("latin1")).not.toMatch(/\/Rotate|\/CropBox/);
});
