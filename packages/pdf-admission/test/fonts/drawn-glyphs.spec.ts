import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const said = {
  FontMatrix: "[.001 0 0 -.001 0 0]",
  Encoding: "<</Differences[65/a/b]>>",
  FirstChar: "65",
  LastChar: "66",
  Widths: "[1000 900]",
};
/** A font of two glyphs that are drawn; what is an empty string is not said. */
const drawn = (
  changes: Partial<typeof said> & { FontDescriptor?: string; Resources?: string },
  content = "BT /T 40 Tf (AB) Tj ET",
  glyphContent = "1000 0 0 0 800 800 d1 0 0 800 800 re f",
) => {
  const entries = Object.entries({ Resources: "<<>>", ...said, ...changes })
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `/${name} ${value}`);
  const glyph = streamOf(glyphContent);
  return pdf({
    pages: [{ content, fonts: "/T 6 0 R", resources }],
    objects: [
      `<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/CharProcs<</a 7 0 R/b 8 0 R/A 7 0 R/B 8 0 R>>${entries.join("")}>>`,
      glyph,
      glyph,
      streamOf("0 g 0 0 9 9 re f", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>"),
      streamOf("0 0 9 9 re f", "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>"),
      streamOf("BT /T 40 Tf (AB) Tj ET", "/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</Font<</T 6 0 R>>>>"),
      "/WinAnsiEncoding",
      "null",
    ],
  });
};
const resources = "/Pattern<</P 10 0 R>>/XObject<</X 11 0 R/Y 9 0 R>>";

test.each([
  ["whose widths are said", {}],
  [
    "that some codes have without a use",
    { Encoding: "<</Differences[65/a/b/a]>>", LastChar: "67", Widths: "[1000 900 0]" },
  ],
  ["that are found by the names of a list", { Encoding: "/WinAnsiEncoding" }],
  ["with another code that is not shown", { Encoding: "<</Differences[65/a/b/c]>>" }],
])("drawn glyphs %s stay", async (_, changes) => {
  expect((await admit(drawn(changes))).bytes).toBeNull();
});

test.each([
  ["a name that is none of a list", "/X"],
  ["the standard one, which PDFium does not know here", "/StandardEncoding"],
  ["codes as they are", "/Identity-H"],
  ["a name that is referred to, which PDFium does not follow", "12 0 R"],
])("drawn glyphs that are found by %s are refused", async (_, encoding) => {
  await expect(admit(drawn({ Encoding: encoding }))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each(["null", "<<>>", "13 0 R", "99 0 R"])(
  "a drawn glyph that is %s is refused: Poppler prints no page",
  async (glyph) => {
    const text = Buffer.from(drawn({})).toString("latin1").replace("/B 8 0 R>>", `/B ${glyph}>>`);
    await expect(admit(Buffer.from(text, "latin1"))).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test.each([
  ["that are not of the font", "(ABC) Tj"],
  ["of nothing", "[(A) -9 (\\000B)] TJ"],
])("codes %s are refused beside drawn glyphs: Poppler prints the first glyph for them", async (_, shown) => {
  const bytes = drawn({ Encoding: "<</Differences[65/a/b/c]>>" }, `BT /T 40 Tf ${shown} ET`);
  await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each([
  ["without widths", { Widths: "" }],
  ["with a width of none of its own", { Widths: "[1000]" }],
  ["with a width of nothing: one reader takes the glyph's own", { Widths: "[0 900]" }],
  ["with codes that do not end", { LastChar: "" }],
  ["without a size", { FontMatrix: "" }],
  ["of a size that is none", { FontMatrix: "[.001 0 0 .001 0]" }],
  ["that are turned", { FontMatrix: "[0 .001 -.001 0 0 0]" }],
  ["that are moved", { FontMatrix: "[.001 0 0 .001 1 1]" }],
  ["of no codes", { Encoding: "<<>>" }],
  ["of codes that are none", { Encoding: "<</Differences[65/a(x)/b]>>" }],
])("drawn glyphs %s are refused", async (_, changes) => {
  await expect(admit(drawn(changes))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("what stands for missing widths of drawn glyphs goes: Poppler heeds it in print", async () => {
  const { bytes } = await admit(
    drawn({ FontDescriptor: "<</Type/FontDescriptor/FontName/T/Flags 4/MissingWidth 3000>>" }),
  );
  const text = Buffer.from(bytes ?? []).toString("latin1");
  expect(text).toContain("/FontName /T");
  expect(text).not.toContain("/MissingWidth");
});

test.each(["[1000 0 900]", "[1000]", "[1000(5)900]", "[1000 99 0 R 900]"])(
  "a code without a width of its own is refused, be its glyph another's that has one: %s",
  async (Widths) => {
    const changes = { Encoding: "<</Differences[65/a/a/b]>>", LastChar: "67", Widths };
    await expect(admit(drawn(changes))).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test("a drawn glyph with a matrix, by which PDFium alone draws it, is refused", async () => {
  const font =
    "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]" +
    "/Encoding<</Differences[97/a]>>/CharProcs<</a 7 0 R>>/Resources<<>>>>";
  const withGlyph = (entries: string) =>
    pdf({
      pages: [{ content: "BT /T 9 Tf (a) Tj ET", fonts: "/T 6 0 R" }],
      objects: [font, streamOf("9 0 d0 0 0 9 9 re f", entries)],
    });
  await expect(admit(withGlyph("/Odd 1"))).resolves.toBeDefined();
  await expect(admit(withGlyph("/Matrix[1 0 0 1 9 9]"))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

describe("drawn glyphs are refused", () => {
  const text = "/T 40 Tf (AB) Tj";
  const naming = "1000 0 d0 /Y Do";

  test.each<[string, Uint8Array]>([
    ["with a pattern", drawn({}, `/Pattern cs /P scn BT ${text} ET`)],
    [
      "that are drawn with a pattern",
      drawn({ Resources: "<</Pattern<</P 10 0 R>>>>" }, undefined, "1000 0 d0 /Pattern cs /P scn 0 0 800 800 re f"),
    ],
    ["as lines around letters", drawn({}, `BT 1 Tr ${text} ET`)],
    ["as lines around letters, by a form that is begun so", drawn({}, "1 Tr /X Do")],
    ["that name something their font does not have", drawn({ Resources: "" }, undefined, naming)],
    ["that name something of a font whose resources are none", drawn({ Resources: "5" }, undefined, naming)],
  ])("%s", async (_, bytes) => {
    await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test.each<[string, Uint8Array]>([
    ["that name something their font has", drawn({ Resources: "<</XObject<</Y 9 0 R>>>>" }, undefined, naming)],
    ["that name nothing, of a font without resources", drawn({ Resources: "" })],
    ["where patterns are for lines", drawn({}, `/Pattern CS /P SCN BT ${text} ET`)],
    ["as letters again", drawn({}, `1 Tr BT 0 Tr ${text} ET /X Do`)],
  ])("but not %s", async (_, bytes) => {
    expect((await admit(bytes)).bytes).toBeNull();
  });
});

test("resources of drawn glyphs that are none go: for one reader there are then no glyphs", async () => {
  const { bytes } = await admit(drawn({ Resources: "5" }));
  expect(Buffer.from(bytes ?? []).toString("latin1")).toMatch(/Type3/);
  expect(Buffer.from(bytes ?? []).toString("latin1")).not.toContain("/Resources 5");
});
