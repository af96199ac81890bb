import { cff, type FontUse, pdfWithFont, sfnt, sfntOf, type1 } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { cidCff } from "./cid-cff.ts";

/** A program with a good head, and nothing of sense after it. */
const garbled = (program: Buffer, kept: number) =>
  Buffer.concat([program.subarray(0, kept), Buffer.alloc(program.length - kept, 0xa5)]);
const without = (table: string) => sfnt({ change: (tables) => tables.delete(table) });
const twice = (table: string) => sfnt({ change: (tables) => tables.set(`${table}x`, tables.get(table) as Buffer) });
const withByte = (program: Buffer, at: number, byte: number) => {
  program[at] = byte;
  return program;
};
const openType = (start = "OTTO", unitsPerEm = 1000, outlines = cff()) => {
  const tables = new Map<string, Buffer>();
  sfnt({
    change: (all) => {
      for (const [name, table] of all) tables.set(name, table);
    },
  });
  for (const name of ["glyf", "loca"]) tables.delete(name);
  tables.get("head")?.writeUInt16BE(unitsPerEm, 18);
  return sfntOf(tables.set("CFF ", outlines), Buffer.from(start, "latin1"));
};

/** Of the code 49 alone, whose glyph is 1; readers but pdf.js add what the row says to it. */
const mapInForm2 = (added: number): Buffer => {
  const map = Buffer.alloc(6 + 512 + 8 + 512);
  for (const [at, value] of [256, added, 2].entries()) map.writeUInt16BE(value, 520 + at * 2);
  map.writeUInt16BE(2, 0);
  map.writeUInt16BE(map.length, 2);
  map.writeUInt16BE(1, 526 + 49 * 2);
  const head = Buffer.from([0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12]);
  return sfnt({ change: (tables) => tables.set("cmap", Buffer.concat([head, map])) });
};
/** A program whose own map, of Windows, follows another one for a kind of Unicode. */
const withMap = (kind: number, other: Buffer): Buffer =>
  sfnt({
    change: (tables) => {
      const own = (tables.get("cmap") as Buffer).subarray(12);
      const heads = Buffer.from([0, 0, 0, 2, 0, 0, 0, kind, 0, 0, 0, 20, 0, 3, 0, 1, 0, 0, 0, 20 + other.length]);
      tables.set("cmap", Buffer.concat([heads, other, own]));
    },
  });
/** Of the code 49 alone, whose glyph is 2. */
const inForm13 = Buffer.from([0, 13, 0, 0, ...[28, 0, 1, 49, 49, 2].flatMap((value) => [0, 0, 0, value])]);
const variants = Buffer.from([0, 14, 0, 0, 0, 10, 0, 0, 0, 0]);

const ofSymbols = [3, 0, { 61489: 1 }] as const;
/** Its list says that they are beyond the end. */
const ownRoutines = Buffer.concat([cff().subarray(0, -2), Buffer.from([246, 19])]);

const encoding = "/Encoding/WinAnsiEncoding";
const trueType: FontUse = { subtype: "TrueType", entry: "FontFile2", entries: encoding };
const ofMany: FontUse = { subtype: "CIDFontType2", entry: "FontFile2" };
const compact: FontUse = { subtype: "Type1", entry: "FontFile3", entries: encoding };
const cidUse: FontUse = { subtype: "CIDFontType0", entry: "FontFile3" };
const text: FontUse = { subtype: "Type1", entry: "FontFile", entries: encoding };
const list = "/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for\n";
const ofNine = `${list}dup 49 /nine put\nreadonly def`;

test.each<[string, Buffer, FontUse]>([
  ["a directory of tables and no tables", garbled(sfnt(), 12), trueType],
  ["tables without sense", garbled(sfnt(), 140), trueType],
  ...["head", "hhea", "hmtx", "loca", "maxp", "glyf"].map((name): [string, Buffer, FontUse] => [
    `no table ${name}`,
    without(name),
    ofMany,
  ]),
  ["a table twice", twice("cmap"), trueType],
  ["half of it", sfnt().subarray(0, 300), ofMany],
  [
    "two fonts, of which one is another",
    Buffer.concat([Buffer.from("ttcf\0\x01\0\0\0\0\0\x02\0\0\0\x14\0\0\0\0"), sfnt()]),
    ofMany,
  ],
  [
    "maps that contradict each other",
    sfnt({
      maps: [
        [1, 0, { 49: 2 }],
        [3, 1, { 49: 1 }],
      ],
    }),
    trueType,
  ],
  [
    "a map of symbols that contradicts itself",
    sfnt({ maps: [[3, 0, { 49: 2, 61489: 1 }]] }),
    { ...trueType, flags: 4 },
  ],
  ["a map of symbols for characters", sfnt({ maps: [[3, 0, { 61489: 1 }]] }), trueType],
  ["a map that only some readers look into", sfnt({ maps: [[3, 10, { 49: 1 }]] }), trueType],
  ["no map and no names", without("cmap"), trueType],
  ["a map in a form that only some readers know", withMap(3, inForm13), trueType],
  ["a map of two bytes in which pdf.js finds others", mapInForm2(1), trueType],
  ...["COLR", "SVG ", "sbix", "CBDT", "CFF2"].map((table): [string, Buffer, FontUse] => [
    `glyphs that only some readers draw (${table})`,
    sfnt({ change: (tables) => tables.set(table, Buffer.alloc(12)) }),
    trueType,
  ]),
  ...[0, 1].map((order): [string, Buffer, FontUse] => [
    `a map of symbols for what ${order === 0 ? "the other one" : "a map of characters before it"} lacks`,
    sfnt({
      maps: order === 0 ? [ofSymbols, [1, 0, { 50: 1 }]] : [[3, 1, { 61489: 1 }], ofSymbols],
    }),
    { ...trueType, flags: 4 },
  ]),
  [
    "a large map that lacks what another one has",
    sfnt({
      maps: [
        [3, 1, { 49: 1 }],
        [3, 10, { 61489: 1 }],
      ],
    }),
    trueType,
  ],
  [
    "a map of Unicode and names in the Macintosh's order",
    sfnt({ maps: [[0, 3, { 49: 1 }]], change: (tables) => tables.get("post")?.writeUInt32BE(0x00010000) }),
    trueType,
  ],
  [
    "the same beside maps that pdf.js looks into for symbols alone",
    sfnt({
      maps: [
        [0, 3, { 49: 1 }],
        [3, 0, { 61489: 1 }],
        [3, 10, { 49: 1 }],
      ],
      change: (tables) => tables.get("post")?.writeUInt32BE(0xa5a5a5a5),
    }),
    trueType,
  ],
  ["CFF of characters by their numbers", cidCff(), compact],
  ["CFF with glyphs of its first kind", cff(undefined, { entries: Buffer.from([140, 12, 6]) }), compact],
  ["CFF of a font that is several", cff(undefined, { entries: Buffer.from([139, 12, 24]) }), compact],
  ["CFF of a font that is made of another", cff(undefined, { entries: Buffer.from([139, 12, 20]) }), compact],
  ["CFF whose name begins with a NUL", cff(undefined, { fonts: ["\0wn"] }), compact],
  ["CFF without a name", cff(undefined, { fonts: [""] }), compact],
  [
    "OpenType whose map has other glyphs, for symbols",
    openType("OTTO", 1000, cff([26, 18, 24])),
    { ...compact, entries: "", flags: 4 },
  ],
  ["CFF with two glyphs for a character", cidCff({ characters: [1, 1, 3] }), cidUse],
  ["CFF whose head tells of no size of offsets", withByte(cff(), 3, 0x8b), compact],
  ["CFF whose head is too short", withByte(cff(), 2, 3), compact],
  ["CFF with a box of two sides", cff(undefined, { entries: Buffer.from([139, 139, 5]) }), compact],
  ["CFF that is called by two strings", cff(undefined, { entries: Buffer.from([140, 140, 2]) }), compact],
  [
    "CFF that is called by a string that there is not",
    cff(undefined, { entries: Buffer.from([28, 2, 0, 2]) }),
    compact,
  ],
  ["CFF without sense", garbled(cff(), 20), compact],
  ["CFF whose own list ends without an operator", Buffer.concat([cff().subarray(0, -1), Buffer.from([139])]), compact],
  ["CFF whose own routines are none", ownRoutines, compact],
  ["CFF whose end is missing", cff().subarray(0, -60), compact],
  ["CFF whose glyphs are without sense", garbled(cff(), 70), compact],
  ["OpenType without the tables of OpenType", sfntOf(new Map([["CFF ", cff()]]), Buffer.from("OTTO")), compact],
  ["OpenType that begins as TrueType", openType("\0\x01\0\0"), compact],
  ["OpenType of other units than its outlines", openType("OTTO", 500), compact],
  ["OpenType of characters in another order", openType("OTTO", 1000, cidCff({ characters: [2, 1, 3] })), cidUse],
  ["TrueType that begins as OpenType", Buffer.concat([Buffer.from("OTTO"), sfnt().subarray(4)]), ofMany],
  ["Type 1 without sense", type1({ change: (hidden) => `${hidden.slice(0, 40)}${"x".repeat(300)}` }), text],
  ["Type 1 whose end is missing", type1().subarray(0, -250), text],
  [
    "Type 1 with two lists of glyphs",
    type1({ change: (hidden) => `${hidden}/CharStrings 1 dict dup begin end` }),
    text,
  ],
  ["Type 1 with two encodings", type1({ encoding: `${ofNine}\n/Encoding StandardEncoding def` }), text],
  ["Type 1 with an encoding in a comment", type1({ encoding: `% /Encoding StandardEncoding def\n${ofNine}` }), text],
  ["Type 1 with a code that is no plain number", type1({ encoding: ofNine.replace("49", "8#61") }), text],
  ["Type 1 in a TrueType font", type1(), trueType],
  ["Type 1 whose codes are its own, for characters", type1({ encoding: ofNine }), { ...text, entries: "" }],
  ["TrueType in a Type 1 font", sfnt(), compact],
  ["a second program", sfnt(), { ...trueType, descriptor: "/FontFile 6 0 R" }],
])("a font whose program is %s is refused: some readers take another in its place", async (_, program, use) => {
  await expect(admit(pdfWithFont(program, use))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Buffer, FontUse]>([
  ["TrueType", sfnt(), trueType],
  [
    "TrueType with the same in several maps",
    sfnt({
      maps: [
        [0, 3, { 49: 1 }],
        [1, 0, { 49: 1 }],
        [3, 1, { 49: 1 }],
      ],
    }),
    trueType,
  ],
  [
    "TrueType of symbols",
    sfnt({
      maps: [
        [1, 0, { 49: 1 }],
        [3, 0, { 61489: 1 }],
      ],
    }),
    { ...trueType, flags: 4 },
  ],
  ["TrueType for many characters, which needs no map", without("cmap"), ofMany],
  ["TrueType with a map of two bytes", mapInForm2(0), trueType],
  ["TrueType that says how characters are varied", withMap(5, variants), trueType],
  ["CFF", cff(), compact],
  [
    "CFF that is called by a string",
    cff(undefined, { entries: Buffer.from([28, 1, 135, 2]), strings: ["A"] }),
    compact,
  ],
  ["CFF of characters by their numbers, for these", cidCff({ characters: [2, 1, 3] }), cidUse],
  ["CFF whose name is of several words", cff(undefined, { fonts: ["Its Own"] }), compact],
  ["CFF with glyphs of its second kind", cff(undefined, { entries: Buffer.from([141, 12, 6]) }), compact],
  ["OpenType whose map has the same glyphs, for symbols", openType(), { ...compact, entries: "", flags: 4 }],
  ["OpenType whose map has other glyphs, by names", openType("OTTO", 1000, cff([26, 18, 24])), compact],
  ["OpenType", openType(), compact],
  ["OpenType of characters in their order", openType("OTTO", 1000, cidCff()), cidUse],
  ["Type 1", type1(), text],
  ["Type 1 whose codes are its own, for symbols", type1({ encoding: ofNine }), { ...text, entries: "", flags: 4 }],
  ["Type 1 whose codes are told", type1({ encoding: ofNine }), text],
  ["Type 1 by the standard encoding", type1({ encoding: "/Encoding StandardEncoding def" }), text],
  [
    "Type 1 as macOS writes it",
    type1({ encoding: `${list}dup 0 /one put\nreadonly def\n/Encoding StandardEncoding def` }),
    text,
  ],
])("a font whose program is sound stays: %s", async (_, program, use) => {
  expect((await admit(pdfWithFont(program, use))).bytes).toBeNull();
});

/** The same file with something else of the same length in one place. */
const changed = (bytes: Uint8Array, from: string, to: string): Uint8Array => {
  const text = Buffer.from(bytes).toString("latin1");
  expect([text.split(from).length, to.length]).toEqual([2, from.length]);
  return Buffer.from(text.replace(from, to), "latin1");
};

test.each([
  ["whose name is a number", "/FontName/Own", "/FontName 117"],
  ["whose name is a text", "/FontName/Own", "/FontName(On)"],
  ["of characters of a collection that is no text", "/Ordering(Identity)", "/Ordering/Identity "],
  ["of characters of a registry that is no text", "/Registry(Adobe)", "/Registry 123456"],
  ["of characters that say of no collection which they are", "/CIDSystemInfo", "/CIDSystemOdds"],
  ["of characters of a supplement that is no number", "/Supplement 0", "/Supplement/O"],
])("a font %s is refused: some readers take another in its place", async (_, from, to) => {
  const bytes = pdfWithFont(sfnt(), ofMany);
  expect((await admit(bytes)).bytes).toBeNull();
  await expect(admit(changed(bytes, from, to))).rejects.toMatchObject({ reason: "shown_otherwise" });
});
