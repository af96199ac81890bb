import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const using = (font: string, content = "BT /T 20 Tf (1) Tj ET") =>
  pdf({
    pages: [{ content, fonts: "/T 6 0 R", resources: "/XObject<</X 7 0 R>>" }],
    objects: [
      `<</Type/Font${font}>>`,
      streamOf(content === "" ? "" : "BT /T 20 Tf (1) Tj ET", "/Type/XObject/Subtype/Form/BBox[0 0 99 99]"),
    ],
  });

describe("text is refused in a font", () => {
  test.each([
    ["of no kind", "/BaseFont/Symbol"],
    ["of a kind that there is not", "/Subtype/Odd/BaseFont/Symbol"],
    ["of a kind that is a part of another", "/Subtype/CIDFontType2/BaseFont/Helvetica"],
    ["without a name", "/Subtype/Type1"],
    ["of TrueType without a name", "/Subtype/TrueType"],
    ["of glyphs that are contents, of which there are none", "/Subtype/Type3"],
    [
      "of many characters that says nothing of its codes",
      "/Subtype/Type0/BaseFont/A/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A>>]",
    ],
  ])("%s: some readers take another one, others none", async (_, font) => {
    await expect(admit(using(font))).rejects.toMatchObject({ reason: "shown_otherwise" });
    await expect(admit(using(font, "/X Do"))).rejects.toMatchObject({ reason: "shown_otherwise" });
    expect((await admit(using(font, ""))).bytes).toBeNull();
  });

  test.each(["Type1", "MMType1", "TrueType"])("but not of kind %s", async (kind) => {
    const font = `/Subtype/${kind}/BaseFont/Helvetica`;
    expect((await admit(using(font))).bytes).toBeNull();
    expect((await admit(using(font, "/X Do"))).bytes).toBeNull();
  });
});
