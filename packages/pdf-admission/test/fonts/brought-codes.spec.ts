import {
  type CharacterMap,
  cff,
  type FontUse,
  pdfWithFont,
  pdfWithMappedFont,
  sfnt,
  type1,
} from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const u16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));

/** A list of names for the glyphs of a program, in their order. */
const posted = (...names: readonly string[]) =>
  Buffer.concat([
    ...[u16(2, 0), Buffer.alloc(28), u16(names.length, ...names.map((_, index) => 258 + index))],
    ...names.flatMap((name) => [Buffer.from([name.length]), Buffer.from(name)]),
  ]);
const trueType = (maps: readonly CharacterMap[], names?: Buffer) =>
  sfnt({ maps, change: (tables) => names && tables.set("post", names) });

const one = { 49: 1 };
const right = posted(".notdef", "one", "nine", "seven");
const ofSymbols: CharacterMap = [3, 0, { 61489: 1 }];
const named = (names: string, base = "/BaseEncoding/WinAnsiEncoding") => `/Encoding<<${base}/Differences[${names}]>>`;
/** Without a glyph for the code 49, and without a sign for that, beside names in a form. */
const lacking = (form: number) =>
  sfnt({
    maps: [[3, 1, { 50: 1 }]],
    change: (tables) => {
      tables.get("loca")?.writeUInt32BE(0, 4);
      tables.get("post")?.writeUInt32BE(form);
    },
  });
const inTrueType = (entries: string, flags = 32): FontUse => ({
  ...{ subtype: "TrueType", entry: "FontFile2", flags, entries },
});
const inType1 = (entries: string, flags = 32): FontUse => ({ subtype: "Type1", entry: "FontFile", flags, entries });
const inCff = (entries: string, flags = 32): FontUse => ({ ...inType1(entries, flags), entry: "FontFile3" });
const windows = "/Encoding/WinAnsiEncoding";
const mac = "/Encoding/MacRomanEncoding";
const standard = "/Encoding/StandardEncoding";
const list = "/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for\n";
const ofNine = type1({ encoding: `${list}dup 49 /nine put\nreadonly def` });

test.each<[string, Buffer, FontUse]>([
  ["by the name of a character that the program lacks", trueType([[3, 1, one]]), inTrueType(named("49/nine"))],
  [
    "by the name of a character that only one map has",
    trueType([
      [1, 0, { 49: 1, 57: 2 }],
      [3, 1, one],
    ]),
    inTrueType(named("49/nine")),
  ],
  [
    "by a name, where it does not say whether it is of symbols",
    trueType([[3, 1, one]]),
    inTrueType(named("49/one", ""), 0),
  ],
  ["by a name of no character", trueType([[3, 1, one]]), inTrueType(named("49/foo"))],
  [
    "by a name of two glyphs",
    trueType([[3, 1, one]], posted(".notdef", "foo", "foo")),
    { ...inTrueType(named("50/foo")), text: "(2)" },
  ],
  [
    "by the beginning of another name",
    trueType([[3, 1, one]], posted(".notdef", "foo\0x", "foo")),
    { ...inTrueType(named("50/foo")), text: "(2)" },
  ],
  ["by a name of two glyphs alone", trueType([], posted(".notdef", "one", "one")), inTrueType(windows)],
  ...[0x10000, 0x28000, 0x40000].map((form): [string, Buffer, FontUse] => [
    `that the program lacks, with names in form ${form / 0x10000}`,
    lacking(form),
    inTrueType(windows),
  ]),
  ["as a space", trueType([[3, 1, one]]), inTrueType(named("49/space"))],
  ["as nothing", trueType([[1, 0, one]]), inTrueType(named("49/.notdef"))],
  ["by the number of a character that the program lacks", trueType([[3, 1, one]]), inTrueType(named("49/uni0039"))],
  [
    "by another name, of characters and of symbols",
    trueType([[3, 1, { 49: 1, 57: 2 }]]),
    inTrueType(named("49/nine"), 36),
  ],
  [
    "by a name that is another glyph's beside its map",
    trueType([[1, 0, one]], posted(".notdef", "nine", "one")),
    inTrueType(windows),
  ],
  ["by another glyph's name, in a map of Unicode", trueType([[0, 3, { 49: 2 }]], right), inTrueType(windows)],
  [
    "that a map of symbols lacks",
    trueType([
      [0, 3, one],
      [3, 0, { 50: 1 }],
    ]),
    inTrueType(windows),
  ],
  [
    "that a map of symbols has in another place",
    trueType([
      [3, 1, one],
      [3, 0, { 62001: 2 }],
    ]),
    inTrueType(""),
  ],
  ["by a map of Unicode of 2005", trueType([[0, 4, one]]), inTrueType(windows)],
  ["by a map of Japanese", trueType([[1, 1, one]]), inTrueType(windows)],
  ["by a list that there is not, without maps", trueType([], right), inTrueType("/Encoding/Foo")],
  ["without flags, by names alone", trueType([], right), inTrueType(named("49/nine"), 0)],
  ["that the program has no glyph for", trueType([[3, 1, { 50: 1 }]]), inTrueType(windows)],
  ["as nothing in Type 1", type1(), inType1(named("49/.notdef"))],
  ["by the standard list, where the program has another", ofNine, inType1(standard)],
  ["by a list that there is not, where the program has its own", ofNine, inType1("/Encoding/Foo")],
  ["by an empty list, where the program has its own", ofNine, inType1("/Encoding<<>>")],
  ["by the standard list in symbols that have another", ofNine, inType1(standard, 4)],
  [
    "whose glyph the program calls otherwise",
    type1({ names: [".notdef", "foo"], encoding: `${list}dup 49 /foo put\nreadonly def` }),
    inType1(windows),
  ],
  ["that CFF has no glyph for", cff([66, 26, 24]), inCff("", 4)],
  ["of a space that a map lacks", trueType([[3, 1, one]]), { ...inTrueType(windows), text: "(1 1)" }],
  ["beyond ASCII that a map lacks", trueType([[3, 1, one]]), { ...inTrueType(windows), text: "(1\\351)" }],
  ["of two bytes that a map lacks", trueType([[3, 1, one]]), { ...inTrueType(windows), text: "(1\\200)" }],
  ["of a control that a map lacks", trueType([[3, 1, one]]), { ...inTrueType(windows), text: "(1\\001)" }],
  ["without a list, of a space that a map lacks", trueType([[1, 0, one]]), { ...inTrueType("", 4), text: "(1 1)" }],
  [
    "by the name of a letter that a map lacks",
    trueType([[3, 1, one]]),
    { ...inTrueType(named("233/eacute")), text: "(1\\351)" },
  ],
  [
    "named as a space that a map lacks",
    trueType([[3, 1, one]]),
    { ...inTrueType(named("200/space")), text: "(1\\310)" },
  ],
  ["named as nothing", trueType([[3, 1, one]]), { ...inTrueType(named("200/.notdef")), text: "(1\\310)" }],
  [
    "named as a space that a map lacks, with a glyph of its own",
    trueType([[3, 1, { 49: 1, 200: 2 }]]),
    { ...inTrueType(named("200/space")), text: "(1\\310)" },
  ],
  ["of a space that CFF lacks", cff(), { ...inCff(windows), text: "(1 1)" }],
  ["of a space that Type 1 lacks", type1(), { ...inType1(windows), text: "(1 1)" }],
  ["of a control that Type 1 lacks", type1(), { ...inType1(windows), text: "(1\\001)" }],
  ["beyond ASCII that Type 1 lacks", type1(), { ...inType1("", 4), text: "(1\\351)" }],
  ["beyond ASCII that CFF lacks by the standard list", cff(), { ...inCff(standard, 4), text: "(1\\351)" }],
  ["by the number of a character that CFF lacks", cff([66, 26, 24]), inCff(named("49/uni0039"))],
])("text is refused in a code %s: readers take another glyph for it, or none", async (_, program, use) => {
  await expect(admit(pdfWithFont(program, use))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Buffer, FontUse]>([
  [
    "by a name that each map has",
    trueType([
      [1, 0, { 57: 2 }],
      [3, 1, { 57: 2 }],
    ]),
    inTrueType(named("49/nine")),
  ],
  ["by the number of a character", trueType([[3, 1, { 57: 2 }]]), inTrueType(named("49/uni0039"))],
  ["by a name of its own beside its map", trueType([[3, 1, one]], right), inTrueType(windows)],
  ["by names alone", trueType([], right), inTrueType(windows)],
  ["by a map of symbols", trueType([ofSymbols]), inTrueType("", 4)],
  [
    "by a name of its own",
    trueType([[3, 1, one]], posted(".notdef", "foo", "bar")),
    { ...inTrueType(named("50/foo")), text: "(2)" },
  ],
  ["beside another that has no glyph", trueType([[3, 1, one]]), inTrueType(named("50/foo 51/nine"))],
  ["by the program's own list", ofNine, inType1("", 4)],
  ["by names that the program has, whatever its own list", ofNine, inType1(named("49/one", ""))],
  [
    "that there is no glyph for, of which no sign is seen",
    sfnt({ maps: [[3, 1, { 50: 1 }]], change: (tables) => tables.get("loca")?.writeUInt32BE(0, 4) }),
    inTrueType(windows),
  ],
  ["in CFF", cff(), inCff(windows)],
  [
    "as a space that CFF lacks, without a sign",
    cff(undefined, { hasBlankSign: true }),
    { ...inCff(windows), text: "( 1)" },
  ],
  [
    "as a space that Type 1 lacks, without a sign",
    type1({ hasBlankSign: true }),
    { ...inType1(windows), text: "( 1)" },
  ],
  [
    "named as a space that a map has",
    trueType([[3, 1, { 32: 3, 49: 1, 200: 2 }]]),
    { ...inTrueType(named("200/space")), text: "(1\\310)" },
  ],
  ["beyond ASCII that a map has", trueType([[3, 1, { 49: 1, 233: 2 }]]), { ...inTrueType(windows), text: "(1\\351)" }],
  [
    "of the Macintosh, that its map has",
    trueType([[1, 0, { 49: 1, 142: 2 }]]),
    { ...inTrueType(mac), text: "(1\\216)" },
  ],
  ["of the Macintosh, by Unicode", trueType([[3, 1, { 49: 1, 233: 2 }]]), { ...inTrueType(mac), text: "(1\\216)" }],
  ["of two bytes that a map has", trueType([[3, 1, { 49: 1, 8364: 2 }]]), { ...inTrueType(windows), text: "(1\\200)" }],
  [
    "by the name of a letter",
    trueType([[3, 1, { 49: 1, 351: 2 }]]),
    { ...inTrueType(named("200/scedilla")), text: "(1\\310)" },
  ],
  ["of the standard encoding", cff([18, 26, 141]), { ...inCff(standard), text: "(1\\351)" }],
  ["as an apostrophe, whose name is beyond those of ASCII", cff([104, 26, 24]), { ...inCff(windows), text: "(')" }],
])("text stays in a code %s", async (_, program, use) => {
  expect((await admit(pdfWithFont(program, use))).bytes).toBeNull();
});

test.each([
  ["by a map to a collection that it is not of", { encoding: "/UniJIS-UCS2-H" }],
  ["by a list of no glyphs", { glyphs: "" }],
])("a font of many characters that takes them %s is refused", async (_, use) => {
  await expect(admit(pdfWithMappedFont(use))).rejects.toMatchObject({ reason: "shown_otherwise" });
});
