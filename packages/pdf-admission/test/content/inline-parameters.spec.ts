import { deflateSync } from "node:zlib";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

/** Two rows of four dots in red and blue, each after the rule by which it is predicted. */
const rows = Buffer.from(`00${"ff0000".repeat(4)}00${"0000ff".repeat(4)}`, "hex");
const withImage = (parameters: string, data = rows) =>
  pdf({
    pages: [
      {
        content: `q 180 0 0 90 10 5 cm BI /W 4/H 2/BPC 8/CS/RGB/F[/AHx/Fl]/DP${parameters} ID ${deflateSync(data).toString("hex")}> EI Q`,
      },
    ],
  });
const predicted = (entries: string) => `[null<</Predictor ${entries}>>]`;

test.each([
  ["a predictor that there is not", predicted("16/Columns 4/Colors 3"), rows],
  ["a width that is null", predicted("12/Columns null/Colors 3"), rows],
  ["another width than its own", predicted("12/Columns 2/Colors 3"), rows],
  ["other colors than its own", predicted("12/Columns 4/Colors 1"), rows],
  ["other depths than its own", predicted("12/Columns 4/Colors 3/BitsPerComponent 4"), rows],
  ["differences of dots", predicted("2/Columns 4/Colors 3"), rows],
  ["half a row", predicted("12/Columns 4/Colors 3"), rows.subarray(0, -2)],
  ["a name", "/Predictor", rows],
])("a picture within a content with %s in its parameters is refused", async (_, parameters, data) => {
  await expect(admit(withImage(parameters, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each([
  ["rows of its own", predicted("12/Columns 4/Colors 3"), rows],
  ["nothing predicted", predicted("1"), Buffer.concat([rows.subarray(1, 13), rows.subarray(14)])],
])("one with %s stays", async (_, parameters, data) => {
  expect((await admit(withImage(parameters, data))).bytes).toBeNull();
});
