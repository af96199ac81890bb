import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();
/** Two fonts of one descriptor. */
const sharing = (one: string, other: string) =>
  pdf({
    pages: [{ content: "BT /A 9 Tf (a) Tj /B 9 Tf (a) Tj ET", fonts: "/A 6 0 R/B 7 0 R" }],
    objects: [
      ...[one, other].map(
        (entries) => `<</Type/Font/Subtype/Type1/FirstChar 97/LastChar 97/Widths[500]/FontDescriptor 8 0 R${entries}>>`,
      ),
      "<</Type/FontDescriptor/FontName/Times-Roman/Flags 32>>",
    ],
  });
const list = (entries: string) => `/BaseFont/Times-Roman/Encoding<<${entries}>>`;

test.each([
  ["a list of codes by another name", list("/Differences[97/b]"), list("/Differencez[97/b]")],
  ["other codes", list("/Differences[97/b]"), list("/Differences[97/c]")],
  ["another name", "/BaseFont/Times-Roman", "/BaseFont/Helvetica"],
])("fonts of one descriptor with %s get one each: pdf.js takes them for one", async (_, one, other) => {
  const given = sharing(one, other);
  const { bytes, disarmed } = await admit(given);
  expect(disarmed).toEqual(["shown_otherwise"]);
  expect((await admit(bytes ?? given)).bytes).toBeNull();
  const signed = await engine.seal(given, { identity, sealedAt: systemClock.now() });
  await expect(admit(signed.bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

/** Two composite fonts of the same characters, each with its codes; the second one with further entries. */
const composite = (one: string, other: string, further = "") => {
  const font = (encoding: string) => `/Type/Font/Subtype/Type0/BaseFont/A/Encoding/${encoding}/DescendantFonts[8 0 R]`;
  const system = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 0>>";
  return pdf({
    pages: [{ content: "", fonts: "/A 6 0 R/B 7 0 R" }],
    objects: [
      `<<${font(one)}>>`,
      `<<${font(other)}${further}>>`,
      `<</Type/Font/Subtype/CIDFontType0/BaseFont/A${system}/DW 1000/FontDescriptor 9 0 R>>`,
      "<</Type/FontDescriptor/FontName/A/Flags 4>>",
      streamOf("1 beginbfchar <0041> <0041> endbfchar"),
    ],
  });
};
const MAP = "/ToUnicode 10 0 R";

test.each([
  ["V", "/Odd 1", true],
  ["V", "", false],
  ["H", MAP, false],
])("composite fonts of one descriptor with codes UniJIS-UCS2-%s%s get one each: %s", async (way, further, areApart) => {
  const given = composite("UniJIS-UCS2-H", `UniJIS-UCS2-${way}`, further);
  const { bytes } = await admit(given);
  expect(/\/DescendantFonts \[ <</.test(Buffer.from(bytes ?? given).toString("latin1"))).toBe(areApart);
  expect((await admit(bytes ?? given)).bytes).toBeNull();
});

test("those that are the same stay", async () => {
  const given = sharing(`${list("/Differences[97/b]")}/Name/A`, `${list("/Differences[97/b]")}/Name/B`);
  expect((await admit(given)).bytes).toBeNull();
});
