import { openDocument } from "@rubrica/pdf-reading/open";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { decodedContent } from "../../src/filters.ts";

const { engine, identity } = await openedEngine();

/** The content of a page as it is once its file is accepted. */
const accepted = async (bytes: Uint8Array): Promise<string> => {
  const { file } = await openDocument((await admit(bytes)).bytes ?? bytes);
  const stream = file.streamData(5);
  return Buffer.from(stream ? decodedContent(stream, file, file.allowance) : [])
    .toString("latin1")
    .replaceAll(/\s+/g, " ")
    .trim();
};
const page = (content: string) => pdf({ pages: [{ content }] });

test.each([
  ["of no height", "9 9 50 0 re f", "9 9 50 0 re n"],
  ["of a hundredth of a point", "9 9 50 .01 re f*", "9 9 50 .01 re n"],
  ["between points on one line", "9 9 m 20 20 l 30 30 l h f", "9 9 m 20 20 l 30 30 l h n"],
  ["of a curve that does not bend", "9 9 m 9 20 9 30 9 40 c f", "9 9 m 9 20 9 30 9 40 c n"],
  ["made small by a matrix", "q .001 0 0 .001 0 0 cm 9 9 5000 9 re f Q", "q .001 0 0 .001 0 0 cm 9 9 5000 9 re n Q"],
  ["beside one that has room", "9 9 9 0 re 9 9 9 9 re f", "9 9 9 9 re f"],
])("an area %s, which some readers draw as a line, is not drawn", async (_, content, expected) => {
  expect(await accepted(page(content))).toBe(expected);
});

test.each([
  ["that is a thin line", "9 9 50 .1 re f"],
  ["made large by a matrix", "q 100 0 0 100 0 0 cm 0 0 5 .01 re f Q"],
  ["that is cut out or has its line drawn", "9 9 50 0 re S 9 9 50 0 re B 0 0 9 9 re W n"],
  ["of a point alone", "9 9 m f 9 9 9 9 re 9 9 m f"],
])("an area %s stays", async (_, content) => {
  expect((await admit(page(content))).bytes).toBeNull();
});

test("an area of a form stays, which is drawn as large as its user asks for", async () => {
  const form = streamOf("0 0 1 .001 re f", "/Type/XObject/Subtype/Form/BBox[0 0 1 1]");
  const content = "q 500 0 0 500 9 9 cm /X Do Q";
  expect(
    (await admit(pdf({ pages: [{ content, resources: "/XObject<</X 6 0 R>>" }], objects: [form] }))).bytes,
  ).toBeNull();
});

test("a flat area stays where somebody signed it, and is refused with colors within its path", async () => {
  const { bytes } = await engine.seal(page("9 9 50 0 re f"), { identity, sealedAt: systemClock.now() });
  expect((await admit(bytes)).bytes).toBeNull();
  await expect(admit(page("9 9 9 0 re 1 g 9 9 9 9 re f"))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a page of more flat areas than are taken out is refused", async () => {
  const areas = (count: number) => admit(page("9 9 9 0 re f ".repeat(count)));
  expect((await areas(20_000)).bytes).not.toBeNull();
  await expect(areas(20_001)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("what many pages share is mended once, where it is mended alike for all", async () => {
  const one = { entries: "/MediaBox[0 0 99 99]/Contents 5 0 R", content: "9 9 9 0 re f" };
  const shared = Buffer.from(
    Buffer.from(pdf({ pages: [one, one] }))
      .toString("latin1")
      .replaceAll(/\/Contents 5 0 R(?=\/R)|\/Contents (?:5|7) 0 R>>/g, (found) =>
        found.endsWith(">>") ? ">>" : found,
      ),
    "latin1",
  );
  expect(shared.toString("latin1").match(/Contents 5 0 R/g)).toHaveLength(2);
  expect(await accepted(shared)).toBe("9 9 9 0 re n");
});
