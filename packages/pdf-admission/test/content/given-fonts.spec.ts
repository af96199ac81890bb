import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const form = "/Type/XObject/Subtype/Form/BBox[0 0 99 99]";
const named = (name: string) => `/F2<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`;
/** A form that names a font which it lacks, and pages with these fonts, as they are written once they are accepted. */
const accepted = async (...fonts: string[]): Promise<string> => {
  const number = 4 + fonts.length * 2;
  const resources = `/XObject<</X ${number} 0 R>>`;
  const objects = [streamOf("BT /F2 9 Tf 9 9 Td (H) Tj ET", `${form}/Resources<<>>`)];
  const found = await admit(pdf({ pages: fonts.map((own) => ({ content: "/X Do", resources, fonts: own })), objects }));
  expect(found.disarmed).toEqual(["shown_otherwise"]);
  expect((await admit(found.bytes ?? new Uint8Array())).bytes).toBeNull();
  const [own = ""] = /\/Form(?:(?!endobj).)*?stream/s.exec(Buffer.from(found.bytes ?? []).toString("latin1")) ?? [];
  return own.replaceAll(/\s+/g, " ");
};

test.each<[string, string[], string]>([
  ["that the page has by that name, as most readers do", [named("Courier")], "/BaseFont /Courier"],
  ["that all pages have", [named("Courier"), named("Courier")], "/BaseFont /Courier"],
  ["that all readers have, where the file has none", [""], "/BaseFont /Helvetica"],
])("a form that lacks a font gets the one %s", async (_name, fonts, expected) => {
  expect(await accepted(...fonts)).toContain(expected);
});

test("a form that lacks a font is refused where the file has two by that name", async () => {
  await expect(accepted(named("Courier"), named("Helvetica"))).rejects.toMatchObject({ reason: "shown_otherwise" });
});
