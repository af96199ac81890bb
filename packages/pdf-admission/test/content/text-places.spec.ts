import { openDocument } from "@rubrica/pdf-reading/open";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { lookAtContents } from "../../src/content/look.ts";

const fontOf = (matrix: string, width: number) =>
  `/D<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[${matrix}]/FirstChar 97/LastChar 97/Widths[${width}]` +
  "/Encoding<</Differences[97/a]>>/CharProcs<</a 6 0 R>>/Resources<<>>>>";

test.each([
  ["of glyphs that move text far", "value", "1 0 0 1 0 0", 2_999.7],
  ["of glyphs that move it far, in a smaller font", "value", ".1 0 0 .1 0 0", 29_997],
  ["of plain ones", null, ".001 0 0 .001 0 0", 750],
])("text forth and back, %s: %s", async (_name, fault, matrix, width) => {
  const lines = `${`(${"a".repeat(30)}) Tj `.repeat(20)}-50 Tz ${`(${"a".repeat(30)}) Tj `.repeat(40)}`;
  const file = pdf({
    pages: [
      { content: `BT /D 1 Tf 1 0 0 1 20 100 Tm ${lines} 100 Tz /F1 9 Tf (H) Tj ET`, fonts: fontOf(matrix, width) },
    ],
    objects: [streamOf(`${width} 0 0 0 9 9 d1 0 0 9 9 re f`)],
  });
  expect(lookAtContents(await openDocument(file)).fault).toBe(fault);
});
