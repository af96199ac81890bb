import type { Operator } from "@rubrica/pdf-reading/content-operators";
import { isAskew } from "./cells.ts";
import type { Matrix } from "./shifts.ts";

/**
 * How far a content's lines lead. PDFium draws none to further than 50,000 dots: it takes a nearer point for what is beyond,
 * of its own for each axis, so that slanted lines, and the edges of areas, lead elsewhere than for other readers. Poppler draws
 * no pictures of so many dots.
 */
export interface Reach {
  /** The farthest that slanted lines and curves go, and how large letters and pictures are, in the space that the content begins in. */
  slanted: number;
  /** The same of all lines: they are slanted where the content is turned. */
  all: number;
  /** What it draws that may have contents, as `XObject/name`. */
  placed: ReadonlyMap<string, Placed>;
}

/** How something is drawn, at most: how many times as large as by itself, how far away, and whether it is turned. */
export interface Placed {
  scale: number;
  shift: number;
  isAskew: boolean;
}

/** In points: lines that lead aside by less count as straight, since no reader can draw them much otherwise. */
const STRAIGHT = 0.5;

export class FarPaths implements Reach {
  slanted = 0;
  all = 0;
  readonly placed = new Map<string, Placed>();
  #startX = 0;
  #startY = 0;
  #x = 0;
  #y = 0;
  /** The farthest that the path goes. */
  #path = 0;

  /** Takes an operator of a path; `mayBeDashed`: PDFium begins dashes where it takes lines to begin. */
  goOn({ name, kind }: Operator, values: Float64Array, matrix: Matrix, mayBeDashed = false): void {
    if (kind === "paint") this.#paint(mayBeDashed && /[sSbB]/.test(name));
    if (kind !== "begin_path" && kind !== "path") return;
    const [x = 0, y = 0, second = 0, third = 0, fifth = 0, sixth = 0] = values;
    if (name === "m") this.#begin(x, y, matrix);
    else if (name === "l") this.#lead(x, y, matrix);
    else if (name === "h") this.#close();
    else if (name === "re") this.#box([x, y, x + second, y + third], matrix);
    else {
      // A curve stays within its points.
      this.#lead(x, y, matrix);
      this.#lead(second, third, matrix);
      if (name === "c") this.#lead(fifth, sixth, matrix);
    }
  }

  /** Takes letters that are as large as that in some direction. */
  show(font: string, size: number, matrix: Matrix): void {
    const scale = size * scaleOf(matrix);
    this.slanted = Math.max(this.slanted, scale);
    this.all = Math.max(this.all, scale);
    this.#keep(`Font/${font}`, { scale, shift: 0, isAskew: false });
  }

  /** Takes a picture that is written within the content. */
  draw(matrix: Matrix): void {
    const scale = scaleOf(matrix);
    this.slanted = Math.max(this.slanted, scale);
    this.all = Math.max(this.all, scale);
  }

  /** Takes what draws by a name of the resources. */
  place(category: string, name: string, matrix: Matrix): void {
    const shift = Math.max(Math.abs(matrix[4]), Math.abs(matrix[5]));
    this.#keep(`${category}/${name}`, { scale: scaleOf(matrix), shift, isAskew: isAskew(matrix) });
  }

  #keep(key: string, placed: Placed): void {
    const former = this.placed.get(key);
    if (former === undefined) this.placed.set(key, placed);
    else {
      former.scale = Math.max(former.scale, placed.scale);
      former.shift = Math.max(former.shift, placed.shift);
      former.isAskew ||= placed.isAskew;
    }
  }

  #begin(x: number, y: number, matrix: Matrix): void {
    this.#close();
    this.#x = this.#startX = matrix[0] * x + matrix[2] * y + matrix[4];
    this.#y = this.#startY = matrix[1] * x + matrix[3] * y + matrix[5];
    this.#reach();
  }

  #lead(x: number, y: number, matrix: Matrix): void {
    this.#go(matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]);
  }

  /** Areas end where they began, and so do clips. */
  #close(): void {
    this.#go(this.#startX, this.#startY);
  }

  #paint(isDashed: boolean): void {
    this.#close();
    if (isDashed) this.slanted = Math.max(this.slanted, this.#path);
    this.#path = 0;
  }

  #box(box: readonly [number, number, number, number], matrix: Matrix): void {
    if (surroundsAll(box)) return;
    const [left, bottom, right, top] = box;
    this.#begin(left, bottom, matrix);
    this.#lead(right, bottom, matrix);
    this.#lead(right, top, matrix);
    this.#lead(left, top, matrix);
    this.#close();
  }

  #go(x: number, y: number): void {
    const isSlanted = Math.abs(x - this.#x) > STRAIGHT && Math.abs(y - this.#y) > STRAIGHT;
    const from = Math.max(Math.abs(this.#x), Math.abs(this.#y));
    this.#x = x;
    this.#y = y;
    const to = this.#reach();
    if (isSlanted) this.slanted = Math.max(this.slanted, from, to);
  }

  #reach(): number {
    const reach = Math.max(Math.abs(this.#x), Math.abs(this.#y));
    if (reach > this.all) this.all = reach;
    if (reach > this.#path) this.#path = reach;
    return reach;
  }
}

/** In points: the farthest that lines lead where all readers draw them, at 360 dots an inch. */
export const FARTHEST = 10_000;

/** Whether a box cuts nothing off, as programs write it: wherever its corners are taken for, all of a page lies within it. */
export const surroundsAll = ([left = 0, bottom = 0, right = 0, top = 0]: readonly number[]): boolean =>
  Math.max(Math.min(left, right), Math.min(bottom, top)) <= -FARTHEST &&
  Math.min(Math.max(left, right), Math.max(bottom, top)) >= FARTHEST;

/** By how much a matrix enlarges a distance along an axis, at most. */
export const scaleOf = ([a, b, c, d]: readonly [number, number, number, number, ...number[]]): number =>
  Math.max(Math.abs(a) + Math.abs(c), Math.abs(b) + Math.abs(d));
