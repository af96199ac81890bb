import { deflateSync } from "node:zlib";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import sharp from "sharp";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { picture, sound } from "../picture.ts";

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
  ["after other bytes", inJpeg, `\0\0${jpeg()}`],
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
  ["Adobe, which does not say in which ones", segment(0xee, "Adobe"), "123", ""],
  ["names that MuPDF takes for wider ones", JFIF, "\x01\x22\x23", ""],
  ["their small names", "", "rgb", ""],
  ["one name for all", JFIF, "111", ""],
  ["the dictionary of four inks", "", "1234", "/ColorTransform 1"],
  ["its dictionary by a number that is none, whatever Adobe says", `${ADOBE}\x01`, "123", "/ColorTransform 2"],
  ["its dictionary by a name, whatever Adobe says", `${ADOBE}\x01`, "123", "/ColorTransform/One"],
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

test.each<[string, Uint8Array]>([
  ["JPEG", within(jpegWithin, jpeg())],
  ["JPEG that is bright", within(jpegWithin, bright(63))],
])("an inline picture in %s stays", async (_, bytes) => {
  expect((await admit(bytes)).bytes).toBeNull();
});

test.each<[string, Uint8Array]>([
  ["JPEG of another size", within("/W 3/H 2/F[/AHx/DCT]", jpeg())],
  ["JPEG that is too bright", within(jpegWithin, bright(65))],
  [
    "JPEG with bytes to spare, which PDFium takes for content",
    within(jpegWithin, change(scan("\x01"), scan("\x01", "\0("))),
  ],
  ["JPEG that is cut", within(jpegWithin, change(scan("\x01"), scan("\x01", "")))],
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
