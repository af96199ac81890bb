import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const form = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]";
const masking = "/ExtGState<</M<</SMask<</S/Alpha/G 7 0 R>>>>>>";

/** A page that fills an area with a pattern, whose cell draws so. */
const cellThat = (content: string) =>
  pdf({
    pages: [{ content: "/Pattern cs /P scn 20 20 80 80 re f", resources: "/Pattern<</P 6 0 R>>" }],
    objects: [
      streamOf(
        content,
        `/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<${masking}/XObject<</X 8 0 R>>>>`,
      ),
      streamOf("0 0 5 9 re f", `${form}/Group<</S/Transparency/CS/DeviceGray>>/Resources<<>>`),
      streamOf("/M gs 0 0 9 9 re f", `${form}/Group<</S/Transparency/CS/DeviceRGB/I true>>/Resources<<${masking}>>`),
    ],
  });

test.each(["/M gs 0 0 9 9 re f", "/X Do"])(
  "a pattern that draws through a mask is refused, which PDFium puts elsewhere in forms: %s",
  async (content) => {
    await expect(admit(cellThat(content))).rejects.toMatchObject({ reason: "shown_otherwise" });
    expect((await admit(cellThat("0 0 9 9 re f"))).bytes).toBeNull();
  },
);

/** A page that fills an area with a pattern, and draws a form that does so with another one, or the same. */
const shared = (number: number, content = "/X Do") =>
  pdf({
    pages: [
      {
        content: `/Pattern cs /P scn 0 0 9 9 re f ${content}`,
        resources: "/Pattern<</P 6 0 R>>/XObject<</X 8 0 R>>",
      },
    ],
    objects: [
      ...[1, 2].map(() =>
        streamOf("0 0 9 9 re f", "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>"),
      ),
      streamOf(
        "/Pattern cs /P scn 0 0 9 9 re f",
        `${form}/Matrix[1 0 0 1 5 5]/Resources<</Pattern<</P ${number} 0 R>>>>`,
      ),
    ],
  });

test("a pattern that a page and a form use is refused: PDFium keeps it as the first of them has it", async () => {
  await expect(admit(shared(6))).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(shared(6, ""))).bytes).toBeNull();
  expect((await admit(shared(7))).bytes).toBeNull();
});

/** A page that draws through a mask, or shows a glyph, in which colors are mixed by a mode. */
const within = (mode: string, content: string) => {
  const states = `/ExtGState<</G<</BM/${mode}>>>>`;
  return pdf({
    pages: [{ content, fonts: "/T 8 0 R", resources: masking }],
    objects: [
      "null",
      streamOf(
        "1 g 0 0 9 9 re f /X Do",
        `${form}/Group<</S/Transparency/CS/DeviceRGB/I true>>/Resources<</XObject<</X 9 0 R>>>>`,
      ),
      "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]" +
        "/Encoding<</Differences[97/a]>>/CharProcs<</a 10 0 R>>/Resources<</XObject<</X 9 0 R>>>>>>",
      streamOf("/G gs 1 0 0 rg 0 0 5 5 re f", `${form}/Resources<<${states}>>`),
      streamOf("9 0 d0 /X Do"),
    ],
  });
};

test.each([
  ["a mask", "/M gs 0 0 9 9 re f"],
  ["a glyph", "BT /T 9 Tf (a) Tj ET"],
])("colors that are mixed within %s are refused: readers mix them with other colors", async (_, content) => {
  await expect(admit(within("Difference", content))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a glyph that draws a form with a state is refused: where that is moved Poppler prints nothing of the page", async () => {
  const shown = "BT /T 9 Tf (a) Tj ET";
  await expect(admit(within("Normal", shown))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

/** A page with an annotation that is mixed with it by a mode, in itself or in a form that it draws. */
const annotated = (mode: string, content: string) => {
  const states = `/ExtGState<</G<</BM/${mode}>>>>`;
  return pdf({
    pages: [
      {
        content: "0 0 9 9 re f",
        entries: "/MediaBox[0 0 99 99]/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 9 9]/AP<</N 6 0 R>>>>]",
      },
    ],
    objects: [
      streamOf(content, `${form}/Resources<<${states}/XObject<</X 7 0 R>>>>`),
      streamOf("/G gs 1 0 0 rg 0 0 5 5 re f", `${form}/Resources<<${states}>>`),
    ],
  });
};
const itself = "/G gs 1 0 0 rg 0 0 5 5 re f";

test.each([
  ["Difference", itself],
  ["Screen", itself],
  ["Luminosity", "/X Do"],
])(
  "an annotation that is mixed with its page by %s is refused: Poppler mixes it with nothing (%s)",
  async (mode, content) => {
    await expect(admit(annotated(mode, content))).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test.each(["Normal", "Multiply", "Darken"])("one that is mixed by %s stays", async (mode) => {
  expect((await admit(annotated(mode, itself))).bytes).toBeNull();
});

/** A form with a pattern of a shading that is written within its resources, and another one, moved, with these or its own. */
const written = (isShared: boolean) => {
  const shading =
    "<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 9 9]/Function<</FunctionType 2/Domain[0 1]/C0[0]/C1[1]/N 1>>>>";
  const resources = `<</Pattern<</P<</PatternType 2/Shading${shading}>>>>>>`;
  const content = "/Pattern cs /P scn 0 0 9 9 re f";
  return pdf({
    pages: [{ content: "/X Do /Y Do", resources: "/XObject<</X 6 0 R/Y 7 0 R>>" }],
    objects: [
      streamOf(content, `${form}/Resources 8 0 R`),
      streamOf(content, `${form}/Matrix[1 0 0 1 5 5]/Resources ${isShared ? "8 0 R" : resources}`),
      resources,
    ],
  });
};

test("a pattern that is written within resources of two forms is refused: PDFium keeps it as the first of them has it", async () => {
  await expect(admit(written(true))).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(written(false))).bytes).toBeNull();
});

test.each([
  ["[0 0 595 842]", true],
  ["[50 50 645 892]", false],
])(
  "pages that use a pattern, of which one lies in %s, are refused unless they are alike: MuPDF keeps its cells",
  async (box, areAlike) => {
    const page = (entries: string) => ({
      entries,
      content: "/Pattern cs /P scn 0 0 99 99 re f",
      resources: "/Pattern<</P 8 0 R>>",
    });
    const cell = "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>";
    const given = pdf({
      pages: [page("/MediaBox[0 0 595 842]"), page(`/MediaBox${box}`)],
      objects: [streamOf("0 0 5 5 re f", cell)],
    });
    if (areAlike) expect((await admit(given)).bytes).toBeNull();
    else await expect(admit(given)).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);
