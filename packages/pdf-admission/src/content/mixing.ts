/** Colors that are mixed with those under them (ISO 32000-2, 11.3.5.2), each component from 0 to 1. */

type Mode = (line: number, area: number) => number;

const MODES: Readonly<Record<string, Mode>> = {
  Multiply: (line, area) => line * area,
  Screen: (line, area) => line + area - line * area,
  Darken: Math.min,
  Lighten: Math.max,
};
/** In which black over black is another than black. */
const STACKED = new Set(["Overlay", "SoftLight"]);
/** How much red, green and blue weigh to the eye (11.3.5.3). */
const WEIGHTS = [0.3, 0.59, 0.11] as const;
/** What nobody reads a letter by, and what nobody takes a letter for another by. */
const [FAINT, SHADE] = [0.1, 0.3];
const HALF = 0.5;

/** How much of a component is left that mixing it again could take away; null where that is more than it took at once. */
const LEFT: Readonly<Record<string, (value: number) => number | null>> = {
  Multiply: (value) => (value === 1 ? 0 : value <= HALF ? value : null),
  Screen: (value) => (value === 0 ? 0 : value >= HALF ? 1 - value : null),
  Darken: () => 0,
  Lighten: () => 0,
};

const weighed = (apart: (at: number) => number): number =>
  WEIGHTS.reduce((sum, weight, at) => sum + weight * apart(at), 0);
const isBlack = (color: readonly number[]): boolean => color.every((value) => value === 0);

/** Whether a color that is mixed once looks much as when it is mixed again and again. */
export const isSteady = (mode: string, color: readonly number[]): boolean => {
  if (isBlack(color)) return !STACKED.has(mode);
  return weighed((at) => LEFT[mode]?.(color[at] ?? 0) ?? Number.POSITIVE_INFINITY) <= SHADE;
};

/** Whether lines look the same, be they mixed with the area that they stand around or with what lies under both. */
export const isAlikeOver = (mode: string, line: readonly number[], area: readonly number[]): boolean => {
  if (isBlack(line) && isBlack(area)) return !STACKED.has(mode);
  const mixed = MODES[mode];
  if (mixed === undefined) return false;
  const apart = (ofLine: number, ofArea: number) => Math.abs(mixed(ofLine, ofArea) - ofLine);
  return weighed((at) => apart(line[at] ?? 0, area[at] ?? 0)) <= FAINT;
};
