import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { picture, sound } from "../picture.ts";

/** A codestream of a picture of two by two: its frame, one part, and what ends it. */
const codestream = ({ components = 1, told = 14, end = "\xff\xd9" } = {}) => {
  const size = Buffer.alloc(42 + 3 * components, 1);
  size.writeUInt32BE(0xff4fff51);
  size.writeUInt16BE(38 + 3 * components, 4);
  for (const at of [8, 12]) size.writeUInt32BE(3, at);
  for (const at of [16, 20]) size.writeUInt32BE(1, at);
  size.writeUInt16BE(components, 40);
  const part = Buffer.from("ff90000a0000000000000001ff93", "hex");
  part.writeUInt32BE(told, 6);
  return `${size.toString("latin1")}${part.toString("latin1")}${end}`;
};
const boxOf = (type: string, content: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(8 + content.length);
  return `${length.toString("latin1")}${type}${content}`;
};
/** A file of boxes, from the one that names it on. */
const boxes = (...others: readonly string[]) =>
  [boxOf("jP  ", "\r\n\x87\n"), boxOf("ftyp", "jp2 \0\0\0\0jp2 "), ...others].join("");
const inJpeg2000 = { ...sound, Filter: "/JPXDecode" };

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["without the mark that ends it", inJpeg2000, codestream({ end: "" })],
  ["with a part that is longer than its data", inJpeg2000, codestream({ told: 15 })],
  ["without a frame", inJpeg2000, "\xff\x4f\xff\xd9"],
  ["without a codestream", inJpeg2000, boxes(boxOf("jp2h", ""))],
  ["of other colors", { ...inJpeg2000, ColorSpace: "/DeviceRGB" }, codestream()],
  ["of colors that nothing tells", { Width: "2", Height: "2", Filter: "/JPXDecode" }, codestream({ components: 4 })],
  ["with a palette", inJpeg2000, boxes(boxOf("jp2h", boxOf("pclr", "")), boxOf("jp2c", codestream()))],
  ["in boxes without a first one", inJpeg2000, boxes(boxOf("jp2c", codestream())).slice(12)],
  ["in boxes without a second one", inJpeg2000, boxes(boxOf("jp2c", codestream())).replace("ftyp", "\x84typ")],
  [
    "with parts that are seen through",
    inJpeg2000,
    boxes(boxOf("jp2h", boxOf("cdef", "\0\x01\0\0\0\x01\0\0")), boxOf("jp2c", codestream())),
  ],
  ["that is a mask", { Width: "2", Height: "2", ImageMask: "true", Filter: "/JPXDecode" }, codestream()],
  ["of other ranges", { ...inJpeg2000, Decode: "[1 0]" }, codestream()],
  ["with colors that are seen through", { ...inJpeg2000, Mask: "[0 0]" }, codestream()],
  ["of an ink", { ...inJpeg2000, ColorSpace: "[/Separation/X/DeviceGray<<>>]" }, codestream()],
])("a picture in JPEG 2000 %s is refused", async (_, entries, data) => {
  await expect(admit(picture(entries, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["that its dictionary tells", inJpeg2000, codestream()],
  ["that tells its colors itself", { Width: "2", Height: "2", Filter: "/JPXDecode" }, codestream({ components: 3 })],
  ["of another depth", { ...inJpeg2000, BitsPerComponent: "4", Decode: "[0 1]" }, codestream()],
  ["whose last part has no length", inJpeg2000, codestream({ told: 0 })],
  ["in boxes", inJpeg2000, boxes(boxOf("jp2h", boxOf("cdef", "\0\x01\0\0\0\0\0\0")), boxOf("jp2c", codestream()))],
])("a picture in JPEG 2000 %s stays", async (_, entries, data) => {
  expect((await admit(picture(entries, data))).bytes).toBeNull();
});

test("a picture in JPEG 2000 of another size than is said of it is written as it is", async () => {
  const { bytes, disarmed } = await admit(picture({ ...inJpeg2000, Width: "9", Height: "1" }, codestream()));
  expect(disarmed).toEqual(["shown_otherwise"]);
  const written = Buffer.from(bytes ?? "").toString("latin1");
  for (const entry of ["/Width 2", "/Height 2", "/BitsPerComponent 8"]) expect(written).toContain(entry);
});
