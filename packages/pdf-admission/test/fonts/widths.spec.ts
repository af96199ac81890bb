import { openDocument } from "@rubrica/pdf-reading/open";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { cff, pdfWithFont } from "@rubrica/test-kit/pdf/font-programs";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const simple = (entries: string) =>
  `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 48/LastChar 49${entries}>>`;
const ofCharacters = (entries: string) =>
  "<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2" +
  "/BaseFont/Own/CIDToGIDMap/Identity/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 0>>" +
  `/FontDescriptor<</Type/FontDescriptor/FontName/Own/Flags 32>>${entries}>>]>>`;
const drawn =
  "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/CharProcs<</a 7 0 R/b 7 0 R>>/FirstChar 48/LastChar 49" +
  "/Encoding<</Differences[48/a/b]>>/Widths[-9 90000]>>";
const nameless = (entries: string) => `<</Type/Font/Subtype/Type1/BaseFont/Monaco${entries}>>`;
const withFont = (font: string) =>
  pdf({ pages: [{ content: "BT /T 9 Tf (01) Tj ET", fonts: "/T 6 0 R" }], objects: [font, streamOf("9 0 d0")] });

test.each([
  ["of nothing and more", simple("/Widths[0 4000]")],
  ["of characters, in a list and in a row", ofCharacters("/DW 1000/W[3[0 600]9 20 4000]")],
  ["of drawn glyphs, in their own units", drawn],
  ["that are fewer than codes, of which the rest has none", simple("/Widths[500]")],
  ["of characters, said twice and alike", ofCharacters("/W[3[600]0 9 600]")],
])("widths %s stay", async (_, font) => {
  expect((await admit(withFont(font))).bytes).toBeNull();
});

test.each([
  ["below zero: some readers go back, others stay", simple("/Widths[500 -500]")],
  ["beyond what 16 bits hold", simple("/Widths[500 66036]")],
  ["that are none", simple("/Widths[500/x]")],
  ["of a font whose name is a text", simple("/Widths[500 500]").replace("/Helvetica", "(Symbol)")],
  ["of a font whose name is empty", simple("/Widths[500 500]").replace("/Helvetica", "/")],
  ["of a font whose descriptor is a list", simple("/Widths[500 500]/FontDescriptor[9]")],
  ["of what has none of its own", simple("/Widths[500 500]/FontDescriptor<</MissingWidth -1>>")],
  ["of characters that have none of their own", ofCharacters("/DW -500")],
  ["that stand for others, with a point", ofCharacters("/DW 500.5")],
  ["in a list", ofCharacters("/W[3[600 -600]]")],
  ["in a row", ofCharacters("/W[3[600]9 20 -600]")],
  ["in a row that is cut", ofCharacters("/W[9 20]")],
  [
    "of a character in a list and in a row: some readers take the first, others the last",
    ofCharacters("/W[3[600]0 9 20]"),
  ],
  ["of characters that there are not", ofCharacters("/W[65539[600]]")],
  ["that stand for others and are none", ofCharacters("/DW/x")],
  ["downwards that stand for others and are one number", ofCharacters("/DW2[500]")],
  ["downwards that are two of one character", ofCharacters("/W2[1 2 -600 500 500 2[-1000 0 500]]")],
  ["downwards that are too few", ofCharacters("/W2[1[-600 500 500 -600]]")],
  ["downwards that end early", ofCharacters("/W2[1 2 -600]")],
  ["of codes that end before they begin", simple("/Widths[500 500]").replace("FirstChar 48", "FirstChar 50")],
  ["of codes beyond 255", simple("/Widths[500 500]").replace("LastChar 49", "LastChar 300")],
  ["of codes that do not end", simple("/Widths[500 500]").replace("/LastChar 49", "")],
  [
    "of a part of Courier: some readers have one for all of it",
    simple("/Widths[600 600]").replace("Helvetica", "Courier"),
  ],
])("widths %s are refused", async (_, font) => {
  await expect(admit(withFont(font))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

/** What the font of a file says once it is accepted. */
const acceptedFont = async (font: string): Promise<string> => {
  const { bytes } = await admit(withFont(font));
  return (
    (await openDocument(bytes ?? withFont(font))).file.uncached(6)?.object.toString().replaceAll(/\s+/g, " ") ?? ""
  );
};

test.each([
  ["beyond their codes go", simple("/Widths[500 600 700]"), "/Widths [ 500 600 ]"],
  [
    "of codes that have none are said by themselves",
    simple("/Widths[500]/FontDescriptor<</MissingWidth 900>>"),
    "/Widths [ 500 900 ]",
  ],
  ["in no list go, where all readers know them", simple("/Widths 9"), "/LastChar 49 >>"],
  ["that nobody knows are those of a font that all readers have", nameless(""), "/BaseFont /Helvetica >>"],
])("widths %s", async (_, font, expected) => {
  expect(await acceptedFont(font)).toContain(expected);
});

test("a font of symbols goes by its own codes for all readers", async () => {
  const marks = "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats/Encoding/WinAnsiEncoding>>";
  expect(await acceptedFont(marks)).not.toContain("Encoding");
  expect((await admit(withFont(marks.replace("/Encoding/WinAnsiEncoding", "")))).bytes).toBeNull();
});

test("a font that is brought along and says nothing of its widths is refused", async () => {
  const own = (entries: string) =>
    pdfWithFont(cff(), { subtype: "Type1", entry: "FontFile3", entries: `/Encoding/WinAnsiEncoding${entries}` });
  expect((await admit(own(""))).bytes).toBeNull();
  const unsaid = Buffer.from(
    Buffer.from(own("")).toString("latin1").replace("/Widths[1000]", "/Breadth[100]"),
    "latin1",
  );
  await expect(admit(unsaid)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("widths downwards that are said of each character once stay", async () => {
  const font = ofCharacters("/DW2[880 -1000]/W2[1[-600 500 500 -700 500 500]3 9 -600 500 500 4 5 -600 500 500]");
  expect((await admit(withFont(font))).bytes).toBeNull();
});

test("a character's number with a point, which one reader takes for none, is written without", async () => {
  const { bytes } = await admit(withFont(ofCharacters("/W[3.0[500]]")));
  expect(Buffer.from(bytes ?? []).toString("latin1")).toContain("/W [ 3 [ 500 ] ]");
});
