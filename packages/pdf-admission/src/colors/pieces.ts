import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import type { PDFObject } from "pdf-lib";
import type { Reckoned } from "./reckoned.ts";
import type { Limits } from "./values.ts";

/** How many pieces stand instead of a function, and how near they are to it. */
const [PIECES, NEAR] = [256, 1 / 512];

/** A value of the input, and the outputs that it has. */
interface Point {
  place: number;
  values: readonly number[];
}

/** A function of one input as straight pieces; null where it has no value somewhere. */
export const piecewise = (
  { at }: Reckoned,
  { least, most }: Limits,
  outputs: readonly Limits[],
  file: PdfFile,
): PDFObject | null => {
  const points: Point[] = [];
  for (let index = 0; index <= PIECES; index += 1) {
    const place = least + ((most - least) * index) / PIECES;
    const values = at([place]);
    if (values === undefined) return null;
    points.push({ place, values });
  }
  const kept = endsOfPieces(points, outputs);
  const pieces = kept.slice(1).map((to, index) => [points[kept[index] ?? 0], points[to]] as const);
  const rounded = (value: number | undefined) => Number((value ?? 0).toFixed(6));
  const { context } = file;
  return context.obj({
    FunctionType: 3,
    Domain: [rounded(least), rounded(most)],
    Bounds: kept.slice(1, -1).map((index) => rounded(points[index]?.place)),
    Encode: pieces.flatMap(() => [0, 1]),
    Functions: pieces.map(([from, to]) => ({
      FunctionType: 2,
      Domain: [0, 1],
      N: 1,
      C0: from?.values.map(rounded) ?? [],
      C1: to?.values.map(rounded) ?? [],
    })),
  });
};

/** The points, by their index, at which one piece ends and the next begins: each piece as long as it is near enough. */
const endsOfPieces = (points: readonly Point[], outputs: readonly Limits[]): number[] => {
  const kept = [0];
  while ((kept.at(-1) ?? 0) < PIECES) {
    const from = kept.at(-1) ?? 0;
    let to = from + 1;
    while (to < PIECES && isStraight(points.slice(from, to + 2), outputs)) to += 1;
    kept.push(to);
  }
  return kept;
};

/** Whether a line from the first to the last point is near all that lie between. */
const isStraight = (points: readonly Point[], outputs: readonly Limits[]): boolean => {
  const [first, last] = [points[0], points.at(-1)];
  return points.slice(1, -1).every(({ values }, index) =>
    outputs.every((limits, output) => {
      const [start, end] = [first?.values[output] ?? 0, last?.values[output] ?? 0];
      const line = start + ((index + 1) / (points.length - 1)) * (end - start);
      return Math.abs(line - (values[output] ?? 0)) <= NEAR * (limits.most - limits.least);
    }),
  );
};
