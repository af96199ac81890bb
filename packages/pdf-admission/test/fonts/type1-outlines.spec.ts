import { pdfWithFont, type1 } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { type1Code } from "./glyph-code.ts";

type Routines = readonly (readonly [number: number, words: string])[];

/** As all programs have the first four. */
const usual: Routines = [
  [0, "3 0 callothersubr pop pop setcurrentpoint return"],
  [1, "0 1 callothersubr return"],
  [2, "0 2 callothersubr return"],
  [3, "return"],
];
const lines = "400 hlineto 800 vlineto -400 hlineto closepath";
const box = `0 0 rmoveto ${lines}`;
const begin = "0 1000 hsbw";
const point = (right: number) => `${right} 0 rmoveto 2 callsubr`;
const flexOf = (points: readonly number[]) => `1 callsubr ${points.map(point).join(" ")} 50 400 0 0 callsubr`;
const deep: Routines = Array.from({ length: 14 }, (_, index) => [
  index + 4,
  index === 13 ? `${box} return` : `${index + 5} callsubr return`,
]);
const drawnBy = (words: string, routines: Routines = usual, change?: (hidden: string) => string) => {
  const coded = routines.map(([number, routine]) => [number, type1Code(routine)] as const);
  const program = type1({ glyph: type1Code(words), routines: coded, ...(change && { change }) });
  return pdfWithFont(program, { subtype: "Type1", entry: "FontFile", entries: "/Encoding/WinAnsiEncoding" });
};

test.each<[string, string, Routines?]>([
  [
    "by what a routine gives back that few readers have",
    `${begin} 500 1 12 callothersubr pop 0 rmoveto ${lines} endchar`,
  ],
  [
    "by two that are given back the other way round",
    `${begin} 0 500 2 99 callothersubr pop pop rmoveto ${lines} endchar`,
  ],
  ["from a place that is set", `${begin} 500 0 setcurrentpoint ${box} endchar`],
  ["by a line after it is closed", `${begin} ${box} 500 hlineto 400 vlineto -400 hlineto closepath endchar`],
  ["by a number too many for a line", `${begin} 0 0 rmoveto 0 ${lines} endchar`],
  ["by two lines at once", `${begin} 0 0 rmoveto 400 0 0 800 rlineto -400 hlineto closepath endchar`],
  ["by a number too few", `${begin} 500 rmoveto ${lines} endchar`],
  ["by an operator that there is not", `${begin} 0 0 rmoveto reserved ${lines} endchar`],
  ["by an operator of CFF", `${begin} ${box} 1 2 3 4 5 6 1 2 3 4 5 6 50 flex endchar`],
  ["by a number of CFF", `${begin} x1c01f4 0 rmoveto ${lines} endchar`],
  ["without a beginning", `${box} endchar`],
  ["with two beginnings", `${begin} 500 1000 hsbw ${box} endchar`],
  ["without an end", `${begin} ${box}`],
  ["by a part of zero", `${begin} 500 0 div 0 rmoveto ${lines} endchar`],
  [
    "by a flex of too few points",
    `${begin} 0 0 rmoveto ${flexOf([0, 100, 100, 0, 100, 100])} 800 vlineto closepath endchar`,
  ],
  [
    "by a flex to one of whose points two moves lead",
    `${begin} 0 0 rmoveto ${flexOf([0, 100, 100, 0, 100, 100, 0]).replace("100 0 rmoveto", "50 0 rmoveto 50 0 rmoveto")} 800 vlineto closepath endchar`,
  ],
  ["by lines that begin nowhere", `500 1000 hsbw ${lines} endchar`],
  ["by a line within a flex", `${begin} 0 0 rmoveto 1 callsubr ${lines} endchar`],
  ["by a routine that there is not", `${begin} 9 callsubr ${box} endchar`],
  ["by one that calls itself", `${begin} 4 callsubr endchar`, [...usual, [4, "4 callsubr return"]]],
  ["by too many routines within each other", `${begin} 4 callsubr endchar`, [...usual, ...deep]],
  [
    "by one of two routines of one number",
    `${begin} 4 callsubr ${lines} endchar`,
    [...usual, [4, "0 0 rmoveto return"], [4, "500 0 rmoveto return"]],
  ],
  ["by so many moves that pdf.js makes too much of them", `${begin} ${"0 0 rmoveto ".repeat(8_000)}${lines} endchar`],
  ["by as many lines", `${begin} 0 0 rmoveto ${"1 0 rlineto -1 0 rlineto ".repeat(4_000)}${lines} endchar`],
  [
    "by as many parts of numbers",
    `${begin} 0 0 rmoveto ${"1 3 div 0 rlineto -1 3 div 0 rlineto ".repeat(3_100)}${lines} endchar`,
  ],
  ["as two that are not there", `${begin} 0 0 0 57 65 seac`],
  ["as itself and another", `${begin} 0 0 0 57 49 seac`],
])(
  "a glyph of Type 1 that is drawn %s is refused: pdf.js shows another outline than others",
  async (_, words, routines) => {
    await expect(admit(drawnBy(words, routines))).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test.each<[string, (hidden: string) => string]>([
  ["has two lists of them", (hidden) => hidden.replace("/Subrs", "/Subrs 0 array\nND\n/Subrs")],
  ["has more of them than it says", (hidden) => hidden.replace("/Subrs 5", "/Subrs 2")],
])("a program of Type 1 is refused that %s: each reader takes other routines", async (_, change) => {
  const routines: Routines = [...usual, [4, `${box} return`]];
  const given = drawnBy(`${begin} 4 callsubr endchar`, routines, change);
  await expect(admit(given)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, string, Routines?]>([
  ["by itself", `${begin} ${box} endchar`],
  ["by many lines", `${begin} 0 0 rmoveto ${"1 0 rlineto -1 0 rlineto ".repeat(3_000)}${lines} endchar`],
  ["from its side on", `500 1000 hsbw ${box} endchar`],
  ["with a width in both directions", `0 0 1000 0 sbw ${box} endchar`],
  ["with a width that is a part", `0 2000 2 div hsbw ${box} endchar`],
  ["by hints", `${begin} 0 10 hstem 0 10 20 10 40 10 hstem3 dotsection ${box} endchar`],
  ["by other hints", `${begin} ${box} 4 1 3 callothersubr pop callsubr endchar`, [...usual, [4, "0 10 hstem return"]]],
  ["by counters", `${begin} 1 2 2 12 callothersubr 3 1 13 callothersubr ${box} endchar`],
  ["by a routine", `${begin} 4 callsubr endchar`, [...usual, [4, `${box} return`]]],
  ["by one that ends it", `${begin} 4 callsubr`, [...usual, [4, `${box} endchar`]]],
  ["by a flex", `${begin} 0 0 rmoveto ${flexOf([0, 100, 100, 0, 100, 100, 0])} 800 vlineto closepath endchar`],
  ["as two others", `${begin} 0 0 0 57 55 seac`],
])("a glyph of Type 1 stays that is drawn %s", async (_, words, routines) => {
  expect((await admit(drawnBy(words, routines))).bytes).toBeNull();
});
