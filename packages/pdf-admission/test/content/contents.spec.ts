import { inflateSync } from "node:zlib";
import { openDocument } from "@rubrica/pdf-reading/open";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { lookAtContents } from "../../src/content/look.ts";

const GLYPH = "9 0 0 0 9 9 d1 0 0 9 9 re f";
const font = (resources: string, glyph: number) =>
  "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]" +
  `/Encoding<</Differences[97/a]>>/CharProcs<</a ${glyph} 0 R>>/Resources<<${resources}>>>>`;

describe("a font that is written within resources", () => {
  const lookAt = async (fonts: string, ...objects: string[]) =>
    lookAtContents(await openDocument(pdf({ pages: [{ fonts }], objects }))).fault;

  test.each([
    ["a page's", (glyph: string) => lookAt(`/D ${font("", 6)}`, streamOf(glyph))],
    [
      "a form's",
      (glyph: string) =>
        lookAt(
          "",
          streamOf(glyph),
          streamOf("", `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</D ${font("", 6)}>>>>`),
        ),
    ],
    [
      "another font's",
      (glyph: string) => lookAt(`/D ${font(`/Font<</E ${font("", 7)}>>`, 6)}`, streamOf(GLYPH), streamOf(glyph)),
    ],
  ])("has glyphs that are looked at: %s", async (_name, faultWith) => {
    expect(await faultWith(GLYPH)).toBeNull();
    expect(await faultWith("9 0 0 0 9 9 d1 (")).toBe("broken");
  });
});

test("a glyph is looked at with the resources of each font that has it", async () => {
  const faultOf = async (second: string) => {
    const objects = [
      font("/XObject<</X 9 0 R>>", 8),
      font(second, 8),
      streamOf("9 0 d0 /X Do"),
      streamOf("0 0 9 9 re f", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>"),
    ];
    return lookAtContents(await openDocument(pdf({ pages: [{ fonts: "/D 6 0 R/E 7 0 R" }], objects }))).fault;
  };
  expect(await faultOf("/XObject<</X 9 0 R>>")).toBeNull();
  expect(await faultOf("")).toBe("resource");
});

test.each([
  ["a pattern's cell", "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9"],
  ["a mask's group", "/Group<</S/Transparency/CS/DeviceGray>>"],
])("%s is looked at though it says that it is a picture, which no reader asks there", async (_name, entries) => {
  const cell = streamOf(
    "9 9 m )",
    `/Subtype/Image/Width 1/Height 1/BitsPerComponent 1/ColorSpace/DeviceGray${entries}`,
  );
  expect(lookAtContents(await openDocument(pdf({ objects: [cell] }))).fault).not.toBeNull();
});

test.each(["/Subtype/Form", "/Subtype 7 0 R"])(
  "a form without a box is refused, wherever its kind stands: %s",
  async (kind) => {
    const page = { content: "/X Do", resources: "/XObject<</X 6 0 R>>" };
    const objects = [streamOf("0 0 9 9 re f", `/Type/XObject${kind}`), "/Form"];
    expect(lookAtContents(await openDocument(pdf({ pages: [page], objects }))).fault).toBe("unsound");
  },
);

test.each(["0 0 0 0 0 0", "1 0 0 0 0 0", "1 1 1 1 0 0", `.${"0".repeat(170)}1 0 0 .${"0".repeat(170)}1 0 0`])(
  "a form that is drawn flat is refused, since Poppler prints it as if it were not: %s",
  async (matrix) => {
    const page = { content: "/X Do", resources: "/XObject<</X 6 0 R>>" };
    const objects = [streamOf("0 0 9 9 re f", `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Matrix[${matrix}]`)];
    expect(lookAtContents(await openDocument(pdf({ pages: [page], objects }))).fault).toBe("unsound");
  },
);

test.each([
  ["of 100,000 points", "/BBox[0 0 100000 9]/XStep 100000/YStep 9"],
  ["of 99, a thousand times as large", "/BBox[0 0 99 9]/XStep 99/YStep 9/Matrix[1000 0 0 1 0 0]"],
])("a pattern with cells %s is refused: PDFium draws none of them", async (_name, entries) => {
  const page = { content: "/Pattern cs /P scn 0 0 9 9 re f", resources: "/Pattern<</P 6 0 R>>" };
  const cell = streamOf("0 0 9 9 re f", `/PatternType 1/PaintType 1/TilingType 1${entries}/Resources<<>>`);
  expect(lookAtContents(await openDocument(pdf({ pages: [page], objects: [cell] }))).fault).toBe("unsound");
});

test.each([
  ["content", { content: "1000 M 9 9 m 99 10 l 9 11 l S" }, /^60 M +9 9 m/],
  ["a state", { content: "/G gs 9 9 m 99 10 l S", resources: "/ExtGState<</G<</ML 1000>>>>" }, /\/ML 60\b/],
])("corners are as sharp as pdf.js draws them where %s has them sharper", async (_name, page, settled) => {
  const { bytes } = await admit(pdf({ pages: [page] }));
  const file = PdfFile.open(bytes ?? new Uint8Array());
  const found = file.references().map(({ objectNumber }) => {
    const data = file.streamData(objectNumber)?.data;
    return data?.[0] === 0x78 ? inflateSync(data).toString("latin1") : String(file.uncached(objectNumber)?.object);
  });
  expect(found.some((one) => settled.test(one))).toBe(true);
});

describe("a form without resources, which takes those of who draws it,", () => {
  const faultOf = async (content: string) => {
    const resources =
      "/ExtGState<</G<</ca .5>>>>/ColorSpace<</C[/CalGray<</WhitePoint[.9 1 1]>>]>>/Pattern<</P 7 0 R>>/XObject<</X 6 0 R/Y 8 0 R>>" +
      "/Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 9 9]/Function<</FunctionType 2/Domain[0 1]/N 1>>>>>>";
    const form = "/Type/XObject/Subtype/Form/BBox[0 0 99 99]";
    const objects = [
      streamOf(content, form),
      streamOf("0 0 9 9 re f", "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>"),
      streamOf("0 0 9 9 re f", form),
    ];
    const page = { content: "/X Do", resources };
    return lookAtContents(await openDocument(pdf({ pages: [page], objects }))).fault;
  };

  test.each(["/G gs 0 0 9 9 re f", "/C cs 0 0 9 9 re f", "/Pattern cs /P scn 0 0 9 9 re f", "/S sh"])(
    "is refused where it tells by their names how it draws: %s",
    async (content) => {
      expect(await faultOf(content)).toBe("resource");
    },
  );

  test("is refused where who draws it lacks its font", async () => {
    expect(await faultOf("BT /F2 9 Tf (a) Tj ET")).toBe("code");
  });

  test.each(["BT /F1 9 Tf (a) Tj ET", "/Y Do"])("stays where it does not: %s", async (content) => {
    expect(await faultOf(content)).toBeNull();
  });
});
