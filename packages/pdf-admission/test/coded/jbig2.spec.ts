import { inflateSync } from "node:zlib";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { picture, sound } from "../picture.ts";

const { engine, identity } = await openedEngine();
const fromHex = (digits: string): string => Buffer.from(digits, "hex").toString("latin1");

/** What a file's only picture holds, which is compressed in Flate alone, and its size. */
const bitsIn = (bytes: Uint8Array | null): { bits: Buffer; width: number; height: number } => {
  const file = PdfFile.open(bytes ?? Buffer.of());
  const held = [...file.references()].map(({ objectNumber }) => file.streamData(objectNumber));
  const image = held.find((stream) => stream && file.nameEntry(stream.dict, "Subtype") === "Image");
  if (image === undefined || file.nameEntry(image.dict, "Filter") !== "FlateDecode")
    return { bits: Buffer.of(), width: 0, height: 0 };
  const [width = 0, height = 0] = ["Width", "Height"].map((name) => file.numberEntry(image.dict, name));
  return { bits: inflateSync(image.data), width, height };
};

/** Its dots, a row each. */
const shownIn = (bytes: Uint8Array | null): string[] => {
  const { bits, width, height } = bitsIn(bytes);
  const row = Math.ceil(width / 8);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) =>
      (((bits[y * row + (x >> 3)] ?? 0) << (x & 7)) & 0x80) === 0 ? "#" : ".",
    ).join(""),
  );
};

const inJbig2 = { ...sound, BitsPerComponent: "1", Filter: "/JBIG2Decode" };
const long = (...numbers: readonly number[]) =>
  numbers.map((number) => Buffer.from(number.toString(16).padStart(8, "0"), "hex").toString("latin1")).join("");
/** A segment; that of a page is the fifth, and what has no other number comes after it by its kind. */
const part = (type: number, content: string, page = "\x01", length = content.length, number = type) =>
  `${long(number)}${String.fromCharCode(type)}\0${page}${long(length)}${content}`;
const pageOf = (width: number, height: number, flags = "\0") =>
  part(48, `${long(width, height, 0, 0)}${flags}\0\0`, "\x01", 19, 5);
/** In the manner of a fax: two rows of two dots. */
const region = (rows = "\xc0", length = 18 + rows.length, place = long(2, 2, 0, 0), put = "\0", type = 38) =>
  part(type, `${place}${put}\x01${rows}`, "\x01", length);

const empty = "\0".repeat(10);
/** A segment with a number that is made with another one. */
const madeWith = (type: number, number: number, of: number, content: string) =>
  `${long(number)}${String.fromCharCode(type)}\x20${String.fromCharCode(of)}\x01${long(content.length)}${content}`;
const textOf = (number: number) => madeWith(6, 39, number, `${long(2, 2, 0, 0)}\0${"\0".repeat(8)}`);

test.each<[string, string]>([
  ["of one page", pageOf(2, 2) + region()],
  ["with its end", pageOf(2, 2) + region() + part(49, "") + part(51, "", "\0")],
  ["with a region whose length is not told", `${pageOf(2, 2)}${region("\xc0\0\0\0\0\0\x02", 0xffffffff)}`],
])("a picture in JBIG2 %s is written anew, dot by dot", async (_, data) => {
  const { bytes, disarmed } = await admit(picture(inJbig2, data));
  expect(shownIn(bytes)).toEqual(["..", ".."]);
  // No bits but the picture's own, so that the same picture is always written alike.
  expect([...bitsIn(bytes).bits]).toEqual([0xc0, 0xc0]);
  expect(disarmed).toEqual([]);
});

/** The text "caapc" of symbols, in the example of ITU-T T.88, annex H. */
const symbols = {
  shared: fromHex("000000000001000000001800010000000100000001e9cbf40026af04bff0782fe00040"),
  own:
    `${fromHex("000000013000010000001300000040000000380000000000000000010000")}` +
    `${fromHex("00000002000101")}${fromHex("0000001c0001")}${fromHex("0000000200000002")}` +
    `${fromHex("e5cdf80079e0841081f08210861079f00080")}` +
    `${fromHex("0000000307420002010000003100000025000000080000000400000001000c0900100000000501")}` +
    fromHex("100000000000000000000000000000000c4007087041d0"),
};
const inSymbols = (own: string) => {
  const entries = "/Width 64/Height 56/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/JBIG2Decode";
  return pdf({
    pages: [{ content: "q 100 0 0 100 50 50 cm /I Do Q", resources: "/XObject<</I 6 0 R>>" }],
    objects: [
      streamOf(own, `/Type/XObject/Subtype/Image${entries}/DecodeParms<</JBIG2Globals 7 0 R>>`),
      streamOf(symbols.shared, ""),
    ],
  });
};
/** More symbols, and more of them for others, than the codes have: of these some readers show black, others nothing. */
const forged = [
  ["more new symbols", fromHex("0000000200ffffff")],
  ["more symbols for others", fromHex("00ffffff00000002")],
  ["fewer symbols for others", fromHex("0000000100000002")],
].map(([name = "", counts = ""]) => [name, symbols.own.replace(fromHex("0000000200000002"), counts)] as const);

test("a picture of symbols in JBIG2 is written anew, dot by dot, and stays so", async () => {
  const { bytes, disarmed } = await admit(inSymbols(symbols.own));
  expect(shownIn(bytes).slice(1, 9)).toEqual(
    [
      "     ####    ####   ####    ####    ####                        ",
      "    #    #       #  #   #       #  #    #                       ",
      "    #        #####  #   #   #####  #                            ",
      "    #       #    #  #   #  #    #  #                            ",
      "    #    #  #    #  ####   #    #  #    #                       ",
      "     ####    #####  #       #####   ####                        ",
      "                    #                                           ",
      "                    #                                           ",
    ].map((row) => row.replaceAll(" ", ".")),
  );
  expect(disarmed).toEqual([]);
  expect((await admit(bytes ?? Buffer.of())).bytes).toBeNull();
});

test.each(forged)("a picture in JBIG2 that says %s than its codes have is refused", async (_, own) => {
  await expect(admit(inSymbols(own))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

/** Dot by dot, by arithmetic codes: whatever they are, they are some dots. */
const byCodes = (type: number, flags: string, codes = "\0".repeat(20)) =>
  `${pageOf(8, 8)}${part(type, `${long(8, 8, 0, 0)}\0${flags}${codes}`)}`;
const adaptive = "\x03\xff\xfd\xff\x02\xfe\xfe\xfe";
const ofEight = { ...inJbig2, Width: "8", Height: "8" };
const sealed = async (bytes: Uint8Array) => (await engine.seal(bytes, { identity, sealedAt: 0 })).bytes;

test("of a signed file, a picture in JBIG2 told dot by dot stays", async () => {
  const bytes = await sealed(picture(ofEight, byCodes(38, `\0${adaptive}`)));
  expect((await admit(bytes)).bytes).toBeNull();
});

test.each([
  ["that is broken", inSymbols(forged[0]?.[1] ?? "")],
  ["of symbols by the codes of Huffman, which Poppler may leave out", inSymbols(symbols.own)],
  ["that is refined, which Poppler draws otherwise", picture(ofEight, byCodes(42, "\x01"))],
])("a picture in JBIG2 %s is refused in a signed file", async (_, bytes) => {
  await expect(admit(await sealed(bytes))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a picture in JBIG2 that is refined is written anew", async () => {
  expect(shownIn((await admit(picture(ofEight, byCodes(42, "\x01")))).bytes)).toHaveLength(8);
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
  ["of unknown segments", pageOf(2, 2) + region() + part(1, "", "\x01", 0, 99)],
  ["of segments out of order", pageOf(2, 2) + region() + part(62, "", "\x01", 0, 38)],
  ["of a page without meaning", pageOf(2, 2, "\x80") + region()],
  ["with a region of no rows", pageOf(2, 2) + region("\xc0", 19, long(2, 0, 0, 0))],
  ["with a region beside its page", pageOf(2, 2) + region("\xc0", 19, long(2, 2, 1, 0))],
  ["with a region that is too high", pageOf(2, 2) + region("\xc0", 19, long(2, 2, 0, 1))],
  ["with a region that is put in no known way", pageOf(2, 2) + region("\xc0", 19, long(2, 2, 0, 0), "\x05")],
  ["with a region beside its page that refines", pageOf(2, 2) + region() + region("", 18, long(2, 2, 1, 0), "\0", 42)],
  ["with symbols that are cut", pageOf(2, 2) + part(0, "ab", "\x01", 2, 6) + region()],
  ["with symbols that nothing is made of", pageOf(2, 2) + part(0, empty, "\x01", 10, 6) + region()],
  [
    "with text of no symbols",
    pageOf(2, 2) + region() + part(6, `${long(2, 2, 0, 0)}${"\0".repeat(9)}`, "\x01", 25, 39),
  ],
  ["with text of symbols that come after it", pageOf(2, 2) + region() + textOf(40)],
  ["of nothing", ""],
  ["of a page of nothing", pageOf(2, 2)],
  ["with a region whose flags have no meaning", (pageOf(2, 2) + region()).replace("\0\x01\xc0", "\0\x21\xc0")],
])("a picture in JBIG2 %s is refused", async (_, data) => {
  await expect(admit(picture(inJbig2, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each([
  ["symbols", symbols.shared, "written anew"],
  ["symbols that are cut", part(0, "\0".repeat(9), "\0"), "shown_otherwise"],
  ["a page", pageOf(9, 9), "shown_otherwise"],
  ["symbols of one page", part(0, "\0".repeat(10)), "shown_otherwise"],
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
    ({ bytes: anew }) => (anew === null ? "as it is" : "written anew"),
    ({ reason }) => reason,
  );
  expect(await admitted).toBe(expected);
});

test("a picture in JBIG2 whose dots take too much memory is too complex", async () => {
  const [side, told] = [40_000, `${long(40_000, 40_000, 0, 0)}\0\0\x03\xff\xfd\xff\x02\xfe\xfe\xfe`];
  const large = { ...inJbig2, Width: String(side), Height: String(side) };
  const data = pageOf(side, side) + part(38, `${told}${"\0".repeat(20)}`);
  await expect(admit(picture(large, data))).rejects.toBeInstanceOf(TooComplex);
});

test("a picture in JBIG2 of more than 10,000 segments is too complex", async () => {
  const extensions = Array.from({ length: 10_001 }, (_, number) => part(62, "", "\x01", 0, number));
  await expect(admit(picture(inJbig2, extensions.join("")))).rejects.toBeInstanceOf(TooComplex);
});
