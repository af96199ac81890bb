import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

/** A pattern that draws a form, which may draw another one, of a layer. */
const cellWith = (layer: string, isNested: boolean, off: string) =>
  pdf({
    pages: [{ content: "/Pattern cs /P scn 20 20 80 80 re f", resources: "/Pattern<</P 7 0 R>>" }],
    catalog: `/OCProperties<</OCGs[6 0 R]/D<</OFF[${off}]>>>>`,
    objects: [
      "<</Type/OCG/Name(a)>>",
      streamOf(
        "/X Do",
        `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 80 80]/XStep 80/YStep 80/Resources<</XObject<</X ${isNested ? 8 : 9} 0 R/Z 10 0 R>>>>`,
      ),
      streamOf("/X Do", "/Type/XObject/Subtype/Form/BBox[0 0 80 80]/Resources<</XObject<</X 9 0 R>>>>"),
      streamOf("1 0 0 rg 0 0 80 80 re f", `/Type/XObject/Subtype/Form/BBox[0 0 80 80]/Resources<<>>${layer}`),
      streamOf("\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"),
    ],
  });

test.each([
  ["in its cell", false],
  ["in a form of its cell", true],
])("a pattern that draws what belongs to a layer %s is refused where layers are off", async (_, isNested) => {
  await expect(admit(cellWith("/OC 6 0 R", isNested, "6 0 R"))).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(cellWith("/OC 6 0 R", isNested, ""))).bytes).toBeNull();
  expect((await admit(cellWith("", isNested, "6 0 R"))).bytes).toBeNull();
});

/** A page that draws through a mask, whose group may be of a layer, or draw a form that is. */
const maskedBy = (ofGroup: string, ofForm: string, off: string) =>
  pdf({
    pages: [
      { content: "/M gs 0 0 1 rg 0 0 200 200 re f", resources: "/ExtGState<</M<</SMask<</S/Alpha/G 7 0 R>>>>>>" },
    ],
    catalog: `/OCProperties<</OCGs[6 0 R]/D<</OFF[${off}]>>>>`,
    objects: [
      "<</Type/OCG/Name(a)>>",
      streamOf(
        "0 g 0 0 80 80 re f /X Do",
        `/Type/XObject/Subtype/Form/BBox[0 0 80 80]/Group<</S/Transparency/CS/DeviceRGB>>/Resources<</XObject<</X 8 0 R>>>>${ofGroup}`,
      ),
      streamOf("0 g 0 0 90 90 re f", `/Type/XObject/Subtype/Form/BBox[0 0 90 90]/Resources<<>>${ofForm}`),
    ],
  });

/** A pattern whose cell draws what belongs to a layer by other resources than those of forms. */
const cellBy = (resources: string, layer: string) =>
  pdf({
    pages: [{ content: "/Pattern cs /P scn 20 20 80 80 re f", resources: "/Pattern<</P 7 0 R>>" }],
    catalog: "/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>",
    objects: [
      "<</Type/OCG/Name(a)>>",
      streamOf(
        "0 0 9 9 re f",
        `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 80 80]/XStep 80/YStep 80/Resources<<${resources}>>`,
      ),
      "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]" +
        "/Encoding<</Differences[97/a]>>/CharProcs<</a 9 0 R>>/Resources<</XObject<</X 10 0 R>>>>>>",
      streamOf("9 0 d0 /X Do"),
      streamOf(
        "0 0 9 9 re f",
        `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency>>/Resources<<>>${layer}`,
      ),
    ],
  });

test.each([
  ["a glyph", "/Font<</T 8 0 R>>"],
  ["a mask", "/ExtGState<</M<</SMask<</S/Alpha/G 10 0 R>>>>>>"],
  ["another pattern", "/Pattern<</Q<</PatternType 2/Resources<</XObject<</X 10 0 R>>>>>>>>"],
])("a pattern whose cell may draw what belongs to a layer by %s is refused", async (_, resources) => {
  await expect(admit(cellBy(resources, "/OC 6 0 R"))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each([
  ["a glyph", "/Font<</T 8 0 R>>", ""],
  ["an annotation", "", "/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 9 9]/AP<</N 11 0 R>>>>]"],
  ["an annotation that is", "", "/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 9 9]/AP<</N 10 0 R>>>>]"],
])("what belongs to a layer, drawn by %s, is refused", async (_, fonts, annotations) => {
  const layered = "/OC 6 0 R";
  const options = {
    pages: [{ resources: fonts, entries: `/MediaBox[0 0 99 99]${annotations}` }],
    catalog: "/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>",
    objects: [
      "<</Type/OCG/Name(a)>>",
      streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>"),
      "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]" +
        "/Encoding<</Differences[97/a]>>/CharProcs<</a 9 0 R>>/Resources<</XObject<</X 10 0 R>>>>>>",
      streamOf("9 0 d0 /X Do"),
      streamOf("0 0 9 9 re f", `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>${layered}`),
      streamOf("/X Do", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 10 0 R>>>>"),
    ],
  };
  await expect(admit(pdf(options))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a pattern whose cell has parts of a layer is refused", async () => {
  const admitted = admit(cellBy("/Properties<</L 6 0 R>>", ""));
  await expect(admitted).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each([
  ["is of a layer", "/OC 6 0 R", ""],
  ["draws what is of a layer", "", "/OC 6 0 R"],
])("a mask that %s is refused where layers are off", async (_, ofGroup, ofForm) => {
  await expect(admit(maskedBy(ofGroup, ofForm, "6 0 R"))).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(maskedBy(ofGroup, ofForm, ""))).bytes).toBeNull();
  expect((await admit(maskedBy("", "", "6 0 R"))).bytes).toBeNull();
});
