import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

/** A page of 200 points. */
const page = (content: string, entries = "", objects: readonly string[] = [], named = ""): Uint8Array =>
  pdf({
    pages: [
      {
        entries: `/MediaBox[0 0 200 200]${entries}`,
        content,
        resources: `/XObject<</X 6 0 R>>/Pattern<</P 6 0 R>>${named}`,
        fonts: "/T 7 0 R",
      },
    ],
    objects: objects.length > 0 ? objects : [streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 1 1]"), T, glyph("")],
  });

const glyph = (content: string) => streamOf(`1 0 0 0 1 1 d1 ${content}`);
const T =
  "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]/Encoding<</Differences[97/a]>>/CharProcs<</a 8 0 R>>/Resources<<>>>>";
const form = (content: string, entries: string) => [
  streamOf(content, `/Type/XObject/Subtype/Form${entries}`),
  T,
  glyph(""),
];
const triangle = (reach: number) => `0 0 m ${reach} ${reach / 2} l ${reach} 0 l f`;
const picture = [
  streamOf("\0", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"),
  T,
  glyph(""),
];
const inForm = form("400 0 0 400 0 0 cm /X Do", "/BBox[0 0 9 9]/Resources<</XObject<</X 9 0 R>>>>");
const stamp = "/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 200 200]/AP<</N 6 0 R>>>>]";
const cell =
  "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 99 99]/XStep 99/YStep 99/Resources<<>>/Matrix[9 0 0 9 0 0]";

const far: [string, () => Uint8Array][] = [
  ["an area", () => page(triangle(80_000))],
  ["a line", () => page("0 0 m 80000 40000 l S")],
  ["a clip", () => page("0 0 m 80000 40000 l 80000 0 l W n 0 0 9 9 re f")],
  ["a curve", () => page("0 0 m 80000 40000 80000 0 9 0 c f")],
  ["what ends an area that is not closed", () => page("0 0 m 80000 0 l 80000 40000 l f")],
  ["a box that is turned", () => page("1 .5 -.5 1 0 0 cm 0 0 80000 9 re f")],
  ["an area of small numbers", () => page(`20000 0 0 20000 0 0 cm ${triangle(4)}`)],
  ["an area of a form", () => page("20000 0 0 20000 0 0 cm /X Do", "", form(triangle(4), "/BBox[0 0 .01 .01]"))],
  ["a form's box", () => page("1 .5 -.5 1 0 0 cm /X Do", "", form("0 0 9 9 re f", "/BBox[0 0 80000 9]"))],
  ["an area of a stamp", () => page("", stamp, form(triangle(4), "/BBox[0 0 .01 .01]"))],
  [
    "an area of a pattern's cells",
    () => page("/Pattern cs /P scn 0 0 200 200 re f", "", [streamOf(triangle(9_000), cell)]),
  ],
  ["a picture", () => page("80000 0 0 80000 0 0 cm /X Do", "", picture)],
  ["a picture of a form", () => page("400 0 0 400 0 0 cm /X Do", "", [...inForm, ...picture])],
  ["a picture within a content", () => page("80000 0 0 80000 0 0 cm BI /W 1/H 1/BPC 8/CS/G ID \0\nEI")],
  ["a straight line, a hundred times as large", () => page("100 0 0 1 0 0 cm 9 w -90000 9 m 2 9 l S")],
  ["a straight box, as large", () => page("100 0 0 1 0 0 cm -90000 9 90002 9 re f")],
  ["a dashed line", () => page("9 w [70 70] 0 d -90000 9 m 90 9 l S")],
  ["a dashed box", () => page("[70 70] 0 d -90000 9 90090 9 re s")],
  ["letters", () => page("BT /F1 80000 Tf (a) Tj ET")],
  ["letters by their matrix", () => page("BT /F1 1 Tf 80000 0 0 80000 0 0 Tm (a) Tj ET")],
  [
    "a drawn letter",
    () => page("BT /T 20 Tf (a) Tj ET", "", [...form("", "/BBox[0 0 1 1]").slice(0, 2), glyph(triangle(9_000))]),
  ],
];

const near: [string, () => Uint8Array][] = [
  ["an area of a page's size", () => page(triangle(5_000))],
  ["a picture of a page's size", () => page("5000 0 0 5000 0 0 cm /X Do", "", picture)],
  ["straight lines, however long", () => page("-90000 100 m 90000 100 l S 0 -90000 9 180000 re f")],
  ["a box around all, turned", () => page("1 .5 -.5 1 0 0 cm -32768 -32768 65536 65536 re W n 0 0 9 9 re f")],
  [
    "a form with such a box, turned",
    () => page("1 .5 -.5 1 0 0 cm /X Do", "", form("0 0 9 9 re f", "/BBox[-32768 -32768 32767 32767]")),
  ],
];

describe("lines that lead far away, which PDFium leads elsewhere, and what is as large", () => {
  test.each(far)("are refused in %s", async (_, make) => {
    await expect(admit(make())).rejects.toMatchObject({ reason: "shown_otherwise", cause: { message: /: far$/ } });
  });

  test.each(near)("stay in %s", async (_, make) => {
    await expect(admit(make())).resolves.toBeDefined();
  });
});
