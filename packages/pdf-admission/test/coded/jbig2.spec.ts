import { TooComplex } from "@rubrica/pdf-reading/faults";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { picture, sound } from "../picture.ts";

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
  ["of symbols that a region is made of", pageOf(2, 2) + part(0, empty, "\x01", 10, 6) + region() + textOf(6)],
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
  ["symbols", part(0, "\0".repeat(10), "\0"), null],
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
    (admission) => admission.bytes,
    ({ reason }) => reason,
  );
  expect(await admitted).toBe(expected);
});

test("a picture in JBIG2 of more than 10,000 segments is too complex", async () => {
  const extensions = Array.from({ length: 10_001 }, (_, number) => part(62, "", "\x01", 0, number));
  await expect(admit(picture(inJbig2, extensions.join("")))).rejects.toBeInstanceOf(TooComplex);
});
