/** How far outlines reach. */

/** Left, bottom, right and top. */
export type Sides = readonly [number, number, number, number];

/** Sides that are turned, scaled and moved. */
export const moved = ([left, bottom, right, top]: Sides, by: readonly number[]): Sides => {
  const [a, b, c, d, x, y] = by as [number, number, number, number, number, number];
  const corners = [left, right].flatMap((h) =>
    [bottom, top].map((v) => [a * h + c * v + x, b * h + d * v + y] as const),
  );
  const [across, up] = [corners.map(([h]) => h), corners.map(([, v]) => v)];
  return [Math.min(...across), Math.min(...up), Math.max(...across), Math.max(...up)];
};

/** What holds all of them. */
export const around = (all: readonly Sides[]): Sides | undefined =>
  all.length === 0
    ? undefined
    : all.reduce((one, other) => [
        Math.min(one[0], other[0]),
        Math.min(one[1], other[1]),
        Math.max(one[2], other[2]),
        Math.max(one[3], other[3]),
      ]);
