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

const withEntries = (entries: string, data: string) =>
  pdf({ pages: [{ content: `q 80 0 0 10 10 5 cm BI /W 8/H 1${entries} ID ${data} EI Q` }] });
/** A row of eight dots in white, as a fax. */
const inFax = Buffer.from("80080080", "hex").toString("latin1");
const fax = (entries: string) => `/IM true/F/CCF/DP<</K -1/Columns 8${entries}>>`;

test.each([
  ["a number for whether it is a mask", "/IM 0/BPC 8/CS/G", "abcdefgh"],
  ["a text for whether it is a mask", "/IM(x)/BPC 8/CS/G", "abcdefgh"],
  ["a dictionary for whether it is smoothed", "/I<<>>/BPC 8/CS/G", "abcdefgh"],
  ["a depth with a point", "/BPC 8.0/CS/G", "abcdefgh"],
  ["a number for black in a fax", fax("/BlackIs1 1"), inFax],
  ["a list for black in a fax", fax("/BlackIs1[]"), inFax],
  ["other rows in a fax", fax("/Rows 100"), inFax],
  ["columns with a point in a fax", fax("").replace("/Columns 8", "/Columns 8.0"), inFax],
  ["a kind of fax with a point", fax("").replace("/K -1", "/K -1.0"), inFax],
  ["a list of parameters beside one filter", fax("").replace("/DP<<", "/DP[<<").replace(">>", ">>]"), inFax],
  ["parameters beside a list of filters", fax("").replace("/F/CCF", "/F[/CCF]"), inFax],
])("a picture within a content with %s is refused", async (_, entries, data) => {
  await expect(admit(withEntries(entries, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each([
  ["whether it is a mask", "/IM false/I true/BPC 8/CS/G", "abcdefgh"],
  ["a fax", fax("/BlackIs1 true/Rows 1"), inFax],
])("one with %s stays", async (_, entries, data) => {
  expect((await admit(withEntries(entries, data))).bytes).toBeNull();
});

test.each([
  ["rows of its own", predicted("12/Columns 4/Colors 3"), rows],
  ["nothing predicted", predicted("1"), Buffer.concat([rows.subarray(1, 13), rows.subarray(14)])],
])("one with %s stays", async (_, parameters, data) => {
  expect((await admit(withImage(parameters, data))).bytes).toBeNull();
});
