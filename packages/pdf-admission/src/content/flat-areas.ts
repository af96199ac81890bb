import type { Operator } from "@rubrica/pdf-reading/content-operators";
import type { Edit, Outlined } from "./reading.ts";
import type { Matrix } from "./shifts.ts";

/** Areas that have no width: some readers draw each as a line of a dot, others none of it (ISO 32000-2, 10.7.4). */

const MOST_EDITS = 20_000;

/** In points, on a page. */
const THINNEST = 0.02;
const FILLING = new Set(["f", "F", "f*"]);

/** Follows the parts of a path, and takes those out that are to be filled and no wider than a line. */
export class FlatAreas {
  readonly #edits: Edit[] = [];
  /** By where operators end that draw lines around areas: which of these have no width; null where that are all. */
  readonly #outlined = new Map<number, readonly Edit[] | null>();
  #parts = 0;
  #flat: Edit[] = [];
  #start = 0;
  #last = 0;
  /** Whether something else stands within the path. */
  #isMixed = false;
  #startX = 0;
  #startY = 0;
  /** From where a part begins to the first other point of it. */
  #alongX = 0;
  #alongY = 0;
  readonly #thinnest: number;
  /** How far points are from that line, times its length. */
  #beside = 0;

  /** @param isPage others are drawn as large as who uses them asks for */
  constructor(isPage: boolean) {
    this.#thinnest = isPage ? THINNEST : 0;
  }

  /** What is to be taken out. */
  get edits(): readonly Edit[] {
    return this.#edits;
  }

  /** Those that have an area, with what of them has none. */
  outlined(all: readonly Outlined[]): Outlined[] {
    const withFlat = all.map((one) => ({ one, flat: this.#outlined.get(one.end) }));
    return withFlat.flatMap(({ one, flat }) =>
      flat === null ? [] : [{ ...one, ofLines: [...one.ofLines, ...(flat ?? [])] }],
    );
  }

  /** Takes an operator, from where its operands begin to its end; whether nothing can be done about what it draws. */
  goOn({ name, kind }: Operator, values: Float64Array, matrix: Matrix, start: number, end: number): boolean {
    if (kind === "begin_path") {
      this.#endPart(matrix);
      this.#start = start;
      this.#begin(name, values);
    } else if (kind === "path") this.#lead(name, values);
    else if (kind === "paint") return this.#paint(name, matrix, end);
    else {
      if (this.#parts + Math.abs(this.#alongX) + Math.abs(this.#alongY) > 0 && kind !== "clip") this.#isMixed = true;
      return true;
    }
    this.#last = end;
    return true;
  }

  #begin(name: string, values: Float64Array): void {
    const [x = 0, y = 0, width = 0, height = 0] = values;
    this.#startX = x;
    this.#startY = y;
    if (name !== "re") return;
    this.#reach(x + width, y);
    this.#reach(x + width, y + height);
    this.#reach(x, y + height);
  }

  #lead(name: string, values: Float64Array): void {
    const points = name === "c" ? 3 : name === "l" ? 1 : name === "h" ? 0 : 2;
    for (let index = 0; index < points; index += 1) this.#reach(values[2 * index] ?? 0, values[2 * index + 1] ?? 0);
  }

  #reach(pointX: number, pointY: number): void {
    const [x, y] = [pointX - this.#startX, pointY - this.#startY];
    if (this.#alongX === 0 && this.#alongY === 0) {
      this.#alongX = x;
      this.#alongY = y;
    }
    this.#beside = Math.max(this.#beside, Math.abs(x * this.#alongY - y * this.#alongX));
  }

  #endPart([a, b, c, d]: Matrix): void {
    if (this.#alongX !== 0 || this.#alongY !== 0) {
      const [x, y] = [this.#alongX, this.#alongY];
      const length = Math.hypot(a * x + c * y, b * x + d * y);
      this.#parts += 1;
      if (this.#beside * Math.abs(a * d - b * c) <= this.#thinnest * length)
        this.#flat.push({ start: this.#start, end: this.#last, instead: "" });
    }
    this.#alongX = 0;
    this.#alongY = 0;
    this.#beside = 0;
  }

  #paint(name: string, matrix: Matrix, end: number): boolean {
    this.#endPart(matrix);
    const [flat, parts, isMixed] = [this.#flat, this.#parts, this.#isMixed];
    this.#parts = 0;
    this.#isMixed = false;
    if (flat.length === 0) return true;
    this.#flat = [];
    if (!FILLING.has(name)) {
      this.#outlined.set(end, flat.length === parts ? null : flat);
      return true;
    }
    // Without a part nothing is left to be filled, or to be cut out.
    if (flat.length === parts) this.#edits.push({ start: end - name.length, end, instead: "n" });
    else for (const edit of flat) this.#edits.push(edit);
    return (flat.length === parts || !isMixed) && this.#edits.length <= MOST_EDITS;
  }
}
