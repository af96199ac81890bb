import { cff, type FontUse, pdfWithFont, type1 } from "@rubrica/test-kit/pdf/font-programs";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { cidCff } from "./cid-cff.ts";
import { compactMatrix } from "./glyph-code.ts";

const windows = "/Encoding/WinAnsiEncoding";
const use: FontUse = { subtype: "Type1", entry: "FontFile3", entries: windows };
const inCff = (matrix: string) => pdfWithFont(cff(undefined, { entries: compactMatrix(matrix) }), use);
const inType1 = (matrix: string) => {
  const program = type1().toString("latin1").replace("[0.001 0 0 0.001 0 0]", `[${matrix}]`);
  return pdfWithFont(Buffer.from(program, "latin1"), { ...use, entry: "FontFile" });
};
const inParts = (whole: string | null, part: string | null) => {
  const program = cidCff({
    ...(whole && { entries: compactMatrix(whole) }),
    ...(part && { part: compactMatrix(part) }),
  });
  return pdfWithFont(program, { subtype: "CIDFontType0", entry: "FontFile3" });
};
const shownOtherwise = { reason: "shown_otherwise" };

test.each([
  "0.001 0 0 0.001 0.5 0",
  "0.001 0 0 0.001 0 500",
  "1 0 0 1 0 0",
  "0 0 0 0 0 0",
  "0.001 0 0 0 0 0",
  "0.001 0 0 0.001 0",
  "-0.001 0 0 0.001 0 0",
  "0.001 0 0 -0.001 0 0",
  "0.001 0.0005 -0.0005 0.001 0 0",
  "0.001 0 0.0005 0.001 0 0",
  "0.001 0 -0.0005 0.001 0 0",
])(
  "a program that scales its glyphs by %s is refused: some readers draw them elsewhere, or in another font",
  async (matrix) => {
    await expect(admit(inCff(matrix))).rejects.toMatchObject(shownOtherwise);
    await expect(admit(inType1(matrix))).rejects.toMatchObject(shownOtherwise);
  },
);

test.each([
  "0.001 0 0 0.001 0 0",
  "0.00048828125 0 0 0.00048828125 0 0",
  "1e-3 0 0.0002 1e-3 0 0",
  "0.001 0 0.000167 0.001 0 0",
])("one that scales them by %s stays", async (matrix) => {
  expect((await admit(inCff(matrix))).bytes).toBeNull();
  expect((await admit(inType1(matrix))).bytes).toBeNull();
});

describe("a program of parts", () => {
  test.each([
    ["0.001 0 0 0.001 0 0", "0.001 0 0 0.001 0 0"],
    [null, "1 0 0 1 0 0"],
    [null, "0.001 0 0 0.001 0.5 0"],
    [null, "-0.001 0 0 0.001 0 0"],
    ["0.001 0 0 0.001 0 0", "1 0 0 -1 0 0"],
  ])("that scales all by %s and a part by %s is refused", async (whole, part) => {
    await expect(admit(inParts(whole, part))).rejects.toMatchObject(shownOtherwise);
  });

  test.each([
    [null, null],
    ["0.001 0 0 0.001 0 0", null],
    [null, "0.0005 0 0 0.0005 0 0"],
    ["0.001 0 0 0.001 0 0", "1 0 0 1 0 0"],
    ["1 0 0 1 0 0", "0.001 0 0 0.001 0 0"],
  ])("that scales all by %s and a part by %s stays", async (whole, part) => {
    expect((await admit(inParts(whole, part))).bytes).toBeNull();
  });
});
