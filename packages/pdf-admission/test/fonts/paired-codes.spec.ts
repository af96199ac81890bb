import { cff, pdfWithMappedFont } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const mapOf = (first: string, last: string, mapped: string = `<${first}> <${last}> 0`) =>
  `1 begincodespacerange\n<${first}> <${last}>\nendcodespacerange\n1 begincidrange\n${mapped}\nendcidrange`;

/** Codes of one byte, and of two. */
const mixed =
  "2 begincodespacerange\n<20> <7f>\n<8000> <80ff>\nendcodespacerange\n2 begincidrange\n<20> <7f> 1\n<8000> <8001> 1\nendcidrange";

test.each([
  ["half a code alone", { text: "<01>" }],
  ["half a code after a whole one", { text: "<000101>" }],
  ["half a code in brackets", { text: "(\\0\\1\\1)" }],
  ["half a code in one of several strings", { text: "[<0001> 5 <01> 5 <01>] TJ <0001>" }],
  ["half a code of a map that is brought along", { text: "<000101>", map: mapOf("0000", "ffff") }],
  ["half a code of text downwards", { text: "<000101>", encoding: "/Identity-V" }],
  ["a code that its map lacks", { text: "<00010003>", map: mapOf("0000", "ffff", "<0001> <0002> 0") }],
  ["a code beyond those of its map", { text: "<0200>", map: mapOf("0000", "01ff") }],
  ["a code of one byte that its map lacks", { text: "<0103>", map: mapOf("00", "ff", "<01> <02> 0") }],
  ["a code that begins as none of either length", { text: "<20902080>", map: mixed }],
  ["a code of two bytes among others of one that its map lacks", { text: "<208002>", map: mixed }],
  ["half a code among others of one byte", { text: "[<208000> <80>] TJ <00>", map: mixed }],
  ["a character beyond its list of glyphs", { text: "<00010002>", glyphs: "\0\0\0\x01" }],
  ["a character beyond a list, downwards", { text: "<0003>", glyphs: "\0\0\0\x01", encoding: "/Identity-V" }],
  ["a character beyond the glyphs of CFF", { text: "<0004>", program: cff() }],
])("%s, for which some readers show a glyph, is refused", async (_what, use) => {
  await expect(admit(pdfWithMappedFont(use))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each([
  ["whole codes", { text: "<00010001>" }],
  ["whole codes in several strings", { text: "[<0001> 5 (\\0\\1)] TJ <0001>" }],
  ["the last character of a list of glyphs", { text: "<00010002>", glyphs: "\0\0\0\x01\0\x02" }],
  ["the last glyph of CFF", { text: "<00010003>", program: cff() }],
  ["codes of several rows", { text: "<00050001>", map: mapOf("0000", "ffff", "<0005> <0009> 4\n<0001> <0002> 0") }],
  ["codes of one byte and of two", { text: "[<20800021> 5 <8001208000>] TJ <20>", map: mixed }],
  ["codes of one byte", { text: "<010101>", map: mapOf("00", "ff") }],
])("%s stay as they are", async (_what, use) => {
  expect((await admit(pdfWithMappedFont(use))).bytes).toBeNull();
});
