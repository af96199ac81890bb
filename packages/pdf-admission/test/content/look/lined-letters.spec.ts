import { openDocument } from "@rubrica/pdf-reading/open";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { lookAtContents } from "../../../src/content/look.ts";

const states =
  "/ExtGState<</Half<</ca .5/CA .5>>/Areas<</ca .5>>/Lines<</CA .5>>/Whole<</ca 1/CA 1>>/OneWhole<</ca 1>>/Thin<</LW .1>>>>";
const group = "/Group<</S/Transparency>>";
const [plain, lined] = ["", "1 Tr "].map((mode) => `BT ${mode}/F1 32 Tf (H) Tj ET`) as [string, string];
const forms: readonly (readonly [drawn: string, entries: string])[] = [
  [lined, ""],
  [plain, ""],
  [lined, group],
  [plain, group],
  [`/OneWhole gs ${lined}`, ""],
  [`/Areas gs ${plain}`, group],
  ["/Lined Do", ""],
  [`[99 9] 0 d ${plain}`, ""],
];
const names =
  "/XObject<</Lined 6 0 R/Plain 7 0 R/LinedGroup 8 0 R/Group 9 0 R/Half 10 0 R/Own 11 0 R/Nested 12 0 R/Dashed 13 0 R>>";
const owned = "/O<</Type/Font/Subtype/TrueType/BaseFont/A/FontDescriptor<</Type/FontDescriptor/FontFile2 14 0 R>>>>";

const faultOf = async (content: string) => {
  const objects = forms.map(([drawn, entries]) =>
    streamOf(
      drawn,
      `/Type/XObject/Subtype/Form/BBox[0 0 99 99]${entries}/Resources<<${states}${names}/Font<</F1 3 0 R>>>>`,
    ),
  );
  const pages = [{ content, resources: states + names, fonts: owned }];
  return lookAtContents(await openDocument(pdf({ pages, objects: [...objects, streamOf("")] }))).fault;
};

test.each([
  ["whose areas are seen through more", "painting", `/Areas gs ${lined}`],
  ["that are seen through more than areas", "painting", `/Lines gs ${lined}`],
  ["that are drawn with areas", "painting", "/Areas gs BT 2 Tr /F1 32 Tf (H) Tj ET"],
  ["that are seen through as areas are", null, `/Half gs ${lined}`],
  ["that were seen through before", null, `q /Lines gs Q /Areas gs /Whole gs ${lined}`],
  ["that are not drawn", null, `/Areas gs ${plain}`],
  ["of a form", "group", "/Areas gs /Lined Do"],
  ["of a form in a form", "group", "/Lines gs /Nested Do"],
  ["of a form that sets one of both", "group", "/Half gs /Half Do"],
  ["of a group, which begins anew", null, "/Areas gs q /LinedGroup Do Q"],
  ["that a form has from who draws it", "group", "1 Tr /Areas gs /Plain Do"],
  ["that a group has from who draws it", null, "1 Tr /Areas gs /Group Do"],
  ["that a group has from who draws it, and sees through itself", "group", "1 Tr /Own Do"],
  ["of nobody", null, "/Own Do /Areas gs /Plain Do"],
])("lines around letters, which pdf.js sees through as it does areas, %s: %s", async (_, fault, content) => {
  expect(await faultOf(content)).toBe(fault);
});

test.each([
  ["by dashes", "painting", `[99 9] 0 d ${lined}`],
  ["by dashes that are over", null, `[99 9] 0 d [] 0 d ${lined}`],
  ["at once with areas, by dashes", "painting", "[99 9] 0 d BT 2 Tr /F1 32 Tf (H) Tj ET"],
  ["in a form, by dashes of who draws it", "group", "[99 9] 0 d /Lined Do"],
  ["in a form, by lines and dashes of who draws it", "group", "1 Tr [99 9] 0 d /Plain Do"],
  ["in a form by its own dashes and lines of who draws it", "group", "1 Tr /Dashed Do"],
  ["not, with dashes", null, `[99 9] 0 d ${plain}`],
  ["not in a form, with dashes", null, "[99 9] 0 d /Plain Do"],
])("letters drawn %s, which readers begin elsewhere on a letter: %s", async (_, fault, content) => {
  expect(await faultOf(content)).toBe(fault);
});

const both = (set: string, font = "F1", size = "32") => `/Half gs ${set} BT 2 Tr /${font} ${size} Tf (H) Tj ET`;

test.each([
  ["thin", null, both("2 w")],
  ["thin by a graphics state", null, both("99 w /Thin gs")],
  ["thin again", null, both("1 w q 9 w Q")],
  ["wide", "painting", both("2.1 w")],
  ["of a dot", null, both("0 w")],
  ["thin around letters that are made flat", "painting", both("2 w").replace("2 Tr", "2 Tr 1 0 0 .1 0 0 Tm")],
  ["thin around letters that lean far", "painting", both("2 w").replace("2 Tr", "2 Tr 1 0 9 1 0 0 Tm")],
  ["thin around letters that are made narrow", "painting", both("2 w").replace("2 Tr", "2 Tr 10 Tz")],
  ["thin in a font that the file brings along, whose letters may be small", "painting", both("2 w", "O")],
  ["thin around larger letters", null, both("4 w", "F1", "64")],
])("letters that are seen through, with lines around them that are %s: %s", async (_, fault, content) => {
  expect(await faultOf(content)).toBe(fault);
});
