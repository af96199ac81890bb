import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
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

test("those that are the same stay", async () => {
  const given = sharing(`${list("/Differences[97/b]")}/Name/A`, `${list("/Differences[97/b]")}/Name/B`);
  expect((await admit(given)).bytes).toBeNull();
});
