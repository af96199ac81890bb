import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { type FixtureOptions, firstFurtherObject, pdf } from "@rubrica/test-kit/pdf/fixtures";
import {
  type CharacterMap,
  cff,
  type FontUse,
  pdfWithFont,
  pdfWithMappedFont,
  sfnt,
  type1,
} from "@rubrica/test-kit/pdf/font-programs";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();
const next = firstFurtherObject(1);

/** A font that the file does not bring along. */
const borrowed = (font: string, names: readonly string[]): FixtureOptions => ({
  catalog: `/Fonts ${next} 0 R`,
  objects: [`<</Type/Font/Subtype/Type1/BaseFont/${font}/Encoding<</Differences[49${names.join("")}]>>>>`],
});
const named = (...names: string[]) => borrowed("Helvetica", names);
/** One whose program begins so. */
const embedded = (program: string): FixtureOptions => ({
  catalog: `/Fonts ${next} 0 R`,
  objects: [
    `<</Type/Font/Subtype/Type1/BaseFont/Own/FirstChar 49/LastChar 49/Widths[1000]/Encoding<</Differences[49/g57]>>/FontDescriptor<</FontFile ${next + 1} 0 R>>>>`,
    streamOf(program),
  ],
});
const symbols = (...names: string[]) => borrowed("Symbol", names);

test.each<[string, FixtureOptions]>([
  ["the digits of a name", named("/one", "/uni0039")],
  ["a variant", named("/nine.alt")],
  ["the number of a glyph", named("/g57")],
  ["a name of a figure in other letters", named("/one", "/Nine")],
  ["a name that they do not know", named("/figure")],
  ["a name of nothing", named("/")],
  ["a listed name of what not all fonts have", named("/one", "/H18533")],
  ["a name of the form of those that are listed", named("/one", "/H99999")],
  ["a letter with a mark that it never has", named("/qcaron")],
  ["a letter with a mark that not all fonts have", named("/Idotaccent")],
  ["the number of a glyph, whose program is none", embedded("none")],
])("a font of another that some readers take characters from by %s is refused, signed or not", async (_, options) => {
  await expect(admit(pdf(options))).rejects.toMatchObject({ reason: "shown_otherwise" });
  const { bytes } = await engine.seal(pdf(options), { identity, sealedAt: systemClock.now() });
  await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, FixtureOptions]>([
  ["names of characters that all fonts have", named("/one", "/.notdef", "/Euro")],
  ["names with marks", named("/eacute", "/Zcaron", "/onehalf")],
  [
    "unknown names for codes of no figures",
    borrowed("Helvetica", ["/a", ...Array.from({ length: 9 }, () => "/one"), "/Own"]),
  ],
  ["names of its own symbols", symbols("/sigma1", "/theta1")],
  [
    "the number of a glyph in its own program",
    embedded(type1({ names: [".notdef", "g57", "nine", "seven"] }).toString("latin1")),
  ],
])("a font of another with %s stays", async (_, options) => {
  expect((await admit(pdf(options))).bytes).toBeNull();
});

/** A font of characters that the file does not bring along. */
const ofNumbers = (map: string, collection: string, more = "", [open, close] = ["[", "]"]): FixtureOptions => ({
  catalog: `/Fonts ${next} 0 R`,
  objects: [
    `<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/${map}/DescendantFonts${open}<</Type/Font/Subtype/CIDFontType2` +
      `/BaseFont/Own/DW 600${collection}/FontDescriptor<</Type/FontDescriptor/FontName/Own/Flags 32>>>>${more}${close}>>`,
  ],
});
/** The same, called otherwise, or with further entries. */
const calledSo = (from: string, to: string): FixtureOptions => {
  const { objects = [], ...options } = ofNumbers("UniJIS-UCS2-H", collection("Japan1"));
  return { ...options, objects: [...objects.map((object) => object.replace(from, to)), streamOf("")] };
};
const collection = (ordering: string) => `/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 0>>`;

test.each<[string, FixtureOptions]>([
  ["the numbers of glyphs", ofNumbers("Identity-H", collection("Identity"))],
  ["numbers of no collection", ofNumbers("Identity-V", "")],
  ["a map to another collection", ofNumbers("UniGB-UCS2-H", collection("Japan1"))],
  ["a map that no reader has", ofNumbers("UniJIS-Own-H", collection("Japan1"))],
  ["a collection of another registry", ofNumbers("UniJIS-UCS2-H", collection("Japan1").replace("Adobe", "Own"))],
  ["two fonts", ofNumbers("UniJIS-UCS2-H", collection("Japan1"), "<<>>")],
  ["a font in no list", ofNumbers("UniJIS-UCS2-H", collection("Japan1"), "", ["", ""])],
  ["a map to glyphs", ofNumbers("90ms-RKSJ-H", collection("Identity"))],
  ["their numbers, called as one of letters", calledSo("/BaseFont/Own/Encoding", "/BaseFont/Arial/Encoding")],
  ["their numbers, called so in its descendant", calledSo("/BaseFont/Own/DW", "/BaseFont/Times#20New#20Roman,Bold/DW")],
  ["their numbers, called so in its descriptor", calledSo("/FontName/Own", "/FontName/ABCDEF+Calibri")],
  ["a list of glyphs of its own", calledSo("/DW 600", `/DW 600/CIDToGIDMap ${next + 1} 0 R`)],
])(
  "a font of another with characters by %s is refused, signed or not: each reader shows its own",
  async (_, options) => {
    await expect(admit(pdf(options))).rejects.toMatchObject({ reason: "shown_otherwise" });
    const { bytes } = await engine.seal(pdf(options), { identity, sealedAt: systemClock.now() });
    await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test("a font of another by characters' numbers loses what else says which these are, and is refused where signed", async () => {
  const options = calledSo("/Encoding", `/ToUnicode ${next + 1} 0 R/Encoding`);
  const { bytes } = await admit(pdf(options));
  expect(bytes).not.toBeNull();
  expect(Buffer.from(bytes ?? []).toString("latin1")).not.toContain("ToUnicode");
  const { bytes: sealed } = await engine.seal(pdf(options), { identity, sealedAt: systemClock.now() });
  await expect(admit(sealed)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

/** All maps that readers have (ISO 32000-2, table 116), by their collection. */
const maps: Readonly<Record<string, string>> = {
  GB1:
    "GB-EUC-H GB-EUC-V GBpc-EUC-H GBpc-EUC-V GBK-EUC-H GBK-EUC-V GBKp-EUC-H GBKp-EUC-V GBK2K-H GBK2K-V UniGB-UCS2-H " +
    "UniGB-UCS2-V UniGB-UTF16-H UniGB-UTF16-V",
  CNS1:
    "B5pc-H B5pc-V HKscs-B5-H HKscs-B5-V ETen-B5-H ETen-B5-V ETenms-B5-H ETenms-B5-V CNS-EUC-H CNS-EUC-V UniCNS-UCS2-H " +
    "UniCNS-UCS2-V UniCNS-UTF16-H UniCNS-UTF16-V",
  Japan1:
    "Identity-H Identity-V 83pv-RKSJ-H 90ms-RKSJ-H 90ms-RKSJ-V 90msp-RKSJ-H 90msp-RKSJ-V 90pv-RKSJ-H Add-RKSJ-H " +
    "Add-RKSJ-V EUC-H EUC-V Ext-RKSJ-H Ext-RKSJ-V H V UniJIS-UCS2-H UniJIS-UCS2-V UniJIS-UCS2-HW-H UniJIS-UCS2-HW-V " +
    "UniJIS-UTF16-H UniJIS-UTF16-V",
  Korea1:
    "KSC-EUC-H KSC-EUC-V KSCms-UHC-H KSCms-UHC-V KSCms-UHC-HW-H KSCms-UHC-HW-V KSCpc-EUC-H UniKS-UCS2-H UniKS-UCS2-V " +
    "UniKS-UTF16-H UniKS-UTF16-V",
};
const all = Object.entries(maps).flatMap(([ordering, names]) =>
  names.split(" ").map((name) => [name, ordering] as const),
);

test("a font of another with characters by each map that all readers have stays", async () => {
  for (const [map, ordering] of all)
    expect((await admit(pdf(ofNumbers(map, collection(ordering))))).bytes, map).toBeNull();
});

test("a font with characters by a map that pdf.js has, and PDFium and MuPDF have not, is refused", async () => {
  const folder = join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "cmaps");
  const names = readdirSync(folder).flatMap((name) =>
    name.endsWith(".bcmap") ? [name.slice(0, -".bcmap".length)] : [],
  );
  const further = names.filter((name) => !all.some(([map]) => map === name));
  expect(further).toContain("UniJIS2004-UTF16-H");
  expect(names.length - further.length).toBe(all.length - ["Identity-H", "Identity-V"].length);
  for (const map of further)
    await expect(admit(pdf(ofNumbers(map, collection("Japan1")))), map).rejects.toMatchObject({
      reason: "shown_otherwise",
    });
});

const trueType: FontUse = { subtype: "TrueType", entry: "FontFile2" };
const type1Use: FontUse = { subtype: "Type1", entry: "FontFile" };
const cffUse: FontUse = { subtype: "Type1", entry: "FontFile3" };
const [plain, text] = [sfnt({ maps: [[3, 1, { 49: 1, 57: 2 }]] }), type1()];
const differences = (list: string) => `/Encoding<</Differences[${list}]>>`;
const shownOtherwise = { reason: "shown_otherwise" };

test.each<[string, Uint8Array]>([
  ["a name that is none of TrueType's", pdfWithFont(plain, { ...trueType, entries: differences("49/g2") })],
  ["names for codes that are symbols", pdfWithFont(plain, { ...trueType, flags: 4, entries: differences("49/nine") })],
  ["a name of a figure that its program lacks", pdfWithFont(text, { ...type1Use, entries: differences("49/eight") })],
  ["a number that its program lacks", pdfWithFont(cff(), { ...cffUse, entries: differences("49/uni0039") })],
  ["no character for a figure", pdfWithFont(cff(), { ...cffUse, entries: differences("49/.notdef") })],
  ["names for experts", pdfWithFont(plain, { ...trueType, entries: "/Encoding/MacExpertEncoding" })],
  ["a code that is no whole number", pdfWithFont(text, { ...type1Use, entries: differences("49.6/nine") })],
  ["something that is no name", pdfWithFont(text, { ...type1Use, entries: differences("49(x)/nine") })],
  ["names of others for Dingbats", pdf(borrowed("ZapfDingbats", ["/nine"]))],
  [
    "no encoding of glyphs that are drawn",
    pdf({ catalog: `/F ${next} 0 R`, objects: ["<</Type/Font/Subtype/Type3/CharProcs<<>>>>"] }),
  ],
])("a font with %s is refused", async (_, file) => {
  await expect(admit(file)).rejects.toMatchObject(shownOtherwise);
});

const space = "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n";
const row = "1 begincidrange\n<0031> <0031> 1\nendcidrange";

test.each<[string, string, string?]>([
  ["no codes", row],
  ["codes beyond those that there are", `${space.replace("ffff", "0030")}${row}`],
  ["codes that are written with blanks", `${space}${row.replace("<0031>", "<00 31>")}`],
  ["a vertical tab for a blank", `${space}${row.replace("> 1\n", "> 1\v\n")}`],
  ["a vertical tab between its words", `${space}${row.replace("1 begin", "1\vbegin")}`],
  ["a blank of other languages", `${space}${row.replace("> 1\n", "> 1\xa0\n")}`],
  ["a NUL in a name", `/Own\0 1 def\n${space}${row}`],
  ["characters that are no whole numbers", `${space}${row.replace(" 1\n", " 1.0\n")}`],
  ["rows that are for the text", `${space}${row.replaceAll("cid", "bf").replace(" 1\n", " <0001>\n")}`],
  ["another map that it uses", `/Identity-H usecmap\n${space}${row}`],
  ["codes of three bytes", `${space}${row}`.replaceAll(/<(....)>/g, "<00$1>")],
  ["characters beyond those that there are", `${space}${row.replace("> 1\n", "> 65536\n")}`],
  ["rows of characters beyond those", `${space}1 begincidrange\n<0000> <00ff> 65535\nendcidrange`],
  ["rows behind its end", `${space}${row}\nendcmap\n${row.replace("> 1\n", "> 2\n")}`],
  ["another direction than its dictionary's", `/WMode 1 def\n${space}${row}`, "/WMode 0"],
  ["no direction, where its dictionary has one", `${space}${row}`, "/WMode 1"],
  ["two directions", `/WMode 0 def\n/WMode 1 def\n${space}${row}`],
  ["codes of one byte with which others of two begin", `${space.replace("<ffff>\n", "<ffff> <20> <20>\n")}${row}`],
  ["another map by its dictionary", `${space}${row}`, "/UseCMap/Identity-H"],
  ["a word that some readers take for its end", `endcmap2\n${space}${row}`],
  ["a name that is written by numbers", `/#57Mode 1 def\n${space}${row}`],
  ["a direction that is no whole number", `/WMode 1. def\n${space}${row}`],
  ["a direction without a word behind it", `/WMode 1def\n${space}${row}`],
  ["the name of one of pdf.js's own that runs downwards", `/CMapName /Identity-V def\n${space}${row}`],
  [
    "codes of one byte, and others whose second one is of some only",
    `${space.replace("<0000> <ffff>\n", "<0000> <1931> <20> <20>\n")}${row}`,
  ],
  ["nothing", ""],
])("a map of codes with %s is refused", async (_, map, entries) => {
  await expect(admit(pdfWithMappedFont({ map, entries }))).rejects.toMatchObject(shownOtherwise);
});

test.each([
  ["49/one/nine", text],
  ["49/one/nine", cff()],
  ["65/germandbls/eight/.notdef", text],
  ["49/nine", text],
])("a font with the names %s, which its program has or nothing else stands for, stays", async (list, program) => {
  const use = program === text ? type1Use : cffUse;
  expect((await admit(pdfWithFont(program, { ...use, entries: differences(list) }))).bytes).toBeNull();
});

test("a map of codes in plain rows stays, and so does a list of glyphs, also one of some", async () => {
  const glyphs = "\0\0\0\x02\0\x01\0\x03";
  const [direction, entries] = ["/WMode 1 def", "/WMode 1"];
  const ofTwoLengths = space.replace("<0000> <ffff>\n", "<0000> <19ff> <20> <20>\n");
  const downwards = { map: `${direction}\n${space}${row}`, entries };
  for (const use of [
    { map: `%%EndComments\n${space}${row}` },
    {
      map: `/CMapName /Identity-H def\n/CIDSystemInfo <</Registry (Adobe)>> def\n/XUID [1 10 -2.5] def\n${space}${row}`,
    },
    { map: ofTwoLengths + row },
    downwards,
    { glyphs },
    { glyphs: "\0\0\0\x02" },
  ]) {
    expect((await admit(pdfWithMappedFont(use))).bytes).toBeNull();
  }
});

test.each<[string, Parameters<typeof pdfWithMappedFont>[0]]>([
  ["a map that nobody has", { encoding: "/WinAnsiEncoding" }],
  ["a list of glyphs that ends within one", { glyphs: "\0\0\0" }],
  ["a list of glyphs that is for TrueType", { glyphs: "\0\0\0\x02\0\x01\0\x03", program: cff() }],
])("a font of many characters with %s is refused", async (_, use) => {
  await expect(admit(pdfWithMappedFont(use))).rejects.toMatchObject(shownOtherwise);
});

test.each<[string, readonly CharacterMap[], boolean]>([
  [
    "of the Macintosh that a map of symbols has not",
    [
      [1, 0, { 49: 1 }],
      [3, 0, { 61489: 1, 61669: 2 }],
    ],
    false,
  ],
  ["before those of characters", [[3, 0, { 61489: 1, 61441: 2 }]], false],
  [
    "of characters alone",
    [
      [1, 0, { 49: 1, 229: 2 }],
      [3, 0, { 61489: 1, 61669: 2 }],
    ],
    true,
  ],
  ["that are not seen before those of characters", [[1, 0, { 0: 2, 13: 2, 49: 1 }]], true],
])("a font of symbols with codes %s goes by an encoding or by none", async (_, maps, isKept) => {
  const use = { subtype: "TrueType", entry: "FontFile2", entries: "/Encoding/MacRomanEncoding", flags: 4 };
  const { bytes } = await admit(pdfWithFont(sfnt({ maps }), use));
  expect(bytes === null).toBe(isKept);
  if (bytes !== null) expect(Buffer.from(bytes).toString("latin1")).not.toContain("MacRoman");
});
