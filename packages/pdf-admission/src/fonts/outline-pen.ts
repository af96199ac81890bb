import type { Sides } from "./sides.ts";

/** Of a glyph with more points Poppler shows nothing, and with some more other readers neither. */
export const MOST_POINTS = 30_000;

/** Follows the outline of a glyph, which tells each point by the one before, and measures how far it reaches. */
export class OutlinePen {
  #x = 0;
  #y = 0;
  #left = Number.POSITIVE_INFINITY;
  #bottom = Number.POSITIVE_INFINITY;
  #right = Number.NEGATIVE_INFINITY;
  #top = Number.NEGATIVE_INFINITY;
  /** How many points it was told. */
  points = 0;

  get x(): number {
    return this.#x;
  }

  get y(): number {
    return this.#y;
  }

  /** Undefined where nothing was drawn. */
  get sides(): Sides | undefined {
    return this.#left <= this.#right ? [this.#left, this.#bottom, this.#right, this.#top] : undefined;
  }

  move(x: number, y: number): void {
    this.points += 1;
    this.#x += x;
    this.#y += y;
  }

  line(x: number, y: number): void {
    this.#reach(this.#x, this.#y);
    this.move(x, y);
    this.#reach(this.#x, this.#y);
  }

  /** A curve by its two other points and its end, each told from the one before. */
  curve(...[ax, ay, bx, by, x, y]: [number, number, number, number, number, number]): void {
    const across = [this.#x, this.#x + ax, this.#x + ax + bx, this.#x + ax + bx + x] as const;
    const up = [this.#y, this.#y + ay, this.#y + ay + by, this.#y + ay + by + y] as const;
    this.points += 2;
    this.line(ax + bx + x, ay + by + y);
    const isInside = [1, 2].every((at) => this.#holds(across[at] as number, up[at] as number));
    if (isInside) return;
    for (const time of [...turnsOf(across), ...turnsOf(up)]) this.#reach(placeAt(across, time), placeAt(up, time));
  }

  #holds(x: number, y: number): boolean {
    return x >= this.#left && x <= this.#right && y >= this.#bottom && y <= this.#top;
  }

  #reach(x: number, y: number): void {
    if (x < this.#left) this.#left = x;
    if (x > this.#right) this.#right = x;
    if (y < this.#bottom) this.#bottom = y;
    if (y > this.#top) this.#top = y;
  }
}

type Points = readonly [number, number, number, number];

/** Where, between 0 and 1, a curve turns round in one direction. */
const turnsOf = ([start, first, second, end]: Points): number[] => {
  const [a, b, c] = [end - 3 * second + 3 * first - start, 2 * (second - 2 * first + start), first - start];
  const root = Math.sqrt(b * b - 4 * a * c);
  const found = Math.abs(a) < 1e-9 ? [-c / b] : [(-b + root) / (2 * a), (-b - root) / (2 * a)];
  return found.filter((time) => time > 0 && time < 1);
};

const placeAt = ([start, first, second, end]: Points, time: number): number => {
  const left = 1 - time;
  return left ** 3 * start + 3 * left ** 2 * time * first + 3 * left * time ** 2 * second + time ** 3 * end;
};
