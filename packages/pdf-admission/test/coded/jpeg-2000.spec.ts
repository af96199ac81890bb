import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { picture, sound } from "../picture.ts";

/** A codestream of a picture of two by two: its frame, one part, and what ends it. */
const codestream = ({
  components = 1,
  told = 14,
  end = "\xff\xd9",
  depths = [7] as readonly number[],
  steps = 1,
  coding = "",
  place = 0,
} = {}) => {
  const size = Buffer.alloc(42 + 3 * components, steps);
  size.writeUInt32BE(0xff4fff51);
  size.writeUInt16BE(38 + 3 * components, 4);
  for (const at of [8, 12]) size.writeUInt32BE(3, at);
  for (const at of [16, 20]) size.writeUInt32BE(1, at);
  size.writeUInt16BE(components, 40);
  for (let one = 0; one < components; one += 1) size[42 + 3 * one] = depths[one % depths.length] as number;
  const part = Buffer.from("ff90000a0000000000000001ff93", "hex");
  part.writeUInt32BE(told, 6);
  part.writeUInt8(place, 10);
  return `${size.toString("latin1")}${coding}${part.toString("latin1")}${end}`;
};
const boxOf = (type: string, content: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(8 + content.length);
  return `${length.toString("latin1")}${type}${content}`;
};
/** A file of boxes, from the one that names it on. */
const boxes = (...others: readonly string[]) =>
  [boxOf("jP  ", "\r\n\x87\n"), boxOf("ftyp", "jp2 \0\0\0\0jp2 "), ...others].join("");
const sizes = (width = 2, height = 2, components = 1) =>
  boxOf(
    "ihdr",
    `\0\0\0${String.fromCharCode(height)}\0\0\0${String.fromCharCode(width)}\0${String.fromCharCode(components)}\x07\x07\0\0`,
  );
const colors = (number: number) => boxOf("colr", `\x01\0\0\0\0\0${String.fromCharCode(number)}`);
const boxed = (...header: readonly string[]) => boxes(boxOf("jp2h", header.join("")), boxOf("jp2c", codestream()));
/** Whose parts of data have marks at their heads' ends. */
const withEnds = "\xff\x52\0\x0c\x04\0\0\x01\0\x05\x04\x04\0\x01";
const ofProfile = boxOf("colr", "\x02\0\0");
const untold = { Width: "2", Height: "2", Filter: "/JPXDecode" };
const inJpeg2000 = { ...sound, Filter: "/JPXDecode" };

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["without the mark that ends it", inJpeg2000, codestream({ end: "" })],
  ["with a part that is longer than its data", inJpeg2000, codestream({ told: 15 })],
  ["without a frame", inJpeg2000, "\xff\x4f\xff\xd9"],
  ["without a codestream", inJpeg2000, boxes(boxOf("jp2h", ""))],
  ["of other colors", { ...inJpeg2000, ColorSpace: "/DeviceRGB" }, codestream()],
  ["of colors that nothing tells", untold, codestream({ components: 4 })],
  ["with a palette", inJpeg2000, boxed(sizes(), boxOf("pclr", ""))],
  ["whose components are taken from each other", inJpeg2000, boxed(sizes(), boxOf("cmap", "\0\0\0\0"))],
  ["in boxes without its size", inJpeg2000, boxed(colors(17))],
  ["in boxes that say another size", inJpeg2000, boxed(sizes(2, 3), colors(17))],
  ["in boxes that say another count of colors", inJpeg2000, boxed(sizes(2, 2, 3), colors(17))],
  ["in boxes of brightness and two colors", inJpeg2000, boxed(sizes(), colors(18))],
  ["in boxes of other colors", inJpeg2000, boxed(sizes(), colors(17), colors(16))],
  ["in boxes that tell of it afterwards", inJpeg2000, boxes(boxOf("jp2c", codestream()), boxOf("jp2h", sizes()))],
  [
    "in boxes that tell of it twice",
    inJpeg2000,
    boxes(boxOf("jp2h", sizes()), boxOf("jp2h", sizes()), boxOf("jp2c", codestream())),
  ],
  ["of two bits", inJpeg2000, codestream({ depths: [1] })],
  ["of numbers below zero", inJpeg2000, codestream({ depths: [0x87] })],
  ["of several depths", { ...inJpeg2000, ColorSpace: "/DeviceRGB" }, codestream({ components: 3, depths: [7, 6, 7] })],
  ["of a sample for several dots", inJpeg2000, codestream({ steps: 2 })],
  ["of several parts, with marks at heads' ends", inJpeg2000, codestream({ coding: withEnds, place: 1 })],
  ["in boxes without a first one", inJpeg2000, boxes(boxOf("jp2c", codestream())).slice(12)],
  ["in boxes without a second one", inJpeg2000, boxes(boxOf("jp2c", codestream())).replace("ftyp", "\x84typ")],
  ["with parts that are seen through", inJpeg2000, boxed(sizes(), boxOf("cdef", "\0\x01\0\0\0\x01\0\0"))],
  ["that is a mask", { Width: "2", Height: "2", ImageMask: "true", Filter: "/JPXDecode" }, codestream()],
  ["of other ranges", { ...inJpeg2000, Decode: "[1 0]" }, codestream()],
  ["with colors that are seen through", { ...inJpeg2000, Mask: "[0 0]" }, codestream()],
  ["whose colors a profile in its box alone tells", untold, boxed(sizes(), ofProfile)],
  ["that tells its colors by a number and by a profile", untold, boxed(sizes(), colors(17), ofProfile)],
  ["of a table", { ...inJpeg2000, ColorSpace: "[/Indexed/DeviceRGB 1<000000ffffff>]" }, codestream()],
  ["of an ink", { ...inJpeg2000, ColorSpace: "[/Separation/X/DeviceGray<<>>]" }, codestream()],
])("a picture in JPEG 2000 %s is refused", async (_, entries, data) => {
  await expect(admit(picture(entries, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["that its dictionary tells", inJpeg2000, codestream()],
  ["that tells its colors itself", untold, codestream({ components: 3 })],
  ["of another depth", { ...inJpeg2000, BitsPerComponent: "4", Decode: "[0 1]" }, codestream()],
  ["whose last part has no length", inJpeg2000, codestream({ told: 0 })],
  ["in boxes", inJpeg2000, boxed(sizes(), colors(17), boxOf("cdef", "\0\x01\0\0\0\0\0\0"))],
  ["whose dictionary tells colors beside a profile", inJpeg2000, boxed(sizes(), ofProfile)],
  ["that tells its colors by a number", untold, boxed(sizes(), colors(17))],
  ["of 16 bits, whose only part has marks at heads' ends", inJpeg2000, codestream({ coding: withEnds, depths: [15] })],
])("a picture in JPEG 2000 %s stays", async (_, entries, data) => {
  expect((await admit(picture(entries, data))).bytes).toBeNull();
});

test("a picture in JPEG 2000 of another size than is said of it is written as it is", async () => {
  const { bytes, disarmed } = await admit(picture({ ...inJpeg2000, Width: "9", Height: "1" }, codestream()));
  expect(disarmed).toEqual(["shown_otherwise"]);
  const written = Buffer.from(bytes ?? "").toString("latin1");
  for (const entry of ["/Width 2", "/Height 2", "/BitsPerComponent 8"]) expect(written).toContain(entry);
});

test.each([
  ["left out", "[/CalGray<</WhitePoint[0.9505 1 1.089]>>]", false],
  ["kept", "/DeviceGray", true],
])(
  "clear parts that a picture in JPEG 2000 does not have are %s where it is of the space %s",
  async (_, ColorSpace, isKept) => {
    const given = picture({ ...inJpeg2000, ColorSpace, SMaskInData: "1" }, codestream());
    const { bytes } = await admit(given);
    expect(Buffer.from(bytes ?? given).includes("/SMaskInData")).toBe(isKept);
  },
);
