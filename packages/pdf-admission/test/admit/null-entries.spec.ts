import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { pdfWithFont, sfnt } from "@rubrica/test-kit/pdf/font-programs";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();
const ofMany = { subtype: "CIDFontType2", entry: "FontFile2" };
const font = (entries: string) =>
  Buffer.from(
    Buffer.from(pdfWithFont(sfnt(), ofMany)).toString("latin1").replace("/DW 1000", entries.padEnd(8)),
    "latin1",
  );
const named = (entries: string) =>
  pdf({ pages: [{ fonts: `/F2<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding<<${entries}>>>>` }] });
const shading = (entries: string) =>
  pdf({
    pages: [
      {
        content: "/S sh",
        resources: `/Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 99 0]${entries}/Function<</FunctionType 2/Domain[0 1]/N 1>>>>>>`,
      },
    ],
  });

const said = (entries: string) => pdf({ objects: [streamOf("9 9 m", entries)] });

describe("entries that are null, for which readers take something of their own", () => {
  test.each([
    ["widths of a font", font("/DW null")],
    ["widths that are not there", font("/DW 99 0 R")],
    ["differences of a list of codes", named("/Differences null")],
    ["differences that are not there", named("/Differences 99 0 R")],
    ["a shading's box", shading("/BBox null")],
    ["a shading's background", shading("/Background null")],
    ["what goes into a shading", shading("/Domain null")],
    ["what goes into a shading, which is not there", shading("/Domain 99 0 R")],
    ["another file that has a stream's data", said("/F null")],
    ["another file that is not there", said("/F 99 0 R")],
    ["what pdf.js takes for parameters of a filter", said("/DP null")],
    ["an entry that refers to what is null", pdf({ objects: [streamOf("9 9 m", "/F 7 0 R"), "null"] })],

    ["a program for printers that is not there", said("/Subtype/Form/BBox[0 0 9 9]/Subtype2 99 0 R")],
    ["what a layer is for", pdf({ objects: ["<</Type/OCG/Name(a)/Intent null>>"] })],
  ])("%s: they are left out, and refused in a signed file", async (_, given) => {
    const { bytes, disarmed } = await admit(given);
    expect(disarmed).toEqual(["shown_otherwise"]);
    expect(Buffer.from(bytes ?? given).toString("latin1")).not.toMatch(
      /\/DW|\/Background|\/ShadingType[^>]*\/BBox|\/Domain (?:null|99)|\/Differences|\/(?:F|DP) (?:null|99|7)|Subtype2|Intent/,
    );
    expect((await admit(bytes ?? given)).bytes).toBeNull();
    const signed = await engine.seal(given, { identity, sealedAt: systemClock.now() });
    await expect(admit(signed.bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test.each(["/Metadata null", "/StructParent 99 0 R"])(
    "%s, which changes nothing that is drawn, stays",
    async (entry) => {
      expect((await admit(said(entry))).bytes).toBeNull();
    },
  );
});
