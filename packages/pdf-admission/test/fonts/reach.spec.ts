import { cff, type1 } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { cffGlyphs } from "../../src/fonts/cff.ts";
import { type1Glyphs } from "../../src/fonts/type1.ts";
import { type1Code, type2Code } from "./glyph-code.ts";

/** Of the other glyphs of the program. */
const others = { left: 0, bottom: 0, right: 0.9, top: 0.8 };
const told = (reach: readonly number[] | undefined) => {
  const [left, bottom, right, top] = (reach ?? []).map((side) => Math.round(side * 10_000) / 10_000);
  return { left, bottom, right, top };
};

test.each([
  ["lines", "0 0 rmoveto 2000 0 0 -300 rlineto", { right: 2, bottom: -0.3 }],
  ["lines to the right and up", "0 0 rmoveto 2000 -100 -50 hlineto", { right: 2, bottom: -0.1 }],
  ["lines up and to the right", "0 0 rmoveto 2000 -100 vlineto", { top: 2, left: -0.1 }],
  ["curves, and not their other points", "0 0 rmoveto 0 2000 400 0 0 -2000 rrcurveto", { top: 1.5 }],
  ["curves and a line", "0 0 rmoveto 1 1 1 1 1 1 2000 0 x18", { right: 2.003 }],
  ["lines and a curve", "0 0 rmoveto 2000 0 1 1 1 1 1 1 x19", { right: 2.003 }],
  ["curves up", "0 0 rmoveto 5 1000 0 1000 0 x1a", { top: 2 }],
  ["curves to the right", "0 0 rmoveto 1000 1000 0 0 x1b", { right: 2 }],
  ["curves up that turn to the right", "0 0 rmoveto 1000 0 1000 1000 x1e", { right: 1, top: 2 }],
  ["curves to the right that turn up, and one aside", "0 0 rmoveto 1000 1000 0 2000 7 x1f", { right: 2.007, top: 2 }],
  ["a flex to the side", "0 0 rmoveto 500 500 10 500 500 0 0 x0c22", { right: 2 }],
  ["a flex", "0 0 rmoveto 500 0 500 0 500 0 500 0 0 0 0 0 50 flex", { right: 2 }],
  ["a flex back to its height", "0 0 rmoveto 500 0 500 10 500 500 0 0 0 x0c24", { right: 2 }],
  ["a flex to the right of one end", "0 0 rmoveto 500 0 500 10 500 0 500 0 0 0 7 x0c25", { right: 2.007 }],
  ["a flex up of one end", "0 0 rmoveto 0 500 10 500 0 500 0 500 0 0 7 x0c25", { top: 2.007 }],
  ["a place to the right", "1500 hmoveto 500 0 rlineto", { right: 2 }],
  ["a place above", "1200 x04 0 800 rlineto", { top: 2 }],
  ["parts of a number", "xff07d08000 0 rmoveto 10 0 rlineto", { right: 2.0105 }],
  ["no lines", "5000 0 rmoveto", {}],
  ["another glyph that is moved", "2000 0 57 55", { right: 2.9 }],
])("how far a glyph of CFF reaches by %s is known", (_, words, expected) => {
  const glyphs = cffGlyphs(cff(undefined, { glyph: type2Code(`${words} endchar`) }));
  expect(told(glyphs?.reach)).toEqual({ ...others, ...expected });
});

const flexOf = (points: readonly number[]) =>
  `1 callsubr ${points.map((right) => `${right} 0 rmoveto 2 callsubr`).join(" ")} 50 2000 0 0 callsubr`;
const routines = [
  "3 0 callothersubr pop pop setcurrentpoint return",
  "0 1 callothersubr return",
  "0 2 callothersubr return",
  "return",
].map((words, number) => [number, type1Code(words)] as const);

test.each([
  ["its side", "100 1000 hsbw 1900 0 rmoveto 10 hlineto 10 vlineto closepath endchar", { right: 2.01 }],
  ["both sides", "0 50 1000 0 sbw 0 1950 rmoveto 10 0 rlineto 10 vlineto closepath endchar", { top: 2.01 }],
  ["places", "0 1000 hsbw 1990 hmoveto 1990 x04 10 10 rlineto closepath endchar", { right: 2, top: 2 }],
  ["curves", "0 1000 hsbw 0 0 rmoveto 0 2000 400 0 0 -2000 rrcurveto closepath endchar", { top: 1.5 }],
  ["curves up", "0 1000 hsbw 0 0 rmoveto 1000 0 1000 1000 x1e closepath endchar", { right: 1, top: 2 }],
  ["curves to the right", "0 1000 hsbw 0 0 rmoveto 1000 1000 0 2000 x1f closepath endchar", { right: 2, top: 2 }],
  ["a flex", `0 1000 hsbw 0 0 rmoveto ${flexOf([-9, 509, 500, 500, 500, 0, 0])} closepath endchar`, { right: 2 }],
  ["another glyph that is moved", "0 1000 hsbw 50 2000 0 57 55 seac", { right: 2.85 }],
])("how far a glyph of Type 1 reaches by %s is known", (_, words, expected) => {
  const program = type1({ glyph: type1Code(words), routines }).toString("latin1");
  const wide = program.replace("{0 0 1000 800}", "{-9000 -9000 9000 9000}");
  expect(told(type1Glyphs(Buffer.from(wide, "latin1"))?.reach)).toEqual({ ...others, ...expected });
});
