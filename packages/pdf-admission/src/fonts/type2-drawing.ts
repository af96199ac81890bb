import type { OutlinePen } from "./outline-pen.ts";

/** What operators of glyphs in CFF draw with their numbers, of which there are as many as there must be (Adobe Technical Note 5177, 4.1). */

type Draw = (pen: OutlinePen, numbers: readonly number[]) => void;

const lines: Draw = (pen, numbers) => {
  for (let at = 0; at + 1 < numbers.length; at += 2) pen.line(numbers[at] as number, numbers[at + 1] as number);
};
const curves: Draw = (pen, numbers) => {
  for (let at = 0; at + 5 < numbers.length; at += 6)
    pen.curve(...(numbers.slice(at, at + 6) as [number, number, number, number, number, number]));
};

/** To the right and up in turns. */
const turnedLines =
  (isAcross: boolean): Draw =>
  (pen, numbers) => {
    for (const [index, number] of numbers.entries()) {
      if ((index % 2 === 0) === isAcross) pen.line(number, 0);
      else pen.line(0, number);
    }
  };

/** Curves that begin and end in one direction; what is before them moves the first one's beginning aside. */
const straightCurves =
  (isAcross: boolean): Draw =>
  (pen, numbers) => {
    let [at, aside] = numbers.length % 4 === 1 ? [1, numbers[0] as number] : [0, 0];
    for (; at + 3 < numbers.length; at += 4) {
      const [first, x, y, last] = numbers.slice(at, at + 4) as [number, number, number, number];
      if (isAcross) pen.curve(first, aside, x, y, last, 0);
      else pen.curve(aside, first, x, y, 0, last);
      aside = 0;
    }
  };

/** Curves that begin in one direction and end in the other, in turns; the last one may end aside. */
const turnedCurves =
  (startsAcross: boolean): Draw =>
  (pen, numbers) => {
    let isAcross = startsAcross;
    for (let at = 0; at + 3 < numbers.length; at += 4) {
      const [first, x, y, last] = numbers.slice(at, at + 4) as [number, number, number, number];
      const aside = at + 5 === numbers.length ? (numbers[at + 4] as number) : 0;
      if (isAcross) pen.curve(first, 0, x, y, aside, last);
      else pen.curve(0, first, x, y, last, aside);
      isAcross = !isAcross;
    }
  };

/** Of a flex without the numbers that follow from others. */
const shortFlex: Draw = (pen, [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0]) => {
  pen.curve(a, 0, b, c, d, 0);
  pen.curve(e, 0, f, -c, g, 0);
};
const flexToStart: Draw = (pen, [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0]) => {
  pen.curve(a, b, c, d, e, 0);
  pen.curve(f, 0, g, h, i, -(b + d + h));
};
const flexOfOneEnd: Draw = (pen, numbers) => {
  const sum = (from: number) => [0, 2, 4, 6, 8].reduce((all, at) => all + (numbers[at + from] as number), 0);
  const [x, y, last] = [sum(0), sum(1), numbers[10] as number];
  const end = Math.abs(x) > Math.abs(y) ? [last, -y] : [-x, last];
  curves(pen, [...numbers.slice(0, 10), ...end]);
};

const drawn: Readonly<Record<number, Draw>> = {
  5: lines,
  6: turnedLines(true),
  7: turnedLines(false),
  8: curves,
  24: (pen, numbers) => {
    curves(pen, numbers.slice(0, -2));
    lines(pen, numbers.slice(-2));
  },
  25: (pen, numbers) => {
    lines(pen, numbers.slice(0, -6));
    curves(pen, numbers.slice(-6));
  },
  26: straightCurves(false),
  27: straightCurves(true),
  30: turnedCurves(false),
  31: turnedCurves(true),
};
const drawnEscaped: Readonly<Record<number, Draw>> = { 34: shortFlex, 35: curves, 36: flexToStart, 37: flexOfOneEnd };

export const drawType2: (operator: number, pen: OutlinePen, numbers: readonly number[]) => void = (
  operator,
  pen,
  numbers,
) => drawn[operator]?.(pen, numbers);
export const drawEscapedType2: typeof drawType2 = (operator, pen, numbers) => drawnEscaped[operator]?.(pen, numbers);
