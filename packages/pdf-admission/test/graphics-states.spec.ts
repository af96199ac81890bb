import { type FixtureOptions, firstFurtherObject, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../src/admit.ts";

const next = firstFurtherObject(1);
const FORM = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]";
const withState = (entries: string): FixtureOptions => ({
  pages: [{ resources: `/ExtGState<</G<<${entries}>>>>` }],
  objects: [
    streamOf("", `${FORM}/Group<</S/Transparency>>`),
    streamOf("", FORM),
    streamOf("", `${FORM}/Group<</S/Transparency/CS/DeviceRGB>>`),
    "<</FunctionType 2/Domain[0 1]/N 1/C0[1]/C1[0]>>",
    "9",
    "[3 9]",
    "1",
    streamOf("", `${FORM.replace("9 9]", "0 9]")}/Group<</S/Transparency>>`),
    `[[3 ${next + 4} 0 R] 0]`,
  ],
});
const textOf = (bytes: Uint8Array | null): string =>
  Buffer.from(bytes ?? [])
    .toString("latin1")
    .replaceAll(/\s+/g, " ");

describe("graphics states that readers take each in their own way", () => {
  test.each([
    ["an opacity below zero", "/ca -1", "<< /ca 0 >>"],
    ["an opacity that is no number", "/ca 0.5/CA(1)", "<< /ca 0.5 >>"],
    ["an opacity of nothing", "/ca null/CA 1", "<< /CA 1 >>"],
    ["dashes of nothing", "/D null/CA 1", "<< /CA 1 >>"],
    ["a dictionary for how colors are reckoned", "/RI<<>>/CA 1", "<< /CA 1 >>"],
    ["a dictionary for how smooth curves are", "/FL<<>>/CA 1", "<< /CA 1 >>"],
    ["a number for what is printed over", "/OP 1/CA 1", "<< /CA 1 >>"],
    ["a blend mode that is not there", "/BM 99 0 R/CA 1", "<< /CA 1 >>"],
    ["a mask that is none", "/SMask/Foo/CA 1", "<< /CA 1 >>"],
    ["a list of blend modes", "/BM[/Odd/Multiply/Screen]", "<< /BM /Multiply >>"],
    ["a list of unknown blend modes", "/BM[/Odd]", "<< /BM /Normal >>"],
    ["a blend mode that is no name", "/BM(Multiply)/ca 1", "<< /ca 1 >>"],
    ["a line width below zero", "/LW -5/ca 1", "<< /ca 1 >>"],
    ["dashes below zero", "/D[[-1] 0]/ca 1", "<< /ca 1 >>"],
    ["dashes with more than where they begin", "/D[[1] 0 1]/ca 1", "<< /ca 1 >>"],
    ["a line width that is no number", "/LW(5)/ca 1", "<< /ca 1 >>"],
    ["ends of lines that there are not", "/LC 9/LJ 1.5/ca 1", "<< /ca 1 >>"],
    ["corners that reach nowhere", "/ML 0/ca 1", "<< /ca 1 >>"],
    ["a background of a mask by opacity", `/SMask<</S/Alpha/BC[1]/G ${next} 0 R>>`, `<< /SMask << /S /Alpha /G`],
    ["a function of a mask that is none", `/SMask<</S/Alpha/TR/Odd/G ${next} 0 R>>`, `<< /SMask << /S /Alpha /G`],
  ])("%s: written as most readers take it", async (_, entries, settled) => {
    const found = await admit(pdf(withState(entries)));
    expect(found.disarmed).toEqual(["shown_otherwise"]);
    expect(textOf(found.bytes)).toContain(`/G ${settled}`);
    expect((await admit(found.bytes ?? new Uint8Array())).bytes).toBeNull();
  });

  test("the same of a pattern's own state", async () => {
    const pattern =
      "<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 1]/Function<</FunctionType 2/Domain[0 1]/N 1>>>>/ExtGState<</ca -1>>>>";
    const found = await admit(pdf({ objects: [pattern], pages: [{ resources: `/Pattern<</P ${next} 0 R>>` }] }));
    expect(textOf(found.bytes)).toContain("/ExtGState << /ca 0 >>");
  });

  test.each([
    ["a mask of no kind", `/SMask<</G ${next} 0 R>>`],
    ["a mask of what is no group", `/SMask<</S/Alpha/G ${next + 1} 0 R>>`],
    ["a mask of a group without room", `/SMask<</S/Alpha/G ${next + 7} 0 R>>`],
    ["a background in a group without colors", `/SMask<</S/Luminosity/BC[1]/G ${next} 0 R>>`],
    ["a background of other colors than its group's", `/SMask<</S/Luminosity/BC[1]/G ${next + 2} 0 R>>`],
    ["a background by references", `/SMask<</S/Luminosity/BC[0 0 ${next + 6} 0 R]/G ${next + 2} 0 R>>`],
    ["colors that are dodged", "/BM/ColorDodge"],
    ["colors of another's hue", "/BM/Hue"],
    ["colors of another's saturation", "/BM/Saturation"],
    ["colors that are burnt", "/BM[/Odd/ColorBurn]"],
    ["dashes by references", `/D[[3 ${next + 4} 0 R] 0]`],
    ["a list of dashes by a reference", `/D[${next + 5} 0 R 0]`],
    ["dashes that stand elsewhere, by references", `/D ${next + 8} 0 R`],
    ["dashes begun after all of an odd number", "/D[[3] 3]"],
    ["more dashes than PDFium draws", `/D[[${"3 2 ".repeat(17)}] 0]`],
    ["a font", "/Font[3 0 R 9]"],
    ["a mask that a function changes", `/SMask<</S/Luminosity/TR ${next + 3} 0 R/G ${next} 0 R>>`],
  ])("%s: refused", async (_, entries) => {
    await expect(admit(pdf(withState(entries)))).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test("others stay", async () => {
    const mask = `<</S/Luminosity/TR/Identity/BC[0 0 1]/G ${next + 2} 0 R>>`;
    const sound = `/ca 0.5/CA 1/BM/Multiply/LW 2/LC 1/ML 3/D[[3 0] 1]/SMask${mask}`;
    expect((await admit(pdf(withState(sound)))).bytes).toBeNull();
  });
});

test.each([
  ["a printer's function of a state that says it is a mask", "/ExtGState<</G<</S/Alpha/G/X/TR/Odd>>>>", "/TR"],
])("%s are judged as well", async (_, resources, odd) => {
  const { bytes } = await admit(pdf({ pages: [{ resources }] }));
  expect(bytes && Buffer.from(bytes).includes(odd)).toBe(false);
});
