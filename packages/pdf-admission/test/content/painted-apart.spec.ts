import { openDocument } from "@rubrica/pdf-reading/open";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { decodedContent } from "../../src/filters.ts";

const states = "/ExtGState<</Half<</ca .5/CA .5>>/Areas<</ca .5>>/Whole<</ca 1>>>>";
const path = "1 1 9 9 re 2 2 m 5 2 l 5 5 l";
const nothing = streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>");
const file = (content: string, [x = nothing, y = nothing, z = nothing, ...further]: readonly string[] = []) =>
  pdf({
    pages: [{ content, resources: `${states}/XObject<</X 6 0 R/Y 7 0 R/Z 8 0 R>>` }],
    objects: [x, y, z, ...further],
  });
/** A content as it is once its file is accepted. */
const accepted = async (bytes: Uint8Array, number: number): Promise<string> => {
  const { file: read } = await openDocument((await admit(bytes)).bytes ?? bytes);
  const stream = read.streamData(number);
  const content = stream ? decodedContent(stream, read, read.allowance) : [];
  return Buffer.from(content).toString("latin1").replaceAll(/ +/g, " ");
};

test.each([
  ["B", `${path} f ${path} S`],
  ["B*", `${path} f* ${path} S`],
  ["b", `${path} f ${path} s`],
  ["b*", `${path} f* ${path} s`],
  ["W B", `${path} f ${path} W S`],
  ["W* b", `${path} f ${path} W* s`],
])(
  "an area is painted before lines that are seen through, for two readers see it through them: %s",
  async (name, apart) => {
    const given = file(`/Half gs ${path} ${name} 0 g 3 3 9 9 re f`);
    expect(await accepted(given, 5)).toContain(`/Half gs ${apart} 0 g 3 3 9 9 re f`);
    const { bytes, disarmed } = await admit(given);
    expect(disarmed).toEqual(["shown_otherwise"]);
    expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
  },
);

test("colors and widths within its path, as PyMuPDF writes them, are set for both", async () => {
  const within = "1 1 9 9 re 2 w /Half gs 1 g 0 1 0 RG";
  expect(await accepted(file(`${within} B`), 5)).toContain(`${within} f ${within} S`);
});

test("parts of it that are lines alone are not painted as areas", async () => {
  const lines = "1 1 9 9 re 2 2 m 5 5 l 3 3 9 9 re";
  const content = await accepted(file(`/Half gs ${lines} B 0 g 5 5 9 9 re f`), 5);
  expect(content).toBe(`/Half gs 1 1 9 9 re 3 3 9 9 re f ${lines} S 0 g 5 5 9 9 re f`);
});

test("a path that begins in another stream makes no clip before its lines are painted", async () => {
  const entries = "/MediaBox[0 0 99 99]/Contents[5 0 R 6 0 R]";
  const given = Buffer.from(
    pdf({ pages: [{ entries, content: `/Half gs ${path} W`, resources: states }], objects: [streamOf("B")] }),
  )
    .toString("latin1")
    .replace("/Contents 5 0 R", " ".repeat(15));
  const bytes = Buffer.from(given, "latin1");
  expect((await accepted(bytes, 5)).trim()).toBe(`/Half gs ${path}`);
  expect((await accepted(bytes, 6)).replaceAll(/\s+/g, " ")).toBe(`f ${path} W S`);
});

test("a thin area of a form stays, which is drawn as large as its user asks for", async () => {
  const areas = "0 0 .001 9 re 1 1 9 9 re";
  const form = streamOf(`/Half gs ${areas} B`, `/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<<${states}>>`);
  expect(await accepted(file("500 0 0 500 0 0 cm /X Do", [form]), 6)).toBe(`/Half gs ${areas} f ${areas} S`);
});

test.each([
  ["half seen", "/Half gs", "", `${path} f ${path} S`],
  ["not seen through", "/Areas gs /Whole gs", "", null],
  ["half seen, as a group", "/Half gs", "/Group<</S/Transparency>>", null],
])("a form is painted so where who draws it has it %s", async (_name, state, group, expected) => {
  const form = streamOf(`${path} B`, `/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<<>>${group}`);
  const given = file(`${state} /X Do`, [form]);
  if (expected === null) expect((await admit(given)).bytes).toBeNull();
  else expect(await accepted(given, 6)).toBe(expected);
});

test.each([
  ["a mark within its path", `/Half gs ${path} /A BMC B EMC`],
  ["letters", "/Half gs BT 2 Tr /F1 9 Tf (H) Tj ET"],
  ["letters of a form that is half seen", "/Half gs /X Do"],
  ["letters of a form as who draws it has them", "/Half gs 2 Tr /Y Do"],
  ["letters of a form that sees through them itself", "2 Tr /Z Do"],
])("%s can't be painted so: it is refused", async (_name, content) => {
  const form = `/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<<${states}/Font<</F1 3 0 R>>>>`;
  const text = "/F1 9 Tf (H) Tj ET";
  const given = file(
    content,
    [`BT 2 Tr ${text}`, `BT ${text}`, `/Half gs BT ${text}`].map((drawn) => streamOf(drawn, form)),
  );
  await expect(admit(given)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a file that somebody signed can't be painted so: it is refused", async () => {
  const { engine, identity } = await openedEngine();
  const sealed = async (content: string) =>
    (await engine.seal(file(content), { identity, sealedAt: systemClock.now() })).bytes;
  expect((await admit(await sealed(`/Areas gs ${path} B`))).bytes).toBeNull();
  const admitted = admit(await sealed(`/Half gs ${path} B`));
  await expect(admitted).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("so it is within a form", async () => {
  const form = streamOf(`/Half gs ${path} B`, `/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<<${states}>>`);
  expect(await accepted(file("/X Do", [form]), 6)).toContain(`${path} f ${path} S`);
});

test.each([
  ["lines that are not seen through", `/Areas gs ${path} B`],
  ["an area without lines", `/Half gs ${path} f`],
  ["an area that is no wider than a line", "/Half gs 1 1 9 0 re B"],
  ["an end of a path that was not begun", `1 0 0 rg ${path} f /Half gs B`],
])("%s stays", async (_name, content) => {
  expect((await admit(file(content))).bytes).toBeNull();
});
