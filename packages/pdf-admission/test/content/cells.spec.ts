import { inflateSync } from "node:zlib";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { bodyOf, streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();
const painted = "1 0 0 rg 0 0 99 99 re f";
const patterned = (entries: string, box = "0 0 40 40", draw = "") =>
  pdf({
    pages: [
      {
        content: draw || "/Pattern cs /P scn 0 0 99 99 re f",
        resources: "/Pattern<</P 6 0 R>>/XObject<</X 7 0 R>>",
      },
    ],
    objects: [
      streamOf(
        painted,
        `/PatternType 1/PaintType 1/TilingType 1/BBox[${box}]/XStep 60/YStep 60${entries}/Resources<<>>`,
      ),
      streamOf(
        "/Pattern cs /P scn 0 0 99 99 re f",
        "/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</Pattern<</P 6 0 R>>>>",
      ),
    ],
  });
const mended = async (file: Uint8Array): Promise<Uint8Array> => {
  const bytes = (await admit(file)).bytes ?? new Uint8Array();
  expect((await admit(bytes)).bytes).toBeNull();
  return bytes;
};
/** What the pattern draws. */
const cellIn = (file: Uint8Array): string => {
  const data = PdfFile.open(file).streamData(6);
  return Buffer.from(data === undefined ? [] : inflateSync(data.data)).toString("latin1");
};
const askew = "/Matrix[.7 .7 -.7 .7 0 0]";

describe("a pattern's cells", () => {
  test.each([
    ["that are turned by an eighth", patterned(askew)],
    ["that are slanted", patterned("/Matrix[1 0 .5 1 0 0]")],
    ["of a form that is turned", patterned("", undefined, "q .7 .7 -.7 .7 0 0 cm /X Do Q")],
  ])("%s are cut off by their box: MuPDF shows more of them", async (_, file) => {
    expect(cellIn(await mended(file))).toBe(`0 0 40 40 re W n\n${painted}`);
  });

  test("that are turned are refused where somebody signed them", async () => {
    const { bytes } = await engine.seal(patterned(askew), { identity, sealedAt: systemClock.now() });
    await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test.each([
    ["upright", ""],
    ["turned by a quarter", "/Matrix[0 1 -1 0 0 0]"],
    ["mirrored", "/Matrix[1 0 0 -1 0 0]"],
  ])("that are %s stay", async (_, matrix) => {
    expect((await admit(patterned(matrix))).bytes).toBeNull();
  });

  test.each(["40 40 0 0", "40 0 0 40", "0 40 40 0"])(
    "of the box %s are in the same box from its lower left: PDFium draws them elsewhere",
    async (box) => {
      expect(bodyOf(await mended(patterned("", box)), 6)).toMatch(/\/BBox \[ 0 0 40 40 \]/);
    },
  );
});

/** A page with an annotation that looks like a form, turned as it says. */
const stamped = (matrix: string) =>
  pdf({
    pages: [
      { entries: "/MediaBox[0 0 99 99]/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 99 99]/AP<</N 6 0 R>>>>]" },
    ],
    objects: [streamOf(painted, `/Type/XObject/Subtype/Form/BBox[0 0 40 40]${matrix}/Resources<<>>`)],
  });

test("what an annotation looks like, and lies askew, is cut off by its box: pdf.js shows more of it", async () => {
  expect(cellIn(await mended(stamped(askew)))).toBe(`0 0 40 40 re W n\n${painted}`);
  expect((await admit(stamped("/Matrix[0 1 -1 0 0 0]"))).bytes).toBeNull();
  const { bytes } = await engine.seal(stamped(askew), { identity, sealedAt: systemClock.now() });
  await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
});
