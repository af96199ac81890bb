import { openDocument } from "@rubrica/pdf-reading/open";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { lookAtContents } from "../../../src/admission/content/look.ts";

const form = (entries: string, drawn: string) =>
  streamOf(drawn, `/Type/XObject/Subtype/Form/BBox[0 0 99 99]${entries}/Resources<<>>`);
const states = "/ExtGState<</Long<</D[[20 9] 0]>>/Solid<</D[[] 0]>>>>";
const faultOf = async (content: string, group = "") => {
  const resources = `${states}/XObject<</Box 6 0 R/Line 7 0 R/Own 8 0 R>>`;
  const forms = ["1 1 9 9 re S", "1 1 m 50 50 l S", "[1] 0 d 1 1 9 9 re S"].map((drawn) => form(group, drawn));
  return lookAtContents(await openDocument(pdf({ pages: [{ content, resources }], objects: forms }))).fault;
};
const square = "1 1 m 10 1 l 10 10 l 1 10 l";

test.each([
  ["a box", "painting", "[20 9] 0 d 1 1 9 9 re S"],
  ["dashes half as long as a side", "painting", "[5] 0 d 1 1 50 9 re B"],
  ["dashes of a graphics state", "painting", "/Long gs 1 1 9 9 re S"],
  ["lines that make a box", "painting", `[9] 0 d ${square} h S`],
  ["lines that are closed to a box", "painting", `[9] 0 d ${square} s`],
  ["lines that come back", "painting", `[9] 0 d ${square} 1 1 l S`],
  ["a box that is smaller than another one", "painting", "[9] 0 d 1 1 9 9 re 0 0 90 90 re S"],
  ["lines that make no box", null, `[9] 0 d ${square} S`],
  ["a curve", null, `[9] 0 d 1 1 m 9 9 9 1 1 9 c 9 9 l 5 5 l h S`],
  ["short dashes", null, "[3 2] 0 d 1 1 9 9 re S"],
  ["gaps that are short", null, "[90 2] 0 d 1 1 9 9 re S"],
  ["gaps alone", null, "[0 90] 0 d 1 1 9 9 re S"],
  ["no dashes any more", null, "q [9] 0 d Q 1 1 9 9 re S [9] 0 d [] 0 d 1 1 9 9 re S /Long gs /Solid gs 1 1 9 9 re S"],
  ["a box that is filled", null, "[9] 0 d 1 1 9 9 re f"],
  ["a form of a box", "group", "[9] 0 d /Box Do"],
  ["a form of lines", null, "[9] 0 d /Line Do"],
  ["a form that sets its own dashes", null, "[9] 0 d /Own Do"],
  ["a form of a box without dashes", null, "/Box Do"],
])("long dashes around %s: %s", async (_name, fault, content) => {
  expect(await faultOf(content)).toBe(fault);
});

test("a group of a box has the dashes of who draws it, too", async () => {
  expect(await faultOf("[9] 0 d /Box Do", "/Group<</S/Transparency>>")).toBe("group");
});
