import { pdfWithFont, sfnt } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const u16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));
const u32 = (...values: number[]) => u16(...values.flatMap((value) => [value >>> 16, value & 0xffff]));
const head = Buffer.concat([u16(0, 1, 3, 1), u32(12)]);
/** A file with text in the code 49, in a program with one map. */
const withMap = (map: Buffer, behind = Buffer.alloc(0)) =>
  pdfWithFont(sfnt({ change: (tables) => tables.set("cmap", Buffer.concat([head, map, behind])) }), {
    subtype: "TrueType",
    entry: "FontFile2",
    entries: "/Encoding/WinAnsiEncoding",
  });

/** Each with the glyph 1 for the code 49, and of a length. */
const inBytes = (length = 262) => {
  const glyphs = Buffer.alloc(256);
  glyphs[49] = 1;
  return Buffer.concat([u16(0, length, 0), glyphs]);
};
const inRow = (length = 12) => u16(6, length, 0, 49, 1, 1);
const inGroups = (length = 28) => Buffer.concat([u16(12, 0), u32(length, 0, 1, 49, 49, 1)]);
const inRanges = (length = 32, range = 0, delta = -48) =>
  u16(4, length, 0, 4, 0, 0, 0, 49, 0xffff, 0, 49, 0xffff, delta & 0xffff, 1, range, 0);
const glyph = u16(1);

test.each<[string, Uint8Array]>([
  ["bytes is shorter than these", withMap(inBytes(100))],
  ["bytes is longer than the table", withMap(inBytes(1000))],
  ["a row is shorter than this", withMap(inRow(10))],
  ["a row is longer than the table", withMap(inRow(100))],
  ["groups is shorter than these", withMap(inGroups(16))],
  ["groups is longer than the table", withMap(inGroups(100))],
  ["ranges is of no length", withMap(inRanges(0))],
  [
    "ranges has a list at the last place that there is",
    withMap(inRanges(32, 0xffff), Buffer.alloc(0x10000, u16(0x0100))),
  ],
  ["ranges has a list within them", withMap(inRanges(34, 2, 0), glyph)],
  ["ranges has a list at an odd place", withMap(inRanges(36, 5, 0), u16(0x0100, 0x0100))],
  ["ranges has a list beyond the table", withMap(inRanges(34, 6, 0), glyph)],
])("a map of characters in %s: only some readers take it", async (_, file) => {
  await expect(admit(file)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Uint8Array]>([
  ["bytes", withMap(inBytes())],
  ["a row", withMap(inRow())],
  ["groups", withMap(inGroups())],
  ["ranges", withMap(inRanges())],
  ["ranges that say they are longer, which all cut off", withMap(inRanges(100))],
  ["ranges that have a list", withMap(inRanges(34, 4, 0), glyph)],
])("a map of characters stays in %s", async (_, file) => {
  expect((await admit(file)).bytes).toBeNull();
});
