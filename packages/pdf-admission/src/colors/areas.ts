import type { Precision } from "./calculator.ts";
import type { Limits } from "./values.ts";

/** Runs a function; undefined where it has no value for some of what goes in, as far as that is known. */
export type Run = (inputs: readonly Limits[], precision: Precision) => readonly Limits[] | undefined;

/** In which directions an area is halved, and how often: many a function depends on one of its inputs alone. */
const ways: readonly (readonly [axes: readonly (0 | 1)[], halvings: number])[] = [
  [[0], 10],
  [[1], 10],
  [[0, 1], 6],
];
/** So many places of what is left are looked at in each direction. */
const PLACES = 3;
const MAX_RUNS = 40_000;

type Area = readonly [across: Limits, up: Limits];

/** Whether a function of two inputs has values all over an area. Where it jumps, readers differ at lines of no width. */
export const hasValuesAllOver = (run: Run, [across, up, ...others]: readonly Limits[]): boolean => {
  if (across === undefined || up === undefined || others.length > 0) return false;
  return ways.some(([axes, halvings]) => hasValuesBy(run, [across, up], axes, halvings));
};

const hasValuesBy = (run: Run, whole: Area, axes: readonly (0 | 1)[], halvings: number): boolean => {
  let runs = 0;
  const isSound = (area: Area, precision: Precision) => {
    runs += 1;
    return run(area, precision) !== undefined;
  };
  const left: [area: Area, halved: number][] = [[whole, 0]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [area, halved] = next;
    if (isSound(area, "area")) continue;
    if (runs > MAX_RUNS) return false;
    if (halved < halvings) left.push(...divided(area, axes, 2).map((part) => [part, halved + 1] as [Area, number]));
    else if (
      !divided(area, axes, PLACES).every((part) => isSound(middle(part, axes), axes.length > 1 ? "one" : "area"))
    )
      return false;
  }
  return true;
};

const divided = (area: Area, axes: readonly (0 | 1)[], count: number): Area[] => {
  const [columns, rows] = area.map((side, axis) => (axes.includes(axis as 0 | 1) ? parts(side, count) : [side]));
  return (columns ?? []).flatMap((column) => (rows ?? []).map((row): Area => [column, row]));
};

const parts = ({ least, most }: Limits, count: number): Limits[] =>
  Array.from({ length: count }, (_, at) => ({
    least: least + ((most - least) * at) / count,
    most: least + ((most - least) * (at + 1)) / count,
  }));

const middle = (area: Area, axes: readonly (0 | 1)[]): Area => {
  const at = (axis: 0 | 1): Limits => {
    const { least, most } = area[axis];
    return axes.includes(axis) ? { least: (least + most) / 2, most: (least + most) / 2 } : area[axis];
  };
  return [at(0), at(1)];
};
