import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const [FORM, MASK, INNER] = [6, 7, 8];
const form = "/Type/XObject/Subtype/Form/BBox[0 0 99 99]";
const square = "1 0 0 rg 0 0 50 50 re f";
const states =
  `/ExtGState<</Half<</ca .5>>/Whole<</ca 1>>/Multiply<</BM/Multiply>>/Normal<</BM/Normal>>` +
  `/Mask<</SMask<</S/Luminosity/G ${MASK} 0 R>>>>/None<</SMask/None>>>>`;

interface Drawn {
  /** On the page, before the form. */
  before?: string;
  /** In the form. */
  inner?: string;
  group?: string;
  /** In the mask. */
  within?: string;
  page?: string;
  maskGroup?: string;
}

const drawn = (given: Drawn) => {
  const { before = "", inner = square, group = "", page = "" } = given;
  const { within = "1 g 0 0 50 50 re f", maskGroup = "/CS/DeviceGray" } = given;
  return pdf({
    pages: [
      {
        entries: `/MediaBox[0 0 99 99]${page}`,
        content: `${before} /X Do`,
        resources: `/XObject<</X ${FORM} 0 R>>${states}`,
      },
    ],
    objects: [
      streamOf(
        inner,
        `${form}${group && `/Group<<${group}>>`}/Resources<<${states}/Font<</F1 3 0 R>>/XObject<</Inner ${INNER} 0 R>>>>`,
      ),
      streamOf(within, `${form}/Group<</S/Transparency${maskGroup}>>/Resources<<${states}>>`),
      streamOf(square, `${form}/Resources<<>>`),
    ],
  });
};
const textOf = (bytes: Uint8Array | null): string =>
  Buffer.from(bytes ?? [])
    .toString("latin1")
    .replaceAll(/\s+/g, " ");

describe("a form that only some readers take for a group is refused", () => {
  test.each<[string, Drawn]>([
    ["ends a mask that it is drawn through", { before: "/Mask gs", inner: `/None gs ${square}` }],
    ["sets another mask than it is drawn through", { before: "/Mask gs", inner: `/Mask gs ${square}` }],
    ["sets an opacity while its colors are mixed", { before: "/Multiply gs", inner: `/Half gs ${square}` }],
    ["is moved after the mask was set that it is drawn through", { before: "/Mask gs 1 0 0 1 9 9 cm" }],
    ["ends what it is drawn with", { before: "/Multiply gs", inner: `/Normal gs ${square}` }],
    ["mixes colors while it is seen through", { before: "/Half gs", inner: `/Multiply gs ${square}` }],
    ["sets a mask while its colors are mixed", { before: "/Multiply gs", inner: `/Mask gs ${square}` }],
    ["shows text while its colors are mixed", { before: "/Multiply gs", inner: "0 g BT /F1 9 Tf (H) Tj ET" }],
    ["draws areas and their lines while its colors are mixed", { before: "/Multiply gs", inner: "0 0 9 9 re B" }],
    [
      "has another in it and draws something else, and is half seen",
      { before: "/Half gs", inner: `/Inner Do ${square}` },
    ],
    ["has another in it and an opacity, and is half seen", { before: "/Half gs", inner: "/Whole gs /Inner Do" }],
    ["draws two things through a mask", { before: "/Mask gs", inner: `${square} 0 g 9 9 99 99 re f` }],
    [
      "is a group that mixes colors, is not isolated, and is seen through as a whole",
      { before: "/Half gs", inner: `/Multiply gs ${square}`, group: "/S/Transparency" },
    ],
  ])("one that %s", async (_, given) => {
    await expect(admit(drawn(given))).rejects.toMatchObject({ reason: "shown_otherwise" });
  });
});

describe("a group that readers take each in their own way is written as most take it", () => {
  test.each<[string, Drawn, string | null]>([
    ["of no kind", { group: "/I true" }, "/Group << /I true /S /Transparency >>"],
    ["of another kind", { group: "/S/Odd" }, "/Group << /S /Transparency >>"],
    ["that mixes colors of ink", { group: "/S/Transparency/CS/DeviceCMYK" }, "/Group << /S /Transparency >>"],
    [
      "that knocks out, with something that is seen through",
      { group: "/S/Transparency/I true/K true", inner: `${square} /Half gs ${square}` },
      "/Group << /S /Transparency /I true >>",
    ],
    [
      "that knocks out, and cuts out by what it draws",
      { group: "/S/Transparency/K true", inner: "9 9 50 50 re W S" },
      "/Group << /S /Transparency >>",
    ],
    [
      "that is a mask, not isolated, and seen through in part",
      { before: "/Mask gs", within: "/Half gs 1 g 0 0 50 50 re f" },
      "/Group << /S /Transparency /CS /DeviceGray /I true >>",
    ],
    [
      "that is not isolated, seen through in part and mixed with what lies under it",
      { before: "/Multiply gs", inner: `/Half gs ${square}`, group: "/S/Transparency" },
      "/Group << /S /Transparency /I true >>",
    ],
    ["that mixes colors and is not isolated", { inner: `/Multiply gs ${square}`, group: "/S/Transparency" }, null],
    [
      "that is a mask in colors of ink",
      { before: "/Mask gs", maskGroup: "/CS/DeviceCMYK" },
      "/Group << /S /Transparency /CS /DeviceRGB >>",
    ],
    [
      "that is a mask of no space, not isolated, and seen through in part",
      { before: "/Mask gs", within: "/Half gs 1 g 0 0 50 50 re f", maskGroup: "" },
      "/Group << /S /Transparency /I true /CS /DeviceRGB >>",
    ],
    ["that a form is to be through a mask", { before: "/Mask gs" }, "/Group << /S /Transparency >>"],
    [
      "that a form of text in one color is to be through a mask",
      { before: "/Mask gs", inner: "0 g BT /F1 9 Tf (H) Tj (I) Tj ET" },
      "/Group << /S /Transparency >>",
    ],
    [
      "that a form is to be that has another in it and is half seen",
      { before: "/Half gs", inner: "/Inner Do" },
      "/Group << /S /Transparency >>",
    ],
    ["of a page in greys", { page: "/Group<</S/Transparency/CS/DeviceGray>>" }, "/Group << /S /Transparency >>"],
  ])("one %s", async (_, given, settled) => {
    const found = await admit(drawn(given));
    expect(found.disarmed).toEqual(["shown_otherwise"]);
    const written = textOf(found.bytes);
    if (settled === null) expect(written.match(/\/Group/g)).toHaveLength(1);
    else expect(written).toContain(settled);
    expect((await admit(found.bytes ?? new Uint8Array())).bytes).toBeNull();
  });

  test.each<[string, Drawn]>([
    [
      "one that is isolated, and whatever it mixes",
      { group: "/S/Transparency/I true/CS/DeviceRGB", inner: `/Multiply gs ${square}`, before: "/Half gs" },
    ],
    ["one that knocks out nothing", { group: "/S/Transparency/K true" }],
    ["one that cuts out by what it does not draw", { group: "/S/Transparency/K true", inner: "0 0 9 9 re W n" }],
    ["one that is seen through", { group: "/S/Transparency", before: "/Half gs", inner: `/Whole gs ${square}` }],
    ["a group through a mask", { group: "/S/Transparency", before: "1 0 0 1 9 9 cm /Mask gs q 2 0 0 2 0 0 cm Q" }],
    ["a form that mixes colors by itself", { inner: `/Multiply gs ${square} /Normal gs ${square}` }],
  ])("%s stays", async (_, given) => {
    expect((await admit(drawn(given))).bytes).toBeNull();
  });
});

test("a group that is drawn, and a mask by a state that nobody sets, loses its greys as others do", async () => {
  const options = {
    content: "/X Do",
    resources: "/XObject<</X 6 0 R>>/ExtGState<</M<</SMask<</S/Luminosity/G 6 0 R>>>>>>",
  };
  const group = `${form}/Group<</S/Transparency/CS/DeviceGray/I true>>/Resources<<>>`;
  const drawnTwice = (content: string) => pdf({ pages: [{ ...options, content }], objects: [streamOf(square, group)] });
  const { bytes } = await admit(drawnTwice("/X Do"));
  expect(textOf(bytes)).not.toBe("");
  expect(textOf(bytes)).not.toContain("/CS");
  await expect(admit(drawnTwice("/X Do /M gs 0 0 9 9 re f"))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a pattern whose cell mixes colors is refused: one reader leaves out what lies under it", async () => {
  const cell = (content: string) =>
    pdf({
      pages: [{ content: "/Pattern cs /P scn 0 0 50 50 re f", resources: "/Pattern<</P 6 0 R>>" }],
      objects: [
        streamOf(
          `${content} ${square}`,
          `/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 50 50]/XStep 50/YStep 50/Resources<<${states}>>`,
        ),
        streamOf("", `${form}/Group<</S/Transparency/CS/DeviceGray>>`),
      ],
    });
  expect((await admit(cell("/Half gs"))).bytes).toBeNull();
  await expect(admit(cell("/Multiply gs"))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

/** A page with an annotation that looks like a form of a group, which a state may have for a mask. */
const stamped = (group: string, content: string, state = "") =>
  pdf({
    pages: [
      {
        entries: `/MediaBox[0 0 99 99]/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 99 99]/AP<</N ${FORM} 0 R>>>>]`,
        resources: state,
      },
    ],
    objects: [
      streamOf(content, `${form}/Group<</S/Transparency${group}>>/Resources<<${states.replace(/\/Mask.*R>>>>/, "")}>>`),
    ],
  });

test("what an annotation looks like is judged as what is drawn, though some state has it for a mask", async () => {
  const asMask = `/ExtGState<</M<</SMask<</S/Luminosity/G ${FORM} 0 R>>>>>>`;
  const gray = await admit(stamped("/I true/CS/DeviceGray", square, asMask));
  expect(textOf(gray.bytes)).toMatch(/\/Group << \/S \/Transparency \/I true >>/);
  expect((await admit(stamped("/I true/CS/DeviceRGB", square, asMask))).bytes).toBeNull();
});

test("an annotation that multiplies its colors with the page's is no group by itself: it would cover the page in MuPDF", async () => {
  const multiplied = stamped("/I true/CS/DeviceRGB", `/Multiply gs ${square}`);
  expect(textOf((await admit(multiplied)).bytes)).not.toContain("/Group");
  expect((await admit(stamped("/I true/CS/DeviceRGB", square))).bytes).toBeNull();
});

/** A page with a shading, drawn by a state. */
const shaded = (state: string, shading: string) =>
  pdf({
    pages: [
      {
        content: "/G gs 0 0 50 50 re W n /S sh",
        resources: `/ExtGState<</G<<${state}>>>>/Shading<</S<</ColorSpace/DeviceGray${shading}>>>>`,
      },
    ],
  });
const axial = "/ShadingType 2/Coords[0 0 9 9]/Function<</FunctionType 2/Domain[0 1]/C0[0]/C1[1]/N 1>>";

test.each([
  ["leaves a part free, and is taken from what lies under it", "/BM/Difference", axial],
  ["leaves a part free, and excludes what lies under it", "/BM/Exclusion", `${axial}/Extend[true false]`],
])("a shading that %s is refused: MuPDF draws that part in black", async (_, state, shading) => {
  await expect(admit(shaded(state, shading))).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(shaded(state, `${axial}/Extend[true true]`))).bytes).toBeNull();
  expect((await admit(shaded("/BM/Multiply", shading))).bytes).toBeNull();
});
