import { openDocument } from "@rubrica/pdf-reading/open";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { lookAtContents } from "../../../src/content/look.ts";

const form = "/Type/XObject/Subtype/Form/BBox[0 0 99 99]";
const image = "/Type/XObject/Subtype/Image/Width 1/Height 1";
const group = "/Group<</S/Transparency/CS/DeviceGray>>";
const pattern = "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]";
const states =
  "/ExtGState<</Half<</ca .5/CA .5>>/Lines<</CA .5>>/Multiply<</BM/Multiply>>/Overlay<</BM/Overlay>>" +
  "/Screen<</BM/Screen>>/Darken<</BM/Darken>>/Difference<</BM/Difference>>" +
  "/Mask<</SMask<</S/Luminosity/G 6 0 R>>>>/Itself<</SMask<</S/Alpha/G 13 0 R>>>>/Around<</SMask<</S/Alpha/G 25 0 R>>>>" +
  "/None<</SMask/None>>>>";
const square = "1 0 0 rg 0 0 50 50 re f";
const named = [
  ...["Bits 7", "Greys 8", "ThroughBits 9", "ThroughGreys 10", "OfBits 11", "OfGreys 12", "Group 13", "Plain 14"],
  ...["Nested 15", "Tiled 16", "Cutting 22", "Text 23", "Shaded 24"],
];
const xobjects = `/XObject<<${named.map((one) => `/${one} 0 R`).join("")}>>`;
const shaded =
  "<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 99 0]/Function" +
  "<</FunctionType 2/Domain[0 1]/N 1/C0[0]/C1[1]>>>>>>";
const patterns = `/Pattern<</Cells 17 0 R/Apart 18 0 R/Over 19 0 R/Shaded ${shaded}>>`;
const resources = `${states}${xobjects}${patterns}`;
const glyphs = (number: number) =>
  "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]" +
  `/Encoding<</Differences[97/a]>>/CharProcs<</a ${number} 0 R>>/Resources<<>>>>`;
const objects = [
  streamOf("1 g 0 0 50 50 re f", `${form}${group}/Resources<<>>`),
  streamOf("\0", `${image}/ImageMask true`),
  streamOf("\0", `${image}/BitsPerComponent 8/ColorSpace/DeviceGray`),
  streamOf("\0", `${image}/BitsPerComponent 8/ColorSpace/DeviceGray/Mask 7 0 R`),
  streamOf("\0", `${image}/BitsPerComponent 8/ColorSpace/DeviceGray/SMask 8 0 R`),
  streamOf("/ThroughBits Do", `${form}/Resources<<${xobjects}>>`),
  streamOf("/ThroughGreys Do", `${form}/Resources<<${xobjects}>>`),
  streamOf(square, `${form}${group}/Resources<<>>`),
  streamOf(square, `${form}/Resources<<>>`),
  streamOf("/Plain Do", `${form}/Resources<<${xobjects}>>`),
  streamOf("/Pattern cs /Cells scn 0 0 9 9 re f", `${form}/Resources<<${patterns}>>`),
  streamOf(square, `${pattern}/XStep 9/YStep 9/Resources<<>>`),
  streamOf(`/Half gs ${square}`, `${pattern}/XStep 9/YStep 9/Resources<<${states}>>`),
  streamOf(`/Half gs ${square}`, `${pattern}/XStep 5/YStep 9/Resources<<${states}>>`),
  streamOf("9 0 0 0 9 9 d1 0 0 5 5 re f 2 2 7 7 re f"),
  streamOf("9 0 0 0 9 9 d1 0 0 5 5 re 2 2 7 7 re f"),
  streamOf(square.replace("f", "W f"), `${form}/Resources<<>>`),
  streamOf("BT /F1 9 Tf (H) Tj ET", `${form}/Resources<</Font<</F1 3 0 R>>>>`),
  streamOf("/Pattern cs /Shaded scn BT /F1 9 Tf (H) Tj ET", `${form}/Resources<<${patterns}/Font<</F1 3 0 R>>>>`),
  streamOf("/Group Do", `${form}${group}/Resources<<${xobjects}>>`),
];

const text = "BT /F1 9 Tf (H) Tj ET";
const tiled = "/Pattern cs /Cells scn 0 0 9 9 re f";

test.each<[string, string | null, string]>([
  ["text in a light color, multiplied", "painting", `.9 g /Multiply gs ${text}`],
  ["text in a full color, multiplied", null, `1 0 .4 rg /Multiply gs ${text}`],
  ["text in a grey, multiplied", "painting", `.5 g /Multiply gs ${text}`],
  [
    "text in a full color that is written at length, multiplied",
    "painting",
    `1 0 0${" ".repeat(200)} rg /Multiply gs ${text}`,
  ],
  ["text in a dark color, multiplied", null, `.5 0 0 rg /Multiply gs ${text}`],
  ["text in a dark color, as on a screen", "painting", `.1 g /Screen gs ${text}`],
  ["text in a light color, as on a screen", null, `.9 g /Screen gs ${text}`],
  ["text in a light color, that darkens", null, `.9 g /Darken gs ${text}`],
  ["text in white, by its difference", "painting", `1 g /Difference gs ${text}`],
  ["text in a color of inks, multiplied", "painting", `0 1 1 0 k /Multiply gs ${text}`],
  ["text in a full color, multiplied again", null, `/Multiply gs q /Difference gs Q 1 0 0 rg ${text}`],
  ["text in black, mixed", null, `/Multiply gs ${text}`],
  ["text in black, mixed by its ground", "painting", `/Overlay gs ${text}`],
  ["text in black, mixed and half seen", "painting", `/Multiply gs /Half gs ${text}`],
  ["text in black with lines, mixed", "painting", `/Multiply gs 2 Tr ${text}`],
  ["text in a color, half seen", null, `.9 g /Half gs ${text}`],
  ["text in a shading's colors, half seen", "painting", `/Pattern cs /Shaded scn /Half gs ${text}`],
  [
    "a form's text in a shading's colors of who draws it, half seen",
    "begun",
    "/Pattern cs /Shaded scn /Half gs /Text Do",
  ],
  ["a form's text in a shading's colors, half seen by who draws it", "group", "/Half gs /Shaded Do"],
  ["a form's text in a shading's colors", null, "/Shaded Do"],
  ["text in a shading's colors", null, `/Pattern cs /Shaded scn ${text}`],
  ["an area in a shading's colors, half seen", null, "/Pattern cs /Shaded scn /Half gs 0 0 9 9 re f"],
  ["white lines around an area, multiplied", "painting", "1 0 0 rg 1 G /Multiply gs 0 0 9 9 re B"],
  ["red lines around a yellow area, multiplied", null, "1 1 0 rg 1 0 0 RG /Multiply gs 0 0 9 9 re B"],
  ["the same by their difference", "painting", "1 1 0 rg 1 0 0 RG /Difference gs 0 0 9 9 re B"],
  ["an area and lines in one full color, multiplied", null, "1 0 0 rg 1 0 0 RG /Multiply gs 0 0 9 9 re B"],
  ["an area and lines in one grey, multiplied", "painting", ".5 g .5 G /Multiply gs 0 0 9 9 re B"],
  ["an area and lines in two colors, half seen", null, "1 0 0 rg /Half gs 0 0 9 9 re B"],
  ["an area in a pattern of cells, where lines are half seen", null, `/Lines gs ${tiled}`],
  ["an area in one with lines that are half seen", "painting", "/Lines gs /Pattern cs /Cells scn 0 0 9 9 re B"],
  ["lines in one that are half seen", "painting", "/Lines gs /Pattern CS /Cells SCN 0 0 9 9 re S"],
  ["an area that cuts out what follows, mixed", "painting", "/Multiply gs 0 0 9 9 re W f"],
  ["lines that do, through a mask", "painting", "/Mask gs 0 0 9 9 re W* S"],
  ["a form of an area that does, mixed", "group", "/Multiply gs /Cutting Do"],
  ["such a form through a mask", "group", "/Mask gs /Cutting Do"],
  ["such a form, half seen", null, "/Half gs /Cutting Do"],
  ["what cuts out by nothing that is drawn, mixed", null, "/Multiply gs 0 0 9 9 re W n"],
  ["a picture through bits, half seen", "group", "/Half gs /ThroughBits Do"],
  ["one in a form", "group", "/Half gs /OfBits Do"],
  ["a picture through bits", null, "/ThroughBits Do"],
  ["one through a mask", "group", "/Mask gs /ThroughBits Do"],
  ["a picture through greys, through a mask", null, "/Mask gs /ThroughGreys Do"],
  ["a form in a form, half seen", null, "/Half gs /Nested Do"],
  ["a form, half seen", null, "/Half gs /Plain Do"],
  ["a group whose lines alone are half seen", "group", "/Lines gs /Group Do"],
  ["a group of which all is half seen", null, "/Half gs /Group Do"],
  ["a group through a mask", null, "/Mask gs /Group Do"],
  ["a group through a mask that is made of it", "painting", "/Itself gs /Group Do"],
  ["a group through a mask that draws it", "painting", "/Around gs /Group Do"],
  ["an area after a group through a mask", "painting", `/Mask gs /Group Do ${square}`],
  ["a group after another one through a mask", "painting", "/Mask gs /Group Do /Group Do"],
  ["a group after another one was left", null, "/Mask gs q /Group Do Q /Group Do"],
  ["an area after a group, once there is no mask", null, `/Mask gs /Group Do /None gs ${square}`],
  ["an area of cells, half seen", "painting", `/Half gs ${tiled}`],
  ["an area of cells, mixed", "painting", `/Multiply gs ${tiled}`],
  ["a form with one, half seen", "group", "/Half gs /Tiled Do"],
  ["an area of cells", null, tiled],
  ["glyphs that draw twice, half seen", "resource", "/Half gs BT /Twice 9 Tf (a) Tj ET"],
  ["glyphs that draw once, half seen", null, "/Half gs BT /Once 9 Tf (a) Tj ET"],
])("%s: %s", async (_name, fault, content) => {
  const fonts = `/Twice ${glyphs(20)}/Once ${glyphs(21)}`;
  // A pattern is looked at, whether it is used or not.
  const file = pdf({ pages: [{ content, resources, fonts }], objects: objects.toSpliced(13, 1, "null") });
  expect(lookAtContents(await openDocument(file)).fault).toBe(fault);
});

test.each([
  ["over each other", "group", 19],
  ["beside each other", null, 18],
])("cells that are seen through themselves and lie %s: %s", async (_name, fault, number) => {
  const content = "/Pattern cs /P scn 0 0 50 50 re f";
  const file = pdf({
    pages: [{ content, resources: `/Pattern<</P ${number} 0 R>>` }],
    objects: objects.map((body, index) => (index > 11 && index + 6 !== number ? "null" : body)),
  });
  expect(lookAtContents(await openDocument(file)).fault).toBe(fault);
});
