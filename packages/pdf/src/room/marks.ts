import type { Rectangle } from "../port.ts";
import type { Picture } from "./pdfium.ts";

/** How far a dot's red, green or blue may be from the ground's: a scan's ground is never quite even. */
const TOLERANCE = 24;
/** What is kept free around a stamp, in points. */
const HALO = 3;
/** Of each colour, so many of its bits tell one ground from another. */
const GROUND_BITS = 4;

/** What a page bears: what differs from its ground, and text, fields and notes, seen or not. */
export class Marks {
  readonly #picture: Picture;
  /** How many marked dots lie above and left of each dot (a summed-area table). */
  readonly #sums: Uint32Array;

  constructor(picture: Picture) {
    this.#picture = { ...picture, bgrx: new Uint8Array(0), pieces: [] };
    this.#sums = summed(markedDots(picture), picture.width, picture.height);
  }

  /** How many dots of a rectangle (points from the page's top left) and a little around it are marked. */
  within({ x, y, width, height }: Rectangle): number {
    const { dotsPerPoint: scale, width: across, height: down } = this.#picture;
    const clamp = (value: number, max: number) => Math.max(0, Math.min(max, value));
    const left = clamp(Math.floor((x - HALO) * scale), across);
    const right = clamp(Math.ceil((x + width + HALO) * scale), across);
    const top = clamp(Math.floor((y - HALO) * scale), down);
    const bottom = clamp(Math.ceil((y + height + HALO) * scale), down);
    const until = (column: number, row: number) => this.#sums[row * (across + 1) + column] ?? 0;
    return until(right, bottom) - until(left, bottom) - until(right, top) + until(left, top);
  }
}

/** A byte a dot: 1 where it is marked. */
function markedDots({ width, height, bgrx, pieces }: Picture): Uint8Array {
  const [blue, green, red] = groundOf(bgrx);
  const marked = new Uint8Array(width * height);
  for (let dot = 0, at = 0; dot < marked.length; dot += 1, at += 4) {
    const isGround =
      Math.abs((bgrx[at] ?? 0) - blue) <= TOLERANCE &&
      Math.abs((bgrx[at + 1] ?? 0) - green) <= TOLERANCE &&
      Math.abs((bgrx[at + 2] ?? 0) - red) <= TOLERANCE;
    if (!isGround) marked[dot] = 1;
  }
  for (const { left, top, right, bottom } of pieces) {
    const [from, to] = [Math.max(0, left), Math.min(width, right + 1)];
    for (let row = Math.max(0, top); row < Math.min(height, bottom + 1) && from < to; row += 1) {
      marked.fill(1, row * width + from, row * width + to);
    }
  }
  return marked;
}

/** The colour that most dots have, about: blue, green, red. */
function groundOf(bgrx: Uint8Array): [number, number, number] {
  const shift = 8 - GROUND_BITS;
  const counts = new Uint32Array(1 << (3 * GROUND_BITS));
  const binOf = (at: number) =>
    ((bgrx[at] ?? 0) >> shift) |
    (((bgrx[at + 1] ?? 0) >> shift) << GROUND_BITS) |
    (((bgrx[at + 2] ?? 0) >> shift) << (2 * GROUND_BITS));
  for (let at = 0; at < bgrx.length; at += 4) counts[binOf(at)] = (counts[binOf(at)] ?? 0) + 1;
  let [most, bin] = [0, 0];
  for (const [candidate, count] of counts.entries()) if (count > most) [most, bin] = [count, candidate];
  const sums: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < bgrx.length; at += 4) {
    if (binOf(at) !== bin) continue;
    sums[0] += bgrx[at] ?? 0;
    sums[1] += bgrx[at + 1] ?? 0;
    sums[2] += bgrx[at + 2] ?? 0;
  }
  return [sums[0] / most, sums[1] / most, sums[2] / most];
}

function summed(marked: Uint8Array, width: number, height: number): Uint32Array {
  const sums = new Uint32Array((width + 1) * (height + 1));
  for (let row = 0; row < height; row += 1) {
    let inRow = 0;
    for (let column = 0; column < width; column += 1) {
      inRow += marked[row * width + column] ?? 0;
      const above = row * (width + 1) + column + 1;
      sums[above + width + 1] = (sums[above] ?? 0) + inRow;
    }
  }
  return sums;
}
