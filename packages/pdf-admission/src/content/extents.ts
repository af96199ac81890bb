import type { Operator } from "@rubrica/pdf-reading/content-operators";
import type { Matrix } from "./shifts.ts";

/** Where something lies. */
export type Box = readonly [left: number, bottom: number, right: number, top: number];

const NOWHERE: Box = [
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

/** How lines are drawn, as far as they reach beyond their path. */
interface Pen {
  width: number;
  hasCorners: boolean;
  limit: number;
}

/** Follows how far paths and pictures of a content reach, in the space that it begins in. */
export class Extents {
  #drawn = NOWHERE;
  #path = NOWHERE;
  #point: readonly [number, number] = [0, 0];
  #pen: Pen = { width: 1, hasCorners: true, limit: 10 };
  readonly #saved: Pen[] = [];

  /** Undefined where nothing was drawn. */
  get drawn(): Box | undefined {
    return this.#drawn[0] <= this.#drawn[2] ? this.#drawn : undefined;
  }

  goOn({ name, kind }: Operator, values: Float64Array, matrix: Matrix): void {
    if (kind === "save") this.#saved.push(this.#pen);
    else if (kind === "restore") this.#pen = this.#saved.pop() ?? this.#pen;
    else if (kind === "general") this.#setPen(name, values[0] ?? 0);
    else if (kind === "begin_path" || kind === "path") this.#lead(name, values, matrix);
    else if (kind === "image" || name === "Do") this.#draw(reached([0, 0, 1, 1], matrix), 0);
    else if (kind === "paint") this.#paint(name, matrix);
  }

  #setPen(name: string, value: number): void {
    if (name === "w") this.#pen = { ...this.#pen, width: value };
    else if (name === "j") this.#pen = { ...this.#pen, hasCorners: value === 0 };
    else if (name === "M") this.#pen = { ...this.#pen, limit: value };
  }

  #lead(name: string, values: Float64Array, matrix: Matrix): void {
    if (name === "h") return;
    const [x = 0, y = 0, second = 0, third = 0] = values;
    if (name === "re") {
      this.#path = union(this.#path, reached([x, y, x + second, y + third], matrix));
      return;
    }
    const given = Array.from({ length: name === "c" ? 3 : name === "v" || name === "y" ? 2 : 1 }, (_, index) =>
      placed(values[2 * index] ?? 0, values[2 * index + 1] ?? 0, matrix),
    );
    const end = given.at(-1) ?? this.#point;
    const [first = end, then = end] = name === "v" ? [this.#point, ...given] : given;
    for (const axis of [0, 1] as const) {
      const [least, most] =
        name === "m" || name === "l"
          ? [end[axis], end[axis]]
          : curved(this.#point[axis], first[axis], then[axis], end[axis]);
      const box = [...this.#path] as [number, number, number, number];
      box[axis] = Math.min(box[axis], least);
      box[axis + 2] = Math.max(box[axis + 2] as number, most);
      this.#path = box;
    }
    this.#point = end;
  }

  #paint(name: string, [a, b, c, d]: Matrix): void {
    const { width, hasCorners, limit } = this.#pen;
    const beyond = /[sSbB]/.test(name)
      ? (width / 2) * Math.max(Math.SQRT2, hasCorners ? limit : 0) * Math.max(Math.hypot(a, b), Math.hypot(c, d))
      : 0;
    if (name !== "n") this.#draw(this.#path, beyond);
    this.#path = NOWHERE;
  }

  #draw([left, bottom, right, top]: Box, beyond: number): void {
    this.#drawn = union(this.#drawn, [left - beyond, bottom - beyond, right + beyond, top + beyond]);
  }
}

const union = (one: Box, other: Box): Box => [
  Math.min(one[0], other[0]),
  Math.min(one[1], other[1]),
  Math.max(one[2], other[2]),
  Math.max(one[3], other[3]),
];

const placed = (x: number, y: number, [a, b, c, d, e, f]: Matrix): readonly [number, number] => [
  a * x + c * y + e,
  b * x + d * y + f,
];

const reached = ([left, bottom, right, top]: Box, matrix: Matrix): Box =>
  [placed(left, bottom, matrix), placed(right, bottom, matrix), placed(left, top, matrix), placed(right, top, matrix)]
    .map(([x, y]): Box => [x, y, x, y])
    .reduce(union, NOWHERE);

/** The least and the most of a curve, along one axis: at its ends, or where it turns. */
const curved = (start: number, first: number, then: number, end: number): readonly [number, number] => {
  const [a, b, c] = [end - start + 3 * (first - then), 2 * (start - 2 * first + then), first - start];
  const root = Math.sqrt(b * b - 4 * a * c);
  const turns = a === 0 ? [-c / b] : [(-b + root) / (2 * a), (-b - root) / (2 * a)];
  const values = turns
    .filter((at) => at > 0 && at < 1)
    .map((at) => {
      const left = 1 - at;
      return left ** 3 * start + 3 * left * at * (left * first + at * then) + at ** 3 * end;
    });
  return [Math.min(start, end, ...values), Math.max(start, end, ...values)];
};
