import { TooComplex } from "@rubrica/pdf-reading/faults";

/** What the values of a block of a picture in JPEG come to (ITU-T T.81, A.3.3). */

export const BLOCK = 64;
const SIDE = 8;
/**
 * Readers bound samples in their own ways where they lie beyond: some go round from white to black, some don't. Honest
 * samples lie from -128 to 127, and a little beyond at edges.
 */
const MOST_SAMPLE = 500;
/** So many blocks of a file are reckoned through: of honest ones those at sharp edges. */
const MOST_RECKONED = 4_000_000;

/** Where values stand that are written from the lowest to the highest frequency. */
const PLACES = Uint8Array.from([
  ...[0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21],
  ...[28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61],
  ...[54, 47, 55, 62, 63],
]);
/** Halves of the cosines of so many sixteenths of half a turn. */
const [C1, C2, C3, C4, C5, C6, C7] = [1, 2, 3, 4, 5, 6, 7].map((part) => Math.cos((part * Math.PI) / 16) / 2) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

/** So many parts all pictures of a file may have: honest ones have some twenty each. */
const MOST_PARTS = 400_000;

/** Tells whether blocks have samples that all readers bound alike, within what one file may take. */
export class Samples {
  readonly #values = new Float64Array(BLOCK);
  #left = MOST_RECKONED;
  #parts = MOST_PARTS;

  /** Counts a part of a picture. Throws `TooComplex`. */
  takePart(): void {
    this.#parts -= 1;
    if (this.#parts < 0) throw new TooComplex("its pictures in JPEG have too many parts");
  }

  /**
   * @param values of a block in their order, from `at` on
   * @param steps what each is multiplied by
   * @param count of values that may be other than 0
   * Throws `TooComplex`.
   */
  areBounded(values: Int16Array, at: number, steps: Uint16Array, count: number): boolean {
    let sum = 0;
    for (let index = 1; index < count; index += 1) {
      const value = (values[at + index] as number) * (steps[index] as number);
      sum += value * value;
    }
    const mean = Math.abs((values[at] as number) * (steps[0] as number)) / SIDE;
    if (mean + Math.sqrt(sum) <= MOST_SAMPLE) return true;
    if (mean > MOST_SAMPLE) return false;
    this.#left -= 1;
    if (this.#left < 0) throw new TooComplex("its pictures in JPEG have too many sharp edges");
    return this.#largest(values, at, steps) <= MOST_SAMPLE;
  }

  #largest(values: Int16Array, at: number, steps: Uint16Array): number {
    for (let index = 0; index < BLOCK; index += 1)
      this.#values[PLACES[index] as number] = (values[at + index] as number) * (steps[index] as number);
    for (let row = 0; row < BLOCK; row += SIDE) transform(this.#values, row, 1);
    for (let column = 0; column < SIDE; column += 1) transform(this.#values, column, SIDE);
    let largest = 0;
    for (let index = 0; index < BLOCK; index += 1) largest = Math.max(largest, Math.abs(this.#values[index] as number));
    return largest;
  }
}

/** Makes samples of the frequencies of a row, or of a column. Called for millions: it makes no lists. */
const transform = (values: Float64Array, from: number, step: number): void => {
  const f0 = values[from] as number;
  const f1 = values[from + step] as number;
  const f2 = values[from + 2 * step] as number;
  const f3 = values[from + 3 * step] as number;
  const f4 = values[from + 4 * step] as number;
  const f5 = values[from + 5 * step] as number;
  const f6 = values[from + 6 * step] as number;
  const f7 = values[from + 7 * step] as number;
  const sum = (f0 + f4) * C4;
  const difference = (f0 - f4) * C4;
  const outer = f2 * C2 + f6 * C6;
  const inner = f2 * C6 - f6 * C2;
  putBoth(values, from, 0, step, sum + outer, f1 * C1 + f3 * C3 + f5 * C5 + f7 * C7);
  putBoth(values, from, 1, step, difference + inner, f1 * C3 - f3 * C7 - f5 * C1 - f7 * C5);
  putBoth(values, from, 2, step, difference - inner, f1 * C5 - f3 * C1 + f5 * C7 + f7 * C3);
  putBoth(values, from, 3, step, sum - outer, f1 * C7 - f3 * C5 + f5 * C3 - f7 * C1);
};

/** Puts two samples that lie as far from the middle. */
const putBoth = (values: Float64Array, from: number, index: number, step: number, even: number, odd: number): void => {
  values[from + index * step] = even + odd;
  values[from + (SIDE - 1 - index) * step] = even - odd;
};
