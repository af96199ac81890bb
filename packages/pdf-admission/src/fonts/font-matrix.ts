/** What scales the glyphs of a program (`FontMatrix` of Type 1 and CFF): six numbers, as they stand there. */

/** Units to the size of text: one in ten at least, as no font has, and one in 32,768. */
const [LARGEST, SMALLEST] = [0.1, 1 / 32_768];
export const UNIT = 1 / 1000;
const NOWHERE = 1e-9;
/** How far up and to the right glyphs may lean, as slanted ones do, as a share of their height and of their width. */
const [MOST_RAISED, MOST_SLANTED] = [0.001, 0.3];

/**
 * Whether all readers draw glyphs in one size by these, of which the second is of a part of the first one's font. Of other
 * scales some take another one; MuPDF alone does not move glyphs. What is turned or mirrored browsers draw, and take it for as
 * large as it would be without that.
 */
export const isSoundScale = (...matrices: readonly (readonly number[] | undefined)[]): boolean => {
  const given = matrices.filter((matrix) => matrix !== undefined);
  const areWhole = given.every((matrix) => matrix.length === 6 && !matrix.some(Number.isNaN));
  const isMoved = given.some((matrix) => matrix.slice(4).some((value) => Math.abs(value) > NOWHERE));
  const isSized = [0, 3].every((at) => given.length === 0 || isScale(productOf(given, at)));
  return areWhole && !isMoved && given.every(isUpright) && isSized;
};

const isUpright = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): boolean =>
  a > 0 && d > 0 && Math.abs(b) <= a * MOST_RAISED && Math.abs(c) <= d * MOST_SLANTED;

/** Of what size of text a unit is, to the right and up; a thousandth where nothing says it. */
export const unitsBy = (...matrices: readonly (readonly number[] | undefined)[]): readonly [number, number] => {
  const given = matrices.filter((matrix) => matrix !== undefined);
  return given.length === 0 ? [UNIT, UNIT] : [productOf(given, 0), productOf(given, 3)];
};

const productOf = (matrices: readonly (readonly number[])[], at: number): number =>
  matrices.reduce((product, matrix) => product * Math.abs(matrix[at] ?? 0), 1);

const isScale = (value: number): boolean => value >= SMALLEST && value <= LARGEST;
