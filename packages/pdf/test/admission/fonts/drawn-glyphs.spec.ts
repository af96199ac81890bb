import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../../src/admission/admit.ts";

const said = {
  FontMatrix: "[.001 0 0 -.001 0 0]",
  Encoding: "<</Differences[65/a/b]>>",
  FirstChar: "65",
  LastChar: "66",
  Widths: "[1000 900]",
};
/** A font of two glyphs that are drawn; what is an empty string is not said. */
const drawn = (changes: Partial<typeof said> & { FontDescriptor?: string }) => {
  const entries = Object.entries({ ...said, ...changes })
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `/${name} ${value}`);
  const glyph = streamOf("1000 0 0 0 800 800 d1 0 0 800 800 re f");
  return pdf({
    pages: [{ content: "BT /T 40 Tf (AB) Tj ET", fonts: "/T 6 0 R" }],
    objects: [
      `<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/Resources<<>>/CharProcs<</a 7 0 R/b 8 0 R>>${entries.join("")}>>`,
      glyph,
      glyph,
    ],
  });
};

test.each([
  ["whose widths are said", {}],
  [
    "that some codes have without a use",
    { Encoding: "<</Differences[65/a/a/b]>>", LastChar: "67", Widths: "[1000 0 900]" },
  ],
  ["that are found by the names of a list", { Encoding: "/WinAnsiEncoding" }],
])("drawn glyphs %s stay", async (_, changes) => {
  expect((await admit(drawn(changes))).bytes).toBeNull();
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
