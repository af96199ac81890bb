import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { expect, test } from "vitest";
import { admit } from "../../../src/admission/admit.ts";

const simple = (entries: string) =>
  `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 48/LastChar 49${entries}>>`;
const ofCharacters = (entries: string) =>
  "<</Type/Font/Subtype/Type0/BaseFont/Arial/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2" +
  "/BaseFont/Arial/CIDToGIDMap/Identity/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>" +
  `/FontDescriptor<</Type/FontDescriptor/FontName/Arial/Flags 32>>${entries}>>]>>`;
const drawn =
  "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/CharProcs<<>>/FirstChar 48/LastChar 49" +
  "/Encoding<</Differences[48/a/b]>>/Widths[-9 90000]>>";
const withFont = (font: string) =>
  pdf({ pages: [{ content: "BT /T 9 Tf (01) Tj ET", fonts: "/T 6 0 R" }], objects: [font] });

test.each([
  ["of nothing and more", simple("/Widths[0 4000]")],
  ["of characters, in a list and in a row", ofCharacters("/DW 1000/W[3[0 600]9 20 4000]")],
  ["of drawn glyphs, in their own units", drawn],
])("widths %s stay", async (_, font) => {
  expect((await admit(withFont(font))).bytes).toBeNull();
});

test.each([
  ["below zero: some readers go back, others stay", simple("/Widths[500 -500]")],
  ["beyond what 16 bits hold", simple("/Widths[500 66036]")],
  ["that are none", simple("/Widths[500/x]")],
  ["of what has none of its own", simple("/Widths[500 500]/FontDescriptor<</MissingWidth -1>>")],
  ["of characters that have none of their own", ofCharacters("/DW -500")],
  ["in a list", ofCharacters("/W[3[600 -600]]")],
  ["in a row", ofCharacters("/W[3[600]9 20 -600]")],
  ["in a row that is cut", ofCharacters("/W[9 20]")],
])("widths %s are refused", async (_, font) => {
  await expect(admit(withFont(font))).rejects.toMatchObject({ reason: "shown_otherwise" });
});
