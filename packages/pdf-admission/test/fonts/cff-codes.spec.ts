import { cff, type FontUse, pdfWithFont } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

/** Numbers of standard names. */
const [ONE, SEVEN, NINE] = [18, 24, 26];
const place = (at: number) => Buffer.from([29, at >>> 24, (at >> 16) & 0xff, (at >> 8) & 0xff, at & 0xff]);

/** A program whose codes are in a list of its own, which stands at its end. */
const withCodes = (list: readonly number[], names = [ONE, NINE, SEVEN], strings: readonly string[] = []) => {
  const programOf = (at: number) => cff(names, { entries: Buffer.concat([place(at), Buffer.from([16])]), strings });
  return Buffer.concat([programOf(programOf(0).length), Buffer.from(list)]);
};
const at = (encoding: number) => cff(undefined, { entries: Buffer.concat([place(encoding), Buffer.from([16])]) });
/** Its list of names is one that all readers have. */
const withNamesOfExperts = () => {
  const program = cff();
  const charset = program.findIndex((byte, index) => byte === 29 && program[index + 5] === 15);
  return program.fill(place(1), charset, charset + 5);
};
const use = (entries: string, flags = 32): FontUse => ({ subtype: "Type1", entry: "FontFile3", entries, flags });
const named = "/Encoding<</Differences[50/seven]>>";
const windows = "/Encoding/WinAnsiEncoding";

const ofOne = [0, 3, 49, 57, 55];
const ofNine = [0, 3, 57, 49, 55];
const inRanges = [1, 2, 57, 0, 49, 1];
/** The second glyph of a name has the code. */
const ofSecond = withCodes([0, 3, 48, 49, 55], [ONE, ONE, SEVEN]);
const supplemented = withCodes([0x80, 3, 49, 57, 55, 1, 49, 0, NINE]);

test.each<[string, Buffer, FontUse]>([
  ["of its own, in a font that says nothing of them", withCodes(ofNine), use("")],
  ["the same in ranges", withCodes(inRanges), use("")],
  ["the same in a font without flags", withCodes(ofNine), use("", 0)],
  ["that its list has as a supplement", supplemented, use("")],
  ["that it has so where a font names others", supplemented, use(named)],
  ["of experts, in a font that says nothing of them", at(1), use("")],
  ["of these where a font names others", at(1), use(named)],
  ["of the second glyph of a name", ofSecond, use("", 4)],
  ["that is there twice", withCodes([0, 3, 49, 49, 55]), use("", 4)],
  ["at a place below zero", at(-272), use(windows)],
  ["by a name with a NUL", cff([391, ONE, SEVEN], { strings: ["one\0x"] }), use(windows)],
  ["by names that experts have", withNamesOfExperts(), use(windows)],
])("a program in CFF is refused with a code %s: readers take other glyphs for it", async (_, program, font) => {
  await expect(admit(pdfWithFont(program, font))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Buffer, FontUse]>([
  ["of its own as all have them", withCodes(ofOne), use("")],
  ["of its own, for symbols", withCodes(ofNine), use("", 4)],
  ["of its own that a font names", withCodes(ofNine), use(windows)],
  ["of its own beside a supplement", supplemented, use("", 4)],
  ["of experts for which a font has a list", at(1), use(windows)],
  ["of a name that nothing shows a second time", withCodes([0, 1, 49], [ONE, ONE, SEVEN]), use("", 4)],
  ["by a name of its own", cff([391, NINE, SEVEN], { strings: ["g.alt"] }), { ...use(windows), text: "(9)" }],
])("a program in CFF stays with a code %s", async (_, program, font) => {
  expect((await admit(pdfWithFont(program, font))).bytes).toBeNull();
});
