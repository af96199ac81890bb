import { type CffOptions, cff, pdfWithFont } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { type2Code as code } from "./glyph-code.ts";

const box = "0 0 rmoveto 400 0 0 800 -400 0 rlineto";
const deep = Array.from({ length: 14 }, (_, index) =>
  code(index === 13 ? `${box} return` : `${index - 106} callsubr return`),
);
const drawnBy = (words: string, options: CffOptions = {}) =>
  pdfWithFont(cff(undefined, { glyph: code(words), ...options }), {
    subtype: "Type1",
    entry: "FontFile3",
    entries: "/Encoding/WinAnsiEncoding",
  });

test.each<[string, string, CffOptions?]>([
  ["by arithmetic", `200 300 add 0 rmoveto 400 0 0 800 -400 0 rlineto endchar`],
  ["by an operator that there is not", `${box} reserved endchar`],
  ["by one that there is not after an escape", `0 0 rmoveto reservedEscaped 400 0 0 800 -400 0 rlineto endchar`],
  ["by lines that begin nowhere", "400 0 0 800 -400 0 rlineto endchar"],
  ["by half a line", "0 0 rmoveto 400 0 0 800 -400 0 77 rlineto endchar"],
  ["by a line of no length", "0 0 rmoveto hlineto 400 0 0 800 -400 0 rlineto endchar"],
  ["by half a curve", `${box} 1 2 3 rrcurveto endchar`],
  ["by a flex of too few numbers", `${box} 1 2 3 flex endchar`],
  ["by a flex that comes back from afar", `${box} 0 800 50 400 -200 0 0 0 800 200 -400 x0c25 endchar`],
  ["from a place of too many numbers", `${box} 1 2 3 rmoveto endchar`],
  ["by more numbers than fit", `${"1 ".repeat(48)}0 0 rmoveto 400 0 0 800 -400 0 rlineto endchar`],
  ["by too many hints", `${"0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 hstem ".repeat(13)}${box} endchar`],
  ["by hints without numbers", `0 0 rmoveto 400 0 rlineto hstem 0 800 -400 0 rlineto endchar`],
  ["by half a hint", `0 10 hstem 77 0 10 vstem ${box} endchar`],
  [
    "by hints within its outline",
    "0 10 hstemhm 0 0 rmoveto 400 0 rlineto 0 10 hintmask xc0 0 800 -400 0 rlineto endchar",
  ],
  ["by hints of dots within its outline", "0 0 rmoveto 400 0 rlineto dotsection 0 800 -400 0 rlineto endchar"],
  ["without an end", box],
  ["with the end of a routine in the place of its own", `${box} return`],
  ["by a routine that there is not", `${box} 5 callsubr endchar`, { routines: [code("return")] }],
  ["by one without an end", "-107 callsubr endchar", { routines: [code(box)] }],
  ["by one that calls itself", `${box} -107 callsubr endchar`, { routines: [code("-107 callsubr return")] }],
  ["by too many routines within each other", "-107 callsubr endchar", { routines: deep }],
  ["as two that are not there", "0 0 49 65 endchar"],
  ["as itself and another", "0 0 49 57 endchar"],
  ["as two others after an outline of its own", `${box} 0 0 57 55 endchar`],
  ["as two others in too many numbers", "1 2 0 0 57 55 endchar"],
])(
  "a glyph of CFF that is drawn %s is refused: pdf.js shows another outline than others",
  async (_, words, options) => {
    await expect(admit(drawnBy(words, options))).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

/** Twice a glyph of so many points. */
const madeOfLarge = (points: number) => {
  const lines = `${"1 0 -1 0 ".repeat(10)}rlineto `.repeat(points / 20);
  const further = [code(`0 0 rmoveto ${lines}400 0 0 800 -400 0 rlineto endchar`)];
  const program = cff([26, 18, 25, 24], { further, glyph: code("0 0 57 57 endchar") });
  return pdfWithFont(program, { subtype: "Type1", entry: "FontFile3", entries: "/Encoding/WinAnsiEncoding" });
};

test("a glyph of CFF that is made of two of many points is refused: Poppler draws nothing of it", async () => {
  await expect(admit(madeOfLarge(20_000))).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(madeOfLarge(10_000))).bytes).toBeNull();
});

test("a glyph of CFF whose routines take longer than any font's is refused", async () => {
  const routines = Array.from({ length: 9 }, (_, index) => code(`${`${index - 106} callsubr `.repeat(9)}return`));
  routines.push(code("return"));
  await expect(admit(drawnBy(`-107 callsubr ${box} endchar`, { routines }))).rejects.toMatchObject({
    reason: "shown_otherwise",
  });
});

test.each<[string, string, CffOptions?]>([
  ["with a width", `500 ${box} endchar`],
  ["by a routine", "-107 callsubr endchar", { routines: [code(`${box} return`)] }],
  ["by one that ends it", `${box} -107 callsubr`, { routines: [code("endchar")] }],
  ["by hints and lines", `77 0 10 hstemhm 0 10 hintmask xc0 ${box} endchar`],
  ["by hints of dots", `${box} dotsection endchar`],
  ["by hints of dots where it begins", "0 0 rmoveto dotsection 400 0 0 800 -400 0 rlineto endchar"],
  ["by two curves", `${box} 1 2 3 4 5 6 1 2 3 4 5 6 rrcurveto endchar`],
  ["by a flex", `${box} 1 2 3 4 5 6 1 2 3 4 5 6 50 flex endchar`],
  ["by a flex that comes back", `${box} 100 10 100 10 100 0 100 0 100 -10 100 x0c25 endchar`],
  ["as two others", "0 0 57 55 endchar"],
  ["as two others, with a width", "100 0 0 57 55 endchar"],
])("a glyph of CFF stays that is drawn %s", async (_, words, options) => {
  expect((await admit(drawnBy(words, options))).bytes).toBeNull();
});

test("CFF with two names for its font is refused: others than pdf.js take another font", async () => {
  const program = cff(undefined, { fonts: ["Own", "Other"] });
  const use = { subtype: "Type1", entry: "FontFile3", entries: "/Encoding/WinAnsiEncoding" };
  await expect(admit(pdfWithFont(program, use))).rejects.toMatchObject({ reason: "shown_otherwise" });
});
