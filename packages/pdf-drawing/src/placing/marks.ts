import type { Rectangle } from "@rubrica/pdf-reading/pages";
import type { DrawnPage } from "./pdfium.ts";

/** How far a dot's red, green or blue may be from the ground's: a scan's ground is never quite even. */
const TOLERANCE = 24;
/** What is kept free around a stamp, in points. */
const HALO = 3;
/** The ground is the commonest color when only the upper bits of red, green and blue, so many of each, are compared. */
const GROUND_BITS = 4;

/** The marks of a page: what differs from its ground, and text, fields and notes, seen or not. */
export class Marks {
  readonly #picture: DrawnPage;
  /** How many marked dots lie above and left of each dot (a summed-area table). */
  readonly #sums: Uint32Array<ArrayBuffer>;

  constructor(picture: DrawnPage) {
    this.#picture = { ...picture, bgrx: new Uint8Array(0), pieces: [] };
    const marked = markedDots(picture);
    this.#sums = summed(marked, picture.width, picture.height);
    free(marked);
  }

  /** From now on nothing can be asked. */
  close(): void {
    free(this.#sums);
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

/** Gives megabytes back at once; the engine would let many of them gather, and then stop to tidy up. */
const free = ({ buffer }: Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>): void => void buffer.transfer(0);

/** A byte a dot: 1 where it is marked. */
const markedDots = ({ width, height, bgrx, pieces }: DrawnPage): Uint8Array<ArrayBuffer> => {
  const dots = new Uint32Array(bgrx.buffer, bgrx.byteOffset, width * height);
  const marked = new Uint8Array(dots.length);
  // The corner is the ground of nearly every page; where most dots are not like it, the ground has to be found.
  const like = markUnlike(dots, width, colourOf(dots[0] ?? 0), marked);
  if (2 * like < dots.length) markUnlike(dots, width, groundOf(dots), marked.fill(0));
  for (const { left, top, right, bottom } of pieces) {
    const [from, to] = [Math.max(0, left), Math.min(width, right + 1)];
    for (let row = Math.max(0, top); row < Math.min(height, bottom + 1) && from < to; row += 1) {
      marked.fill(1, row * width + from, row * width + to);
    }
  }
  return marked;
};

/**
 * Marks the dots that differ from a ground; gives how many are exactly like the first one. Half of the rows of a text are
 * all like that, which one comparison tells.
 */
const markUnlike = (dots: Uint32Array, width: number, ground: Colour, marked: Uint8Array): number => {
  const first = dots[0] ?? 0;
  const bytes = Buffer.from(dots.buffer, dots.byteOffset, dots.byteLength);
  const plainRow = Buffer.from(new Uint32Array(width).fill(first).buffer);
  const isFirstMarked = !isNear(first, ground);
  let like = 0;
  for (let start = 0; start < dots.length; start += width) {
    if (plainRow.compare(bytes, 4 * start, 4 * (start + width)) === 0) {
      like += width;
      if (isFirstMarked) marked.fill(1, start, start + width);
      continue;
    }
    let [last, isMarked] = [first, isFirstMarked];
    for (let at = start; at < start + width; at += 1) {
      const dot = dots[at] ?? 0;
      if (dot !== last) [last, isMarked] = [dot, !isNear(dot, ground)];
      if (dot === first) like += 1;
      if (isMarked) marked[at] = 1;
    }
  }
  return like;
};

interface Colour {
  blue: number;
  green: number;
  red: number;
}

/** The colour of a dot, each part 0 to 255; its highest byte has no meaning. */
const colourOf = (dot: number): Colour => ({ blue: dot & 255, green: (dot >> 8) & 255, red: (dot >> 16) & 255 });

const isNear = (dot: number, ground: Colour): boolean => {
  const { blue, green, red } = colourOf(dot);
  return (
    Math.abs(blue - ground.blue) <= TOLERANCE &&
    Math.abs(green - ground.green) <= TOLERANCE &&
    Math.abs(red - ground.red) <= TOLERANCE
  );
};

/** The mean of the colours that most dots have, about. */
const groundOf = (dots: Uint32Array): Colour => {
  const shift = 8 - GROUND_BITS;
  const bins = 1 << (3 * GROUND_BITS);
  const counts = new Uint32Array(bins);
  const sums = { blue: new Uint32Array(bins), green: new Uint32Array(bins), red: new Uint32Array(bins) };
  for (let from = 0; from < dots.length; ) {
    const until = endOfRun(dots, from);
    const { blue, green, red } = colourOf(dots[from] ?? 0);
    const bin = (blue >> shift) | ((green >> shift) << GROUND_BITS) | ((red >> shift) << (2 * GROUND_BITS));
    const run = until - from;
    counts[bin] = (counts[bin] ?? 0) + run;
    sums.blue[bin] = (sums.blue[bin] ?? 0) + run * blue;
    sums.green[bin] = (sums.green[bin] ?? 0) + run * green;
    sums.red[bin] = (sums.red[bin] ?? 0) + run * red;
    from = until;
  }
  const most = counts.reduce((best, count, bin) => (count > (counts[best] ?? 0) ? bin : best), 0);
  const mean = (of: Uint32Array) => (of[most] ?? 0) / (counts[most] ?? 1);
  return { blue: mean(sums.blue), green: mean(sums.green), red: mean(sums.red) };
};

/** Where the dots that are like the first one end. */
const endOfRun = (dots: Uint32Array, from: number): number => {
  const first = dots[from];
  let until = from + 1;
  while (until < dots.length && dots[until] === first) until += 1;
  return until;
};

const summed = (marked: Uint8Array, width: number, height: number): Uint32Array<ArrayBuffer> => {
  const across = width + 1;
  const sums = new Uint32Array(across * (height + 1));
  for (let row = 0; row < height; row += 1) {
    const inMarked = marked.subarray(row * width, (row + 1) * width);
    const above = sums.subarray(row * across, (row + 1) * across);
    const here = sums.subarray((row + 1) * across, (row + 2) * across);
    if (!inMarked.includes(1)) {
      here.set(above);
      continue;
    }
    let inRow = 0;
    for (let column = 0; column < width; column += 1) {
      inRow += inMarked[column] ?? 0;
      here[column + 1] = (above[column + 1] ?? 0) + inRow;
    }
  }
  return sums;
};
