/** What scales the glyphs of a program (`FontMatrix` of Type 1 and CFF): six numbers, as they stand there. */

/** Units to the size of text: one in ten at least, as no font has, and one in 32,768. */
const [LARGEST, SMALLEST] = [0.1, 1 / 32_768];
const NOWHERE = 1e-9;

/**
 * Whether all readers draw glyphs in one size by these, of which the second is of a part of the first one's font. Of other
 * scales some take another one; MuPDF alone does not move glyphs.
 */
export const isSoundScale = (...matrices: readonly (readonly number[] | undefined)[]): boolean => {
  const given = matrices.filter((matrix) => matrix !== undefined);
  const areWhole = given.every((matrix) => matrix.length === 6 && !matrix.some(Number.isNaN));
  const isMoved = given.some((matrix) => matrix.slice(4).some((value) => Math.abs(value) > NOWHERE));
  return areWhole && !isMoved && [0, 3].every((at) => given.length === 0 || isScale(productOf(given, at)));
};

const productOf = (matrices: readonly (readonly number[])[], at: number): number =>
  matrices.reduce((product, matrix) => product * Math.abs(matrix[at] ?? 0), 1);

const isScale = (value: number): boolean => value >= SMALLEST && value <= LARGEST;
