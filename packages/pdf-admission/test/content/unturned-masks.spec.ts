import { openDocument } from "@rubrica/pdf-reading/open";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { type FixturePage, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { lookAtContents } from "../../src/content/look.ts";

const STATES = "/ExtGState<</Mask<</SMask<</S/Luminosity/G 6 0 R>>>>/None<</SMask/None>>>>";
const SHADING =
  "<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 9 9]" +
  "/Function<</FunctionType 2/Domain[0 1]/N 1/C0[1]/C1[0]>>>>>>";
const fontOf = (glyph: number) =>
  "/D<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]" +
  `/Encoding<</Differences[97/a]>>/CharProcs<</a ${glyph} 0 R>>/Resources<<${STATES}>>>>`;
const formOf = (group: string) =>
  streamOf(
    "/Pattern cs /Cells scn 0 0 9 9 re f",
    `/Type/XObject/Subtype/Form/BBox[0 0 9 9]${group}/Resources<</Pattern<</Cells 7 0 R>>>>`,
  );
const objects = [
  streamOf(
    "1 g 0 0 9 9 re f",
    "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceGray>>/Resources<<>>",
  ),
  streamOf("0 0 5 5 re f", "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>"),
  streamOf("9 0 0 0 9 9 d1 /Mask gs 0 0 9 9 re f"),
  streamOf("9 0 0 0 9 9 d1 /None gs 0 0 9 9 re f"),
  formOf(""),
  formOf("/Group<</S/Transparency>>"),
];
const resources = `${STATES}/Pattern<</Cells 7 0 R/Shades ${SHADING}>>/XObject<</Form 10 0 R/Group 11 0 R>>`;

test.each<[string, string | null, FixturePage]>([
  ["an area in a pattern of cells", "painting", { content: "/Mask gs /Pattern cs /Cells scn 0 0 9 9 re f" }],
  ["lines in one, set before", "painting", { content: "/Pattern CS /Cells SCN /Mask gs 0 0 9 9 re S" }],
  ["letters in one", "painting", { content: "/Mask gs /Pattern cs /Cells scn BT /F1 9 Tf (H) Tj ET" }],
  ["an area in one, once there is none", null, { content: "/Mask gs /None gs /Pattern cs /Cells scn 0 0 9 9 re f" }],
  ["an area after one", null, { content: "/Mask gs q /Pattern cs /Cells scn Q 0 0 9 9 re f" }],
  ["an area in shades", null, { content: "/Mask gs /Pattern cs /Shades scn 0 0 9 9 re f" }],
  ["a form with an area in one", "painting", { content: "/Mask gs /Form Do" }],
  ["a group with one", null, { content: "/Mask gs /Group Do" }],
  ["such a form, by none", null, { content: "/None gs /Form Do" }],
  ["a glyph's area", "resource", { content: "BT /D 9 Tf (a) Tj ET", fonts: fontOf(8) }],
  ["a glyph's area, where it ends one", null, { content: "BT /D 9 Tf (a) Tj ET", fonts: fontOf(9) }],
])("through a mask, %s: %s", async (_name, fault, page) => {
  const document = await openDocument(pdf({ pages: [{ resources, ...page }], objects }));
  expect(lookAtContents(document).fault).toBe(fault);
});

const maskedBy = (matrix: string, drawn = "1 g 1 2 3 4 re f") => {
  const group = "/Group<</S/Transparency/CS/DeviceGray>>";
  const form = streamOf(
    drawn,
    `/Type/XObject/Subtype/Form/BBox[1 2 4 6]${matrix}${group}/Resources<</Pattern<</P ${SHADING}>>>>`,
  );
  return pdf({ pages: [{ content: "/Mask gs 0 0 99 99 re f", resources: STATES }], objects: [form] });
};

test.each([
  ["moves", "1 0 0 1 50 60", [51, 62, 54, 66]],
  ["makes larger", "2 0 0 -.5 0 0", [2, -1, 8, -3]],
  ["turns by a quarter", "0 1 -1 0 9 0", [7, 1, 3, 4]],
])("what a mask draws that its matrix %s is written there, for Poppler prints it without", async (_, matrix, sides) => {
  const look = lookAtContents(await openDocument(maskedBy(`/Matrix[${matrix}]`)));
  const place = look.moved.get(6);
  expect([look.fault, place?.box.asArray().map(Number)]).toEqual([null, sides]);
  expect(Buffer.from(look.mended.get(6) ?? []).toString()).toBe(`${place?.before}1 g 1 2 3 4 re f`);
  const { bytes } = await admit(maskedBy(`/Matrix[${matrix}]`));
  const settled = await openDocument(bytes ?? new Uint8Array());
  expect(settled.file.uncached(6)?.object.toString()).not.toContain("/Matrix");
  expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
});

test("a mask's matrix that does nothing stays; one that turns it aside, or moves patterns, is refused", async () => {
  expect((await admit(maskedBy("/Matrix[1 0 0 1 0 0]"))).bytes).toBeNull();
  const faultOf = async (file: Uint8Array) => lookAtContents(await openDocument(file)).fault;
  expect(await faultOf(maskedBy("/Matrix[1 1 -1 1 0 0]"))).toBe("group");
  expect(await faultOf(maskedBy("/Matrix[1 0 0 1 9 9]", "/Pattern cs /P scn 1 2 3 4 re f"))).toBe("group");
});

test("a mask's matrix that somebody signed is refused", async () => {
  const { engine, identity } = await openedEngine();
  const signed = async (matrix: string) =>
    (await engine.seal(maskedBy(matrix), { identity, sealedAt: systemClock.now() })).bytes;
  expect((await admit(await signed(""))).bytes).toBeNull();
  await expect(admit(await signed("/Matrix[1 0 0 1 9 9]"))).rejects.toMatchObject({ reason: "shown_otherwise" });
});
