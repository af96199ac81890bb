import { type Operator, operatorAt } from "@rubrica/pdf-reading/content-operators";
import { openDocument } from "@rubrica/pdf-reading/open";
import { systemClock } from "@rubrica/runtime";
import { collectGarbage } from "@rubrica/test-kit/garbage";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { DashedBoxes } from "../../src/content/dashed-boxes.ts";
import { lookAtContents } from "../../src/content/look.ts";

const { engine, identity } = await openedEngine();

const operatorNamed = (name: string) => operatorAt(Buffer.from(name), 0, name.length) as Operator;
const form = (entries: string, drawn: string) =>
  streamOf(drawn, `/Type/XObject/Subtype/Form/BBox[0 0 99 99]${entries}/Resources<<>>`);
const states = "/ExtGState<</Long<</D[[20 9] 0]>>/Solid<</D[[] 0]>>/Half<</CA .5>>/Dots<</D[[0 9] 0]>>>>";
const fileOf = (content: string, group = "") => {
  const resources = `${states}/XObject<</Box 6 0 R/Line 7 0 R/Own 8 0 R/Square 9 0 R>>`;
  const drawings = ["1 1 9 9 re S", "1 1 m 50 50 l S", "[1] 0 d 1 1 9 9 re S", "2 J 1 1 m 50 50 l S"];
  const forms = drawings.map((drawn) => form(group, drawn));
  return pdf({ pages: [{ content, resources }], objects: forms });
};
const lookAt = async (content: string, group = "") => lookAtContents(await openDocument(fileOf(content, group)));
const mendedOf = async (content: string, number = 5) =>
  Buffer.from((await lookAt(content)).mended.get(number) ?? [])
    .toString("latin1")
    .replaceAll(/\s+/g, " ")
    .trim();

const box = "1 1 m 4 1 7 1 10 1 c 10 10 l 1 10 l 1 1 l";
const lines = "1 1 m 10 1 l 10 10 l 1 10 l";
const curved = "1 1 m 4 1 7 1 10 1 c 10 10 l 1 10 l";

test.each([
  ["of a rectangle", "[20 9] 0 d 1 1 9 9 re S", `[20 9] 0 d ${box} S`],
  ["with a long gap", "[1 90] 0 d 1 1 9 9 re S", `[1 90] 0 d ${box} S`],
  ["of dots", "[0 90] 0 d 1 J 1 1 9 9 re S", `[0 90] 0 d 1 J ${box} S`],
  ["with one gap", "[90 2] 88 d 1 1 9 9 re S", `[90 2] 88 d ${box} S`],
  ["with short dashes", "[3 2] 0 d 1 1 9 9 re S", `[3 2] 0 d ${box} S`],
  ["by a graphics state", "/Long gs 1 1 9 9 re S", `/Long gs ${box} S`],
  ["of lines", `[9] 0 d ${lines} h S`, `[9] 0 d ${curved} 1 1 l S`],
  ["of lines closed as they are painted", `[9] 0 d ${lines} s`, `[9] 0 d ${curved} 1 1 l S`],
  ["of lines that come back", `[9] 0 d ${lines} 1 1 l S`, `[9] 0 d ${curved} 1 1 l S`],
  [
    "of lines in parts",
    "[9] 0 d 1 1 m 1 1 l 4 1 l 8 1 l 10 1 l 10 10 l 1 10 l h S",
    "[9] 0 d 1 1 m 1 1 l 2 1 3 1 4 1 c 8 1 l 10 1 l 10 10 l 1 10 l 1 1 l S",
  ],
  ["beside another one", "[9] 0 d 1 1 9 9 re 2 2 m 9 9 l S", `[9] 0 d ${box} 2 2 m 9 9 l S`],
  ["seen through", "/Half gs [9] 0 d 1 1 9 9 re W B", `/Half gs [9] 0 d ${box} f ${box} W S`],
])(
  "a side of a dashed box %s is written as a curve, for Poppler prints it from another corner on",
  async (_name, content, mended) => {
    expect(await mendedOf(content)).toBe(mended);
  },
);

const corner = "1 1 m 9 1 l 5 9 l";
const ledBack = `${corner} 1 1 l`;

test.each([
  ["closed", `[9] 0 d ${corner} h S`, `[9] 0 d ${ledBack} S`],
  ["closed as it is painted", `[9] 0 d ${corner} s`, `[9] 0 d ${ledBack} S`],
  ["closed with its area", `[9] 0 d ${corner} b*`, `[9] 0 d ${ledBack} B*`],
  ["closed twice", `[9] 0 d ${corner} h h s`, `[9] 0 d ${ledBack} S`],
  ["of a curve", "[9] 0 d 1 1 m 9 9 9 1 1 9 c h S", "[9] 0 d 1 1 m 9 9 9 1 1 9 c 1 1 l S"],
  ["seen through", `/Half gs [9] 0 d ${corner} b*`, `/Half gs [9] 0 d ${corner} f* ${ledBack} S`],
])(
  "a dashed line that is %s is led back to its start, where pdf.js leaves out a corner",
  async (_, content, mended) => {
    expect(await mendedOf(content)).toBe(mended);
  },
);

test.each([
  ["a rectangle", "[9] 0 d 1 1 9 9 re 20 1 l S", `[9] 0 d ${box} 1 1 m 20 1 l S`],
  ["lines", `[9] 0 d ${corner} h 20 1 l S`, `[9] 0 d ${ledBack} 1 1 m 20 1 l S`],
  ["lines, twice", `[9] 0 d ${corner} h 20 1 l 20 9 l b`, `[9] 0 d ${ledBack} 1 1 m 20 1 l 20 9 l 1 1 l B`],
  ["lines, by a curve", `[9] 0 d ${corner} h 9 9 1 9 v S`, `[9] 0 d ${ledBack} 1 1 m 9 9 1 9 v S`],
])("dashes that go on after %s begin anew, as MuPDF does not by itself", async (_, content, mended) => {
  expect(await mendedOf(content)).toBe(mended);
});

test.each([
  ["more than PDFium draws", `[${"3 2 ".repeat(17)}] 0 d`, "value"],
  ["as many as it draws", `[${"3 2 ".repeat(16)}] 0 d`, null],
  ["begun after all of an odd number, which MuPDF takes for gaps", "[3] 3 d", "value"],
  ["begun after some of an odd number", "[3 2 1] 5 d", null],
  ["begun after all of an even number", "[3 2] 7 d", null],
])("dashes that are %s: %s", async (_, dashes, fault) => {
  expect((await lookAt(`${dashes} 1 1 m 9 9 l S`)).fault).toBe(fault);
});

test.each([
  ["no box", `[9] 0 d ${lines} S`],
  ["a curve", "[9] 0 d 1 1 m 9 9 9 1 1 9 c 9 9 l 5 5 l S"],
  ["a triangle in parts", "[9] 0 d 1 1 m 5 1 l 10 1 l 10 10 l S"],
  ["closed without dashes", `${corner} h 20 1 l s`],
  ["no dashes any more", "q [9] 0 d Q 1 1 9 9 re S [9] 0 d [] 0 d 1 1 9 9 re S /Long gs /Solid gs 1 1 9 9 re S"],
  ["a box that is filled", "[9] 0 d 1 1 9 9 re f"],
])("what is %s stays", async (_name, content) => {
  const { fault, mended } = await lookAt(content);
  expect([fault, mended.has(5)]).toEqual([null, false]);
});

test.each([
  ["a form of a box", "group", "[9] 0 d /Box Do"],
  ["a form of lines", null, "[9] 0 d /Line Do"],
  ["a form that sets its own dashes", null, "[9] 0 d /Own Do"],
  ["a form of a box without dashes", null, "/Box Do"],
  ["a box that is a line to the eye", "painting", "[9] 0 d 1 1 90 .001 re S"],
])("dashes around %s: %s", async (_name, fault, content) => {
  expect((await lookAt(content)).fault).toBe(fault);
});

test.each([
  ["with square ends", "painting", "[0 9] 0 d 2 J 1 1 m 9 9 l S"],
  ["in a list of three", "painting", "[3 0 3] 0 d 2 J 1 1 m 9 9 l S"],
  ["around letters", "painting", "[0 9] 0 d 2 J BT /F1 9 Tf 1 Tr (H) Tj ET"],
  ["of a graphics state", "painting", "/Dots gs 2 J 1 1 m 9 9 l S"],
  ["that a form draws", "painting", "[0 9] 0 d 2 J /Line Do"],
  ["to which a form gives square ends", "group", "[0 9] 0 d /Square Do"],
  ["with round ends", null, "[0 9] 0 d 1 J 1 1 m 9 9 l S"],
  ["with no ends", null, "[0 9] 0 d 1 1 m 9 9 l S"],
  ["that are gaps", null, "[9 0] 0 d 2 J 1 1 m 9 9 l S"],
  ["that are over", null, "q [0 9] 0 d Q 2 J 1 1 m 9 9 l S"],
])("dots %s, which Poppler draws in print alone: %s", async (_name, fault, content) => {
  expect((await lookAt(content)).fault).toBe(fault);
});

test("a form's own box is written so, too", async () => {
  expect(await mendedOf("/Own Do", 8)).toBe(`[1] 0 d ${box} S`);
});

test("a group of a box that leaves its dashes to who draws it is refused, too", async () => {
  expect((await lookAt("[9] 0 d /Box Do", "/Group<</S/Transparency>>")).fault).toBe("begun");
});

test("where somebody signed a file, short dashes stay and long ones are refused", async () => {
  const signed = async (content: string) =>
    (await engine.seal(pdf({ pages: [{ content }] }), { identity, sealedAt: systemClock.now() })).bytes;
  expect((await admit(await signed("[3 2] 0 d 1 1 9 9 re S"))).bytes).toBeNull();
  // As Acrobat draws notes.
  expect((await admit(await signed("[0 9] 0 d 1 1 9 9 re 20 20 m 30 30 l S"))).bytes).toBeNull();
  const otherwise = { reason: "shown_otherwise" };
  await expect(admit(await signed("[1 9] 0 d 1 1 9 9 re S"))).rejects.toMatchObject(otherwise);
  await expect(admit(await signed("[3 2] 0 d 1 1 9 9 re 30 30 l S"))).rejects.toMatchObject(otherwise);
});

test("a box that stands in two streams of a page is refused", async () => {
  const faultOf = async (first: string, second: string) => {
    const pages = [{ entries: "/MediaBox[0 0 99 99]/Contents[5 0 R 6 0 R]", content: first }];
    const file = Buffer.from(pdf({ pages, objects: [streamOf(second)] })).toString("latin1");
    const ofBoth = file.replace("/Contents 5 0 R", " ".repeat(15));
    return (await lookAtContents(await openDocument(Buffer.from(ofBoth, "latin1")))).fault;
  };
  expect(await faultOf("[9] 0 d 1 1", "9 9 re S")).toBe("painting");
  expect(await faultOf("[9] 0 d 1 1 9 9 re", "S")).toBeNull();
});

test("of a path of millions of boxes no more is kept than may be written", () => {
  const boxes = new DashedBoxes(true);
  const [begin, values] = [operatorNamed("re"), Float64Array.of(1, 1, 9, 9)];
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < 2_000_000; at += 1) boxes.goOn(begin, values, { largest: 0 }, [at, at + 1]);
  collectGarbage();
  // Each takes some 150 bytes: 20,000 are kept.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(30e6);
  expect(boxes.goOn(operatorNamed("S"), values, { largest: 0 }, [0, 1])).toBe(true);
});

test.each([
  ["of a thousandth", "[.001] 0 d", "painting"],
  ["of less in smaller numbers", ".001 0 0 .001 0 0 cm [9 90] 0 d", "painting"],
  ["of a graphics state made small", ".001 0 0 .001 0 0 cm /Long gs", "painting"],
  ["that can be seen", "[.001 1] 0 d", null],
  ["of a thousandth, and none", "[.001] 0 d [] 0 d", null],
])("lines with dashes %s: readers draw tiny ones all, not at all or as a shade", async (_name, content, fault) => {
  expect((await lookAt(`${content} 1 1 m 50 50 l S`)).fault).toBe(fault);
});
