import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { type FixtureOptions, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();
const shownOtherwise = { reason: "shown_otherwise" };
const showing = (code: string, font: string): FixtureOptions => ({
  pages: [{ content: `BT /T 20 Tf 20 100 Td <${code}> Tj ET`, fonts: "/T 6 0 R" }],
  objects: [`<</Type/Font/${font}>>`],
});
const descriptor = (name: string, flags: number) =>
  `/FontDescriptor<</Type/FontDescriptor/FontName/${name}/Flags ${flags}>>`;
const named = (...names: string[]) => `/Encoding<</Differences[49/${names.join("/")}]>>`;
/** The file's font of the fixture, as it is admitted. */
const admitted = async (font: string): Promise<string | undefined> => {
  const { bytes } = await admit(pdf(showing("31", font)));
  const text = Buffer.from(bytes ?? Buffer.of())
    .toString("latin1")
    .replace(/\s+/g, "");
  return /6 ?0obj<<(.*?)>>endobj/.exec(text)?.[1];
};

describe("a font of symbols that the file does not bring along", () => {
  test.each([
    ["in TrueType", "Subtype/TrueType/BaseFont/Symbol", "Symbol"],
    ["of another name", "Subtype/Type1/BaseFont/SymbolMT", "Symbol"],
    ["in italics", "Subtype/TrueType/BaseFont/ZapfDingbats,Italic", "ZapfDingbats"],
    ["that says that it is of letters", `Subtype/Type1/BaseFont/Symbol${descriptor("Symbol", 32)}`, "Symbol"],
    ["with two names", `Subtype/Type1/BaseFont/Symbol${descriptor("SymbolMT", 4)}`, "Symbol"],
    ["that names a list of codes", "Subtype/Type1/BaseFont/SymbolPS/Encoding/WinAnsiEncoding", "Symbol"],
  ])("%s is said to be the one that all readers have", async (_, font, known) => {
    expect(await admitted(font)).toBe(`/Type/Font/Subtype/Type1/BaseFont/${known}`);
    const { bytes } = await engine.seal(pdf(showing("31", font)), { identity, sealedAt: systemClock.now() });
    await expect(admit(bytes)).rejects.toMatchObject(shownOtherwise);
  });

  test.each([
    ["as all readers know it", "Subtype/Type1/BaseFont/Symbol", "41"],
    ["described as one of symbols", `Subtype/Type1/BaseFont/Symbol${descriptor("Symbol", 4)}`, "41"],
    ["with its own names", `Subtype/Type1/BaseFont/Symbol${named("one", "alpha", "arrowdblup")}`, "31"],
    [
      "that readers lack, in what is no letter",
      "Subtype/TrueType/BaseFont/Wingdings/FirstChar 168/LastChar 168/Widths[500]",
      "a8",
    ],
  ])("%s stays", async (_, font, code) => {
    expect((await admit(pdf(showing(code, font)))).bytes).toBeNull();
  });

  test.each([
    ["that has no character of a name", `Subtype/Type1/BaseFont/Symbol${named("A")}`, "31"],
    ["of another name that has none", `Subtype/Type1/BaseFont/SymbolMT${named("seven", "Asmall")}`, "31"],
    ["in its Euro, for which Poppler shows nothing", "Subtype/Type1/BaseFont/Symbol", "a0"],
    ["that readers lack, in figures", "Subtype/TrueType/BaseFont/Wingdings", "31"],
    ["that readers lack, in letters", "Subtype/Type1/BaseFont/SegoeUISymbol", "61"],
    ["that is called as two", `Subtype/Type1/BaseFont/Symbol${descriptor("Arial", 4)}`, "31"],
  ])("%s is refused", async (_, font, code) => {
    await expect(admit(pdf(showing(code, font)))).rejects.toMatchObject(shownOtherwise);
  });
});
