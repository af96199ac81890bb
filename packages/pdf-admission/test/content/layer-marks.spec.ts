import { inflateSync } from "node:zlib";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { type FixtureOptions, firstFurtherObject, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();
const next = firstFurtherObject(1);

test.each([
  ["of a layer", "/X Do", `/OC ${next} 0 R`],
  ["drawn in a part of one", "/OC /P BDC /X Do EMC", ""],
])(
  "a form %s that is off leaves no state behind, as it does in pdf.js; signed it is refused",
  async (_, content, entry) => {
    const of = (form: string): FixtureOptions => ({
      catalog: `/OCProperties<</OCGs[${next} 0 R]/D<</OFF[${next} 0 R]>>>>`,
      pages: [{ content, resources: `/Properties<</P ${next} 0 R>>/XObject<</X ${next + 1} 0 R>>` }],
      objects: ["<</Type/OCG/Name(l)>>", streamOf(form, `/Type/XObject/Subtype/Form/BBox[0 0 9 9]${entry}`)],
    });
    const { bytes } = await admit(pdf(of("q 1 g Q")));
    expect(bytes).toBeNull();
    expect((await admit(pdf(of("BT 0 9 TD ET")))).bytes).not.toBeNull();
    const leaving = pdf(of("q 1 g Q 1 g q"));
    const data = PdfFile.open((await admit(leaving)).bytes ?? leaving).streamData(next + 1)?.data;
    expect(Buffer.from(data ? inflateSync(data) : []).toString()).toBe("q\nq 1 g Q 1 g q\nQ Q ");
    expect((await admit(pdf(of("q 1 g")))).bytes).not.toBeNull();
    const sealed = await engine.seal(leaving, { identity, sealedAt: systemClock.now() });
    await expect(admit(sealed.bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test.each([
  ["/M gs", false],
  ["q /M gs Q", true],
])("a mask that is set in a part of a layer (%s) stays within it, or is refused", async (states, isTaken) => {
  const mask = `<</S/Luminosity/G ${next + 1} 0 R>>`;
  const group = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceGray>>";
  const given = pdf({
    catalog: `/OCProperties<</OCGs[${next} 0 R]/D<</OFF[${next} 0 R]>>>>`,
    pages: [
      {
        content: `/OC /P BDC ${states} EMC 0 0 9 9 re f`,
        resources: `/Properties<</P ${next} 0 R>>/ExtGState<</M<</SMask${mask}>>>>`,
      },
    ],
    objects: ["<</Type/OCG/Name(l)>>", streamOf("", group)],
  });
  if (isTaken) expect((await admit(given)).active).toEqual([]);
  else await expect(admit(given)).rejects.toMatchObject({ reason: "shown_otherwise" });
});
