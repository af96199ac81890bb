import { deflateSync } from "node:zlib";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { admit } from "../src/admit.ts";

const sound = {
  Width: "2",
  Height: "2",
  BitsPerComponent: "8",
  ColorSpace: "/DeviceGray",
};
const rgb = { ...sound, Width: "1", ColorSpace: "/DeviceRGB" };
const predicted = { ...sound, Filter: "/FlateDecode" };
const picture = (entries: Readonly<Record<string, string>>, data = "\xff\xff\xff\xff") =>
  pdf({
    pages: [{ content: "q 100 0 0 100 50 50 cm /I Do Q", resources: "/XObject<</I 6 0 R>>" }],
    objects: [
      streamOf(
        data,
        `/Type/XObject/Subtype/Image${Object.entries(entries)
          .map(([name, value]) => `/${name} ${value}`)
          .join("")}`,
      ),
      streamOf("\xff\xff\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB"),
      streamOf("\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"),
      streamOf("\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/ImageMask true"),
      streamOf(
        "\0",
        "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace[/Indexed/DeviceGray 0<ff>]",
      ),
      streamOf(
        "\xff",
        "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/SMask 8 0 R",
      ),
      ...[16, 8].map((depth) =>
        streamOf(
          "\xff\xff",
          `/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent ${depth}/ColorSpace/DeviceGray/Matte[0]`,
        ),
      ),
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
  [
    "a table of two line ends, of which one reader makes one",
    { ...sound, ColorSpace: "[/Indexed/DeviceGray 1(\r\n)]" },
  ],
  ["a table with something else than digits", { ...sound, ColorSpace: "[/Indexed/DeviceGray 1<00,ff>]" }],
  ["a number that says it is a mask", { ...sound, ImageMask: "1" }],
  ["a range that is no list", { ...sound, Decode: "/Odd" }],
  ["numbers of a table in another order", { ...sound, ColorSpace: "[/Indexed/DeviceGray 0<ff>]", Decode: "[1 0]" }],
  ["a mask that is none", { ...sound, Mask: "7 0 R" }],
  ["a soft mask in colors", { ...sound, SMask: "7 0 R" }],
  ["a soft mask of bits", { ...sound, SMask: "9 0 R" }],
  ["a soft mask in a table", { ...sound, SMask: "10 0 R" }],
  ["a soft mask that is seen through", { ...sound, SMask: "11 0 R" }],
  ["a soft mask of 16 bits that its colors were mixed for", { ...sound, SMask: "12 0 R" }],
  ["ranges of four colors that are none", { ...sound, BitsPerComponent: "2", Decode: "[0 .16]" }],
  ["a mask of its own, being one", { Width: "2", Height: "2", ImageMask: "true", SMask: "8 0 R" }],
  ["ranges of 16 bits that are seen through", { ...sound, Width: "1", BitsPerComponent: "16", Mask: "[0 0]" }],
  ["ranges between numbers", { ...sound, Mask: "[0.5 1.5]" }],
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
  ["a table of single line ends", { ...sound, ColorSpace: "[/Indexed/DeviceGray 1(\r\r)]" }],
  ["a soft mask that its colors were mixed for", { ...sound, SMask: "13 0 R" }],
  ["four colors in another order", { ...sound, BitsPerComponent: "2", Decode: "[1 0]" }],
  [
    "numbers of four colors",
    { ...sound, BitsPerComponent: "2", ColorSpace: "[/Indexed/DeviceGray 3<00407fff>]", Decode: "[0 3]" },
  ],
  ["a word that it is no mask", { ...sound, ImageMask: "false" }],
  ["a whole table", { ...sound, ColorSpace: "[/Indexed/DeviceRGB 1<ff000000ff00>]" }],
  ["masks", { ...sound, Mask: "9 0 R", SMask: "8 0 R" }],
  [
    "data of what it tells itself",
    { ...sound, Height: "32", BitsPerComponent: "1", Filter: "/CCITTFaxDecode", DecodeParms: "<</K -1/Columns 2>>" },
  ],
  ["measured colors", { ...sound, ColorSpace: "[/CalGray<</WhitePoint[1 1 1]/Gamma 2.2>>]" }],
])("a picture with %s stays", async (_, entries) => {
  expect((await admit(picture(entries))).bytes).toBeNull();
});

const inFax = (parameters: string) => ({
  ...sound,
  BitsPerComponent: "1",
  Filter: "/CCITTFaxDecode",
  DecodeParms: `<</Columns 2${parameters}>>`,
});
/** Codes of nine bits: cleared, two times "a", what these make twice, the end. */
const LZW = "\x80\x18\x4c\x30\x28\x08";

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["a fax with rows by themselves", inFax(""), "\x77"],
  ["a fax with rows by themselves, each from a byte on", inFax("/EncodedByteAlign true"), "\x70\x70"],
  ["a fax that marks its rows", inFax("/K 4/EndOfLine true"), "\0\x1b\x80\x0a"],
  ["a fax with a row to spare", inFax("/K -1"), "\xe0"],
  ["a fax in black", inFax("/K -1"), "\x26\xbe"],
  ["LZW", { ...sound, Filter: "/LZWDecode" }, LZW],
  ["filters by their short names", { ...sound, Filter: "[/AHx/Fl]" }, `${deflateSync("abcd").toString("hex")}>`],
])("a picture in %s stays where its data are whole", async (_, entries, data) => {
  expect((await admit(picture(entries, data))).bytes).toBeNull();
  const cut = data.slice(0, (data.length - 1) >> 1);
  await expect(admit(picture(entries, cut))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["a fax whose row is too long", inFax(""), "\x88\x88"],
  ["a fax whose codes are none", inFax("/K -1"), "\0\0\0"],
  ["a fax whose change lies before its row", inFax("/K -1"), "\x26\xb8\x40"],
  ["a fax whose marks are missing", inFax("/K 4"), "\x77"],
  ["a fax of no whole kind", inFax("/K -0.5"), "\xff"],
  ["a fax whose truth is a number", inFax("/K -1/BlackIs1 1"), "\xff"],
  ["LZW whose code is of nothing", { ...sound, Filter: "/LZWDecode" }, "\x80\x18\x65\x86\x13\x0c\x04"],
  ["LZW that grows in no known way", { ...sound, Filter: "/LZWDecode", DecodeParms: "<</EarlyChange 2>>" }, LZW],
])("a picture in %s is refused", async (_, entries, data) => {
  await expect(admit(picture(entries, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

const inJbig2 = { ...sound, BitsPerComponent: "1", Filter: "/JBIG2Decode" };
const long = (...numbers: readonly number[]) =>
  numbers.map((number) => Buffer.from(number.toString(16).padStart(8, "0"), "hex").toString("latin1")).join("");
const part = (type: number, content: string, page = "\x01", length = content.length) =>
  `${long(0)}${String.fromCharCode(type)}\0${page}${long(length)}${content}`;
const pageOf = (width: number, height: number) => part(48, `${long(width, height, 0, 0)}\0\0\0`);
/** In the manner of a fax: two rows of two dots. */
const region = (rows = "\xc0", length = 18 + rows.length) =>
  part(38, `${long(2, 2, 0, 0)}\0\x01${rows}`, "\x01", length);

test.each<[string, string]>([
  ["of one page", pageOf(2, 2) + region()],
  ["with its end", pageOf(2, 2) + region() + part(49, "") + part(51, "", "\0")],
  ["with a region whose length is not told", `${pageOf(2, 2)}${region("\xc0\0\0\0\0\0\x02", 0xffffffff)}`],
])("a picture in JBIG2 %s stays", async (_, data) => {
  expect((await admit(picture(inJbig2, data))).bytes).toBeNull();
});

test.each<[string, string]>([
  ["without a page", region()],
  ["of a wider page", pageOf(3, 2) + region()],
  ["of a lower page", pageOf(2, 1) + region()],
  ["of two pages", pageOf(2, 2) + region() + pageOf(2, 2)],
  ["with a region before its page", region() + pageOf(2, 2)],
  ["with a region after its end", pageOf(2, 2) + part(49, "") + region()],
  ["with a region of another page", pageOf(2, 2) + part(38, `${long(2, 2, 0, 0)}\0\x01\xc0`, "\x02")],
  ["whose region is cut", pageOf(2, 2) + region("")],
  ["whose region is longer than its data", pageOf(2, 2) + region("\xc0", 20)],
  ["of unknown segments", pageOf(2, 2) + region() + part(1, "")],
  ["of nothing", ""],
])("a picture in JBIG2 %s is refused", async (_, data) => {
  await expect(admit(picture(inJbig2, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each([
  ["symbols", part(0, "ab", "\0"), null],
  ["a page", pageOf(9, 9), "shown_otherwise"],
  ["symbols of one page", part(0, "ab"), "shown_otherwise"],
])("a picture in JBIG2 shares %s with others: %#", async (_, globals, expected) => {
  const entries = Object.entries(inJbig2).map(([name, value]) => `/${name} ${value}`);
  const shared = "/DecodeParms<</JBIG2Globals 7 0 R>>";
  const bytes = pdf({
    pages: [{ content: "q 100 0 0 100 50 50 cm /I Do Q", resources: "/XObject<</I 6 0 R>>" }],
    objects: [
      streamOf(pageOf(2, 2) + region(), `/Type/XObject/Subtype/Image${entries.join("")}${shared}`),
      streamOf(globals, ""),
    ],
  });
  const admitted = admit(bytes).then(
    (admission) => admission.bytes,
    ({ reason }) => reason,
  );
  expect(await admitted).toBe(expected);
});

test("pictures with more rows in the manner of a fax than files have are too complex", async () => {
  await expect(admit(picture({ ...inFax("/K -1"), Height: "20000001" }))).rejects.toBeInstanceOf(TooComplex);
});

test.each(["/Rotate 45", "/CropBox[0 0 0 0]"])("%s of a page is taken out", async (entries) => {
  const { bytes } = await admit(pdf({ pages: [{ entries: `/MediaBox[0 0 200 200]${entries}` }] }));
  expect(Buffer.from(bytes ?? "").toString("latin1")).not.toMatch(/\/Rotate|\/CropBox/);
});

const segment = (marker: number, content: string) =>
  `\xff${String.fromCharCode(marker, (content.length + 2) >> 8, (content.length + 2) & 0xff)}${content}`;
/** One code alone, by its table. */
const code = (table: string) => segment(0xc4, `${table}\x01${"\0".repeat(15)}\0`);
/** Codes of one bit, and of two, for two values. */
const codesOf = (table: string, values: string) =>
  segment(0xc4, `${table}${String.fromCharCode(1, values.length - 1)}${"\0".repeat(14)}${values}`);
const tables = { quantization: segment(0xdb, `\0${"\x01".repeat(64)}`), first: code("\0"), rest: code("\x10") };
const frame = (names: string) =>
  `\x08\0\x02\0\x02${String.fromCharCode(names.length)}${[...names].map((name) => `${name}\x11\0`).join("")}`;
const scan = (names: string, data = "\0") =>
  `${segment(0xda, `${String.fromCharCode(names.length)}${[...names].map((name) => `${name}\0`).join("")}\0\x3f\0`)}${data}`;
/** Of two by two, in grey: what stands before its frame, the frame, its scan, and what ends it. */
const jpeg = (end = "\xff\xd9", names = "\x01", before = segment(0xe0, "ab")) =>
  `\xff\xd8${before}${Object.values(tables).join("")}${segment(0xc0, frame(names))}${scan(names)}${end}`;
const inJpeg = { ...sound, Filter: "/DCTDecode" };

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["without the mark that ends it", inJpeg, jpeg("")],
  ["without a frame", inJpeg, "\xff\xd8\xff\xd9"],
  ["of other colors", { ...inJpeg, ColorSpace: "/DeviceRGB" }, jpeg()],
  ["of colors that nothing tells", { Width: "2", Height: "2", Filter: "/DCTDecode" }, jpeg()],
  ["of another depth", { ...inJpeg, BitsPerComponent: "4" }, jpeg()],
])("a picture in JPEG %s is refused", async (_, entries, data) => {
  await expect(admit(picture(entries, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

/** What comes before the frame of a picture in JPEG: who wrote it, and by Adobe which colors it has. */
const [JFIF, ADOBE] = ["\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0", "\xff\xee\0\x0eAdobe\0\x64\0\0\0\0"];
const inColors = (before: string, names: string, transform: string): [Readonly<Record<string, string>>, string] => [
  { ...inJpeg, ColorSpace: names.length === 4 ? "/DeviceCMYK" : "/DeviceRGB", DecodeParms: `<<${transform}>>` },
  jpeg("\xff\xd9", names, before),
];

test.each<[string, string, string, string]>([
  ["its dictionary, and not by itself", "", "123", "/ColorTransform 0"],
  ["its dictionary, and by JFIF", JFIF, "123", "/ColorTransform 0"],
  ["Adobe, and by JFIF in other ones", `${JFIF}${ADOBE}\0`, "123", ""],
  ["Adobe, and by their names in other ones", `${ADOBE}\x01`, "RGB", ""],
  ["their small names", "", "rgb", ""],
  ["one name for all", JFIF, "111", ""],
  ["the dictionary of four inks", "", "1234", "/ColorTransform 1"],
  ["the names of four inks, and by Adobe in other ones", `${ADOBE}\x02`, "CMYK", ""],
])("a picture in JPEG that is in colors by %s is refused", async (_, before, names, transform) => {
  await expect(admit(picture(...inColors(before, names, transform)))).rejects.toMatchObject({
    reason: "shown_otherwise",
  });
});

test.each<[string, string, string, string]>([
  ["nothing", "", "123", ""],
  ["JFIF", JFIF, "123", ""],
  ["Adobe", `${ADOBE}\0`, "123", ""],
  ["Adobe, whatever its dictionary says", `${ADOBE}\x01`, "123", "/ColorTransform 0"],
  ["Adobe, where their names say the same", `${ADOBE}\0`, "RGB", ""],
  ["their names", "", "RGB", ""],
  ["Adobe in four inks", `${ADOBE}\x02`, "1234", "/ColorTransform 1"],
  ["nothing in four inks", "", "1234", "/ColorTransform 0"],
])("a picture in JPEG that is in colors by %s stays", async (_, before, names, transform) => {
  expect((await admit(picture(...inColors(before, names, transform)))).bytes).toBeNull();
});

test.each([
  ["of another size than is said of it", { ...sound, Width: "4", Height: "1" }],
  ["of a depth that nothing says", { Width: "2", Height: "2", ColorSpace: "/DeviceGray" }],
])("a picture in JPEG that is %s is written as it is", async (_, told) => {
  expect((await admit(picture(inJpeg, jpeg()))).bytes).toBeNull();
  const { bytes, disarmed } = await admit(picture({ ...told, Filter: "/DCTDecode" }, jpeg()));
  expect(disarmed).toEqual(["shown_otherwise"]);
  const written = Buffer.from(bytes ?? "").toString("latin1");
  for (const entry of ["/Width 2", "/Height 2", "/BitsPerComponent 8"]) expect(written).toContain(entry);
  expect(written).not.toContain("/Width 4");
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

test("a picture in ASCII85 without the mark that ends it stays", async () => {
  expect((await admit(picture({ ...sound, Filter: "/ASCII85Decode" }, "s8W-!"))).bytes).toBeNull();
});

const change = (from: string, to: string): string => {
  const changed = jpeg().replace(from, () => to);
  expect(changed).not.toBe(jpeg());
  return changed;
};

/** A scan of a progressive picture: the place of its values, up to which bit, and up to which they were known before; 0: to none. */
const told = (place: number, bit: number, former = 0) =>
  `${segment(0xda, `\x01\x01\0${String.fromCharCode(place, place, (former << 4) | bit)}`)}\0`;
const toldFrom = (place: number, bit: number): string[] => [
  told(place, bit),
  ...Array.from({ length: bit }, (_, index) => told(place, bit - index - 1, bit - index)),
];
const inScans = (...scans: readonly string[]): string =>
  change(`${segment(0xc0, frame("\x01"))}${scan("\x01")}`, `${segment(0xc2, frame("\x01"))}${scans.join("")}`);
/** All values but the first of a block, which are 0. */
const further = `${segment(0xda, "\x01\x01\0\x01\x3f\0")}\0`;
/** A progressive picture of 190 scans and some, each of which tells something more. */
const progressive = (scans: number): string =>
  inScans(...toldFrom(0, scans - 190), ...Array.from({ length: 63 }, (_, index) => toldFrom(index + 1, 2)).flat());

test.each<[string, () => string]>([
  ["whose codes are missing", () => change(tables.first, "")],
  ["whose steps are missing", () => change(tables.quantization, "")],
  ["whose restarts are broken off", () => change(scan("\x01"), segment(0xdd, "\x01"))],
  ["with two frames", () => change(tables.rest, tables.rest + segment(0xc0, frame("\x01")))],
  ["in codes that few readers know", () => change(segment(0xc0, frame("\x01")), segment(0xc9, frame("\x01")))],
  ["of samples that do not fit", () => change("\x01\x11\0", "\x01\x51\0")],
  ["with a first scan twice", () => change(scan("\x01"), scan("\x01").repeat(2))],
  ["of more scans than programs make", () => progressive(201)],
  ["whose scan ends before its blocks do", () => change(scan("\x01"), scan("\x01", ""))],
  ["whose scan ends within a block", () => change(scan("\x01"), scan("\x01", "\x7f"))],
  ["whose scan has a code that there is not", () => change(scan("\x01"), scan("\x01", "\xff\0"))],
  ["whose steps are told twice", () => change(tables.rest, segment(0xdb, `\0${"\x02".repeat(64)}`) + tables.rest)],
  ["whose scans go back", () => inScans(...toldFrom(0, 1), told(0, 0, 1), further)],
  ["whose scans leave out a bit", () => inScans(told(0, 2), told(0, 0, 1), further)],
  ["that leaves further values to be guessed", () => inScans(told(0, 0))],
  ["that leaves a bit to be guessed", () => inScans(told(0, 1), further)],
  ["that leaves more bits than a value has", () => inScans(...toldFrom(0, 14), further)],
  ["with a start within", () => change(tables.rest, segment(0xd8, "ab") + tables.rest)],
  ["with tables behind a mark that has none", () => change(tables.rest, segment(0x01, tables.rest) + tables.rest)],
  ["with a mark for other colors", () => change(tables.rest, segment(0xf8, "ab") + tables.rest)],
  ["that says its height once more", () => change(tables.rest, segment(0xdc, "\0\x02") + tables.rest)],
  ["of a fifth table of codes", () => change(tables.rest, code("\x04") + tables.rest)],
  ["of codes that are of no kind", () => change(tables.rest, code("\x20") + tables.rest)],
  ["of a code of ones alone", () => change(tables.rest, codesOf("\x11", "\0\x01\x02") + tables.rest)],
  [
    "of more codes than there is room for",
    () => change(tables.rest, code("\x11").replace("\x01", "\x04") + tables.rest),
  ],
  ["of sizes that there are not", () => change(tables.first, codesOf("\0", "\0\x10"))],
  ["of a fifth table of steps", () => change(tables.rest, segment(0xdb, `\x04${"\x01".repeat(64)}`) + tables.rest)],
  ["of steps of no length", () => change(tables.rest, segment(0xdb, `\x21${"\x01".repeat(128)}`) + tables.rest)],
  ["whose restarts are told at length", () => change(tables.rest, segment(0xdd, "\0\0\0") + tables.rest)],
  ["without a scan", () => change(scan("\x01"), "")],
  ["whose scan is of another component", () => change(scan("\x01"), scan("\x02"))],
  ["whose scan starts again where it should not", () => change(scan("\x01"), scan("\x01", "\x3f\xff\xd0\x3f"))],
  ["with other bytes after its scan", () => change(scan("\x01"), `${scan("\x01")}${segment(0xfe, "ab")}\0`)],
])("a picture in JPEG %s is refused: each reader mends it in its own way", async (_, data) => {
  await expect(admit(picture(inJpeg, data()))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

const steps = (step: number) => segment(0xdb, `\0${String.fromCharCode(step).repeat(64)}`);
/** A picture whose block has 63 steps as its first value, its mean times eight, or as a further one. */
const bright = (step: number) =>
  jpeg()
    .replace(tables.quantization, steps(step))
    .replace(tables.first, codesOf("\0", "\x06"))
    .replace(scan("\x01"), scan("\x01", "\x7e"));
const edged = (step: number) =>
  jpeg()
    .replace(tables.quantization, steps(step))
    .replace(tables.rest, codesOf("\x10", "\0\x06"))
    .replace(scan("\x01"), scan("\x01", "\x5f\xbf"));
const brightInScans = (step: number) =>
  inScans(told(0, 0).replace(/\0$/, "\x7f"), further)
    .replace(tables.quantization, steps(step))
    .replace(tables.first, codesOf("\0", "\x06"));

test.each([
  ["bright", bright, 63],
  ["sharp", edged, 45],
  ["bright, and told bit by bit,", brightInScans, 63],
])("a picture in JPEG that is too %s is refused: some readers take it for dark", async (_, make, most) => {
  expect((await admit(picture(inJpeg, make(most)))).bytes).toBeNull();
  await expect(admit(picture(inJpeg, make(most + 2)))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

const within = (entries: string, data: string) => {
  const hex = `${Buffer.from(data, "latin1").toString("hex")}>`;
  return pdf({ pages: [{ content: `q 100 0 0 100 50 50 cm BI/BPC 8/CS/G${entries} ID ${hex}\nEI Q` }] });
};
const jpegWithin = "/W 2/H 2/F[/AHx/DCT]";
const faxWithin = (entries: string) =>
  pdf({
    pages: [
      {
        content: `q 9 0 0 9 0 0 cm BI/BPC 1/CS/G/W 2${entries}/F[/AHx/CCF]/DP[null<</K -1/Columns 2>>] ID c0040040>\nEI Q`,
      },
    ],
  });

test.each<[string, Uint8Array]>([
  ["JPEG", within(jpegWithin, jpeg())],
  ["JPEG that is bright", within(jpegWithin, bright(63))],
  ["a fax", faxWithin("/H 2")],
])("an inline picture in %s stays", async (_, bytes) => {
  expect((await admit(bytes)).bytes).toBeNull();
});

test.each<[string, Uint8Array]>([
  ["JPEG of another size", within("/W 3/H 2/F[/AHx/DCT]", jpeg())],
  ["JPEG that is too bright", within(jpegWithin, bright(65))],
  ["JPEG that is cut", within(jpegWithin, change(scan("\x01"), scan("\x01", "")))],
  ["a fax of fewer rows", faxWithin("/H 3")],
])("an inline picture in %s is refused", async (_, bytes) => {
  await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

/** Of three components, of so many blocks each, in a scan in an order. */
const together = (samples: string, order: string): string => {
  const components = [...samples].map((sample, index) => `${String.fromCharCode(index + 1)}${sample}\0`).join("");
  const [from, to] = [
    `${segment(0xc0, frame("\x01"))}${scan("\x01")}`,
    segment(0xc0, `\x08\0\x02\0\x02\x03${components}`),
  ];
  return change(from, `${to}${scan(order, "\0".repeat(5))}`);
};

test("as many blocks as may stand together in JPEG stay, in their order", async () => {
  const colored = { ...inJpeg, ColorSpace: "/DeviceRGB" };
  const refused = { reason: "shown_otherwise" };
  expect((await admit(picture(colored, together("\x24\x11\x11", "\x01\x02\x03")))).bytes).toBeNull();
  await expect(admit(picture(colored, together("\x44\x11\x11", "\x01\x02\x03")))).rejects.toMatchObject(refused);
  await expect(admit(picture(colored, together("\x24\x11\x11", "\x02\x01\x03")))).rejects.toMatchObject(refused);
});

const flated = (entries: Readonly<Record<string, string>>, filter: string, data: string) =>
  picture(
    { ...entries, Filter: `[/FlateDecode/${filter}]` },
    deflateSync(Buffer.from(data, "latin1")).toString("latin1"),
  );

test.each([
  ["segments", segment(0xe0, ""), 400_001],
  ["tables of codes", segment(0xc4, `\0${"\0".repeat(16)}`.repeat(100)), 4_001],
  ["tables of steps", tables.quantization, 400_001],
])("pictures of more than 400,000 %s in JPEG are too complex", async (_, part, count) => {
  const data = `${jpeg().slice(0, 2)}${part.repeat(count)}`;
  await expect(admit(flated(inJpeg, "DCTDecode", data))).rejects.toBeInstanceOf(TooComplex);
});

test("a progressive picture whose values take more than 128 MB is too complex, small as its data are", async () => {
  const side = "\x1f\x40";
  const large = inScans(told(0, 0), further).replaceAll(
    segment(0xc2, frame("\x01")),
    segment(0xc2, `\x08${side}${side}\x02\x01\x11\0\x02\x11\0`),
  );
  await expect(admit(picture(inJpeg, large))).rejects.toBeInstanceOf(TooComplex);
});

test("a picture in JBIG2 of more than 10,000 segments is too complex", async () => {
  const extension = "\0\0\0\0\x3e\0\x01\0\0\0\0";
  await expect(admit(picture(inJbig2, extension.repeat(10_001)))).rejects.toBeInstanceOf(TooComplex);
});

test("inline pictures of more than 4 MB in JPEG are too complex", async () => {
  const filled = `${jpeg().slice(0, 2)}${"\xff".repeat(4 * 1_048_576)}${jpeg().slice(2)}`;
  await expect(admit(within(jpegWithin, filled))).rejects.toBeInstanceOf(TooComplex);
});

test.each([
  ["at once", { progressive: false }],
  ["bit by bit", { progressive: true }],
  ["in fewer colors", { progressive: true, chromaSubsampling: "4:2:0" }],
  ["in fewer colors, at once", { chromaSubsampling: "4:2:0" }],
])("a picture in JPEG that a program writes %s stays, and is refused where it is cut", async (_, options) => {
  const [width, height] = [75, 43];
  const dots = Buffer.from(Array.from({ length: width * height * 3 }, (_, at) => (at * at) % 251));
  const made = await sharp(dots, { raw: { width, height, channels: 3 } })
    .jpeg({ chromaSubsampling: "4:4:4", ...options })
    .toBuffer();
  const entries = { Width: "75", Height: "43", BitsPerComponent: "8", ColorSpace: "/DeviceRGB", Filter: "/DCTDecode" };
  expect((await admit(picture(entries, made.toString("latin1")))).bytes).toBeNull();
  const cut = `${made.toString("latin1", 0, made.length - 20)}\xff\xd9`;
  await expect(admit(picture(entries, cut))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, () => string]>([
  ["with a comment after its scan", () => change(scan("\x01"), `${scan("\x01")}${segment(0xfe, "ab")}`)],
  ["with other data after its end", () => `${jpeg()}${jpeg()}`],
  ["of many scans", () => progressive(200)],
  ["that is extended", () => change(segment(0xc0, frame("\x01")), segment(0xc1, frame("\x01")))],
  ["with bytes that fill up", () => change(scan("\x01"), `${scan("\x01")}\xff`)],
])("a picture in JPEG %s stays", async (_, data) => {
  expect((await admit(picture(inJpeg, data()))).bytes).toBeNull();
});

test("a picture without colors in JPEG without components is refused", async () => {
  const data = `\xff\xd8${segment(0xc0, "\x08\0\x02\0\x02\0")}\xff\xd9`;
  const entries = { Width: "2", Height: "2", BitsPerComponent: "8", Filter: "/DCTDecode" };
  await expect(admit(picture(entries, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

const deflated = (data: Buffer): string => deflateSync(data).toString("latin1");
const MEGABYTE = 1_048_576;

test.each<[string, string, Buffer]>([
  ["in JPEG of 33 MB", "DCTDecode", Buffer.concat([Buffer.alloc(33 * MEGABYTE, 0xff), Buffer.from(jpeg(), "latin1")])],
  [
    "in JPEG and in runs of 33 MB",
    "RunLengthDecode/DCTDecode",
    Buffer.from(`${"\x81\0".repeat(270_336)}\x80`, "latin1"),
  ],
])("a picture %s within a compression is too complex", async (_, filters, data) => {
  const entries = { ...inJpeg, Filter: `[/FlateDecode/${filters}]` };
  await expect(admit(picture(entries, deflated(data)))).rejects.toBeInstanceOf(TooComplex);
});

test("a picture in JPEG of 31 MB within a compression stays", async () => {
  const [start, rest] = [jpeg().slice(0, 2), jpeg().slice(2)].map((part) => Buffer.from(part, "latin1")) as [
    Buffer,
    Buffer,
  ];
  const filled = Buffer.concat([start, Buffer.alloc(31 * MEGABYTE, 0xff), rest]);
  const entries = { ...inJpeg, Filter: "[/FlateDecode/DCTDecode]" };
  expect((await admit(picture(entries, deflated(filled)))).bytes).toBeNull();
});

test("runs that are longer than their picture are counted, and not made", async () => {
  const runs = Buffer.from(`${"\x81\0".repeat(2_000_000)}\x80`, "latin1");
  const before = process.memoryUsage().arrayBuffers;
  expect((await admit(picture({ ...sound, Filter: "/RunLengthDecode" }, runs.toString("latin1")))).bytes).toBeNull();
  // 256 MB are what they say.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MEGABYTE);
});

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
const inJpeg2000 = { ...sound, Filter: "/JPXDecode" };

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["without the mark that ends it", inJpeg2000, codestream({ end: "" })],
  ["with a part that is longer than its data", inJpeg2000, codestream({ told: 15 })],
  ["without a frame", inJpeg2000, "\xff\x4f\xff\xd9"],
  ["without a codestream", inJpeg2000, boxOf("jp2h", "")],
  ["of other colors", { ...inJpeg2000, ColorSpace: "/DeviceRGB" }, codestream()],
  ["of colors that nothing tells", { Width: "2", Height: "2", Filter: "/JPXDecode" }, codestream({ components: 4 })],
  ["with a palette", inJpeg2000, boxOf("jp2h", boxOf("pclr", "")) + boxOf("jp2c", codestream())],
  [
    "with parts that are seen through",
    inJpeg2000,
    boxOf("jp2h", boxOf("cdef", "\0\x01\0\0\0\x01\0\0")) + boxOf("jp2c", codestream()),
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
  ["in boxes", inJpeg2000, boxOf("jp2h", boxOf("cdef", "\0\x01\0\0\0\0\0\0")) + boxOf("jp2c", codestream())],
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
