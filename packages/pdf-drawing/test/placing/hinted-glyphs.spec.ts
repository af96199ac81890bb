import { sfnt } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { HintedDrawing } from "../../src/placing/hinted-glyphs.ts";

const [PAGE, GLYPH, POINT_AT] = [256, 2, 18];
const plain = sfnt();
/** Its third glyph begins so many thousandths of its size farther to the right. */
const aside = (thousandths: number): Buffer =>
  sfnt({
    change: (tables) => {
      const [glyf, loca] = [tables.get("glyf") as Buffer, tables.get("loca") as Buffer];
      const at = loca.readUInt32BE(GLYPH * 4) + POINT_AT;
      glyf.writeInt16BE(glyf.readInt16BE(at) + thousandths, at);
    },
  });

test("glyphs are drawn otherwise where they stand farther aside than hints fit them to dots", async () => {
  const differ = (thousandths: number, glyphs = [1, GLYPH]) =>
    new HintedDrawing().differ([plain, aside(thousandths)], glyphs);
  expect(await differ(0)).toBe(false);
  expect(await differ(15)).toBe(false);
  expect(await differ(120)).toBe(true);
  expect(await differ(120, [1])).toBe(false);
});

test("of many glyphs the last one is looked at", async () => {
  const glyphs = [...Array.from({ length: PAGE * 2 }, () => 1), GLYPH];
  expect(await new HintedDrawing().differ([plain, aside(120)], glyphs)).toBe(true);
  expect(await new HintedDrawing().differ([plain, aside(120)], glyphs.slice(0, -1))).toBe(false);
});
