import { type FixtureOptions, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { type Change, catalog, honest, replaced } from "./changing.ts";

/** Forgeries of what draws within a page: forms, patterns, glyphs, pictures, layers and states. */

/** What draws within a page, each by a name in its resources: a further original, and what is changed of it. */
const drawing = {
  form: 8,
  pattern: 9,
  glyphs: 10,
  glyph: 11,
  picture: 12,
  layer: 13,
  state: 14,
} as const;
const square = "0 0 20 20 re f";
const formOf = (content: string, entries = "/BBox[0 0 595 842]") =>
  streamOf(content, `/Type/XObject/Subtype/Form${entries}/Resources<</Font<</F1 3 0 R>>>>`);
const patternOf = (content: string, box = "0 0 9 9") =>
  streamOf(content, `/PatternType 1/PaintType 1/TilingType 1/BBox[${box}]/XStep 9/YStep 9/Resources<<>>`);
const pictureOf = (data: string, entries = "") =>
  streamOf(data, `/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB${entries}`);
const drawn = [
  "/X Do /Pattern cs /P scn 200 20 40 40 re f BT /T3 40 Tf 20 300 Td (a) Tj ET q 40 0 0 40 300 20 cm /I Do Q",
  "q 40 0 0 40 400 20 cm BI /W 1/H 1/BPC 8/CS/RGB ID abc\nEI Q /OC /L BDC 0 0 1 rg 0 0 20 20 re f EMC /G gs",
  honest,
].join(" ");
export const withDrawing: FixtureOptions = {
  catalog: `/OCProperties<</OCGs[${drawing.layer} 0 R]/D<</ON[${drawing.layer} 0 R]>>>>`,
  pages: [
    {
      content: drawn,
      fonts: `/T3 ${drawing.glyphs} 0 R`,
      resources: `/XObject<</X ${drawing.form} 0 R/I ${drawing.picture} 0 R>>/Pattern<</P ${drawing.pattern} 0 R>>/Properties<</L ${drawing.layer} 0 R>>/ExtGState<</G ${drawing.state} 0 R>>`,
    },
    { content: honest },
  ],
  objects: [
    formOf(textAt(50, 650, "Cien")),
    patternOf(`1 0 0 rg ${square}`),
    `<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]/Encoding<</Differences[97/a]>>/CharProcs<</a ${drawing.glyph} 0 R>>/Resources<<>>>>`,
    streamOf("1 0 d0 0 0 1 1 re f"),
    pictureOf("abc"),
    "<</Type/OCG/Name(Capa)>>",
    "<</Type/ExtGState/ca 1>>",
  ],
};

/** The original that draws by names. */
export const DRAWN = "with a form, a pattern, a glyph and pictures";

/** The same of what draws by names in the resources of a page. */
export const changesOfDrawing: Readonly<Record<string, (file: Uint8Array) => Change>> = {
  ...Object.fromEntries(
    Object.entries({
      "another form": [drawing.form, formOf(textAt(50, 650, "Mil"))],
      "a form of another box": [drawing.form, formOf(textAt(50, 650, "Cien"), "/BBox[0 0 1 1]")],
      "a form of another matrix": [
        drawing.form,
        formOf(textAt(50, 650, "Cien"), "/BBox[0 0 595 842]/Matrix[1 0 0 1 900 0]"),
      ],
      "a form with another font": [
        drawing.form,
        formOf(textAt(50, 650, "Cien")).replace("/F1 3 0 R", "/F1<</Type/Font/Subtype/Type1/BaseFont/Symbol>>"),
      ],
      "a form that draws itself": [
        drawing.form,
        streamOf("/X Do", `/Subtype/Form/BBox[0 0 595 842]/Resources<</XObject<</X ${drawing.form} 0 R>>>>`),
      ],
      "a form of another layer": [
        drawing.form,
        formOf(textAt(50, 650, "Cien"), `/BBox[0 0 595 842]/OC ${drawing.layer} 0 R`),
      ],
      "a form that is a picture": [drawing.form, pictureOf("abc")],
      "another pattern": [drawing.pattern, patternOf(`0 1 0 rg ${square}`)],
      "a pattern over the page": [drawing.pattern, patternOf("1 g -500 -500 2000 2000 re f", "-500 -500 2000 2000")],
      "another glyph": [drawing.glyph, streamOf("1 0 d0 0 0 0.1 1 re f")],
      "a glyph over the page": [drawing.glyph, streamOf("1 0 d0 1 g -90 -90 900 900 re f")],
      "a glyph with a small box": [drawing.glyph, streamOf("1 0 0 0 0.1 0.1 d1 0 0 1 1 re f")],
      "a glyph for another letter": [
        drawing.glyphs,
        `<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 98/LastChar 98/Widths[1]/Encoding<</Differences[98/a]>>/CharProcs<</a ${drawing.glyph} 0 R>>/Resources<<>>>>`,
      ],
      "another picture": [drawing.picture, pictureOf("xyz")],
      "a picture with a mask": [drawing.picture, pictureOf("abc", "/Mask[97 97 98 98 99 99]")],
      "a picture in other colors": [drawing.picture, pictureOf("abc", "/Decode[1 0 1 0 1 0]")],
      "a picture with less data": [drawing.picture, pictureOf("a")],
      "a layer that is none": [drawing.layer, "<</Type/Other/Name(Capa)>>"],
      "a layer for designers": [drawing.layer, "<</Type/OCG/Name(Capa)/Intent/Design>>"],
      "a state that is seen through": [drawing.state, "<</Type/ExtGState/ca 0>>"],
      "a state that blends": [drawing.state, "<</Type/ExtGState/BM/Difference>>"],
      "a state of its own font": [drawing.state, "<</Type/ExtGState/Font[3 0 R 1]>>"],
    } satisfies Record<string, [number, string]>).map(([name, [number, body]]) => [
      name,
      () => ({ objects: { [number]: body } }),
    ]),
  ),
  "a layer switched off": replaced(catalog, /\/ON\s*\[/, "/OFF["),
};
