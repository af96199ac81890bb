import { openDocument } from "@rubrica/pdf-reading/open";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { decodedContent } from "../../../src/admission/content/filters.ts";

const states = "/ExtGState<</Half<</ca .5/CA .5>>/Areas<</ca .5>>>>";
const path = "1 1 9 9 re 2 2 m 5 2 l 5 5 l";
const file = (content: string, further: readonly string[] = []) =>
  pdf({ pages: [{ content, resources: `${states}/XObject<</X 6 0 R>>` }], objects: further });
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
])(
  "an area is painted before lines that are seen through, for two readers see it through them: %s",
  async (name, apart) => {
    const given = file(`/Half gs ${path} ${name} 0 g 3 3 9 9 re f`, ["null"]);
    expect(await accepted(given, 5)).toContain(`/Half gs ${apart} 0 g 3 3 9 9 re f`);
    const { bytes, disarmed } = await admit(given);
    expect(disarmed).toEqual(["shown_otherwise"]);
    expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
  },
);

test("parts of it that are lines alone are not painted as areas", async () => {
  const lines = "1 1 9 9 re 2 2 m 5 5 l 3 3 9 9 re";
  const content = await accepted(file(`/Half gs ${lines} B 0 g 5 5 9 9 re f`, ["null"]), 5);
  expect(content).toBe(`/Half gs 1 1 9 9 re 3 3 9 9 re f ${lines} S 0 g 5 5 9 9 re f`);
});

test("so it is within a form", async () => {
  const form = streamOf(`/Half gs ${path} B`, `/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<<${states}>>`);
  expect(await accepted(file("/X Do", [form]), 6)).toContain(`${path} f ${path} S`);
});

test.each([
  ["lines that are not seen through", `/Areas gs ${path} B`],
  ["an area without lines", `/Half gs ${path} f`],
  ["an area that is no wider than a line", "/Half gs 1 1 9 0 re B"],
  ["an area that becomes a clip", `/Half gs ${path} W B`],
])("%s stays", async (_name, content) => {
  expect((await admit(file(content, ["null"]))).bytes).toBeNull();
});
