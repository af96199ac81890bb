import type { OperatorKind } from "@rubrica/pdf-reading/content-operators";

/** How far a content's matrices shift what it draws. Far away, readers of a lesser precision lose what many small shifts add up to. */

/** Farther than any page is large, in whatever a program reckons; PDFium and MuPDF have some seven digits. */
const FARTHEST = 100_000;
/** Beyond this, shifts are counted. */
const FAR = 10_000;
const MOST_SHIFTS = 1_000;
/** Smaller, or larger, numbers of a lesser precision become nothing, and stay so when they are made larger again. */
const [SMALLEST, LARGEST] = [1e-9, 1e9];

export type Matrix = readonly [number, number, number, number, number, number];

interface State {
  matrix: Matrix;
  shifts: number;
}

export class Shifts {
  #state: State = { matrix: [1, 0, 0, 1, 0, 0], shifts: 0 };
  readonly #saved: State[] = [];

  /** The one that holds now. */
  get matrix(): Matrix {
    return this.#state.matrix;
  }

  /** Takes an operator that saves, restores or shifts. Returns whether readers still agree on where things are drawn. */
  goOn(kind: OperatorKind, values: Float64Array): boolean {
    if (kind === "save") this.#saved.push(this.#state);
    else if (kind === "restore") this.#state = this.#saved.pop() ?? this.#state;
    return kind !== "matrix" || this.#take(values);
  }

  #take([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Float64Array): boolean {
    const [A, B, C, D, E, F] = this.#state.matrix;
    const [x, y] = [e * A + f * C + E, e * B + f * D + F];
    const matrix: Matrix = [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, x, y];
    const shifts = this.#state.shifts + 1;
    this.#state = { matrix, shifts };
    const distance = Math.max(Math.abs(x), Math.abs(y));
    const scale = Math.max(...matrix.slice(0, 4).map(Math.abs));
    if (scale < SMALLEST || scale > LARGEST) return false;
    return distance <= FARTHEST && (distance <= FAR || shifts <= MOST_SHIFTS);
  }
}
