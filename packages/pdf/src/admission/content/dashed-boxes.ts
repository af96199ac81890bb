import type { Operator } from "@rubrica/pdf-reading/content-operators";

/**
 * Dashed lines around boxes: Poppler prints them from another corner on, so that with long dashes other sides are seen. Where
 * both dashes and gaps are short, each side is seen in any case.
 */

/** A gap or a dash as long as that may leave out a side, as a share of it. */
const SHARE = 0.5;

/** How long both dashes and gaps are, of lengths as many as that, the largest of them, and their sum; 0 where there are none. */
export const reachOf = (count: number, largest: number, sum: number): number =>
  count === 2 ? sum - largest : count > 2 && sum === largest ? 0 : largest;

/** Follows dashes, and the parts of a path. */
export class DashedBoxes {
  /** Undefined where they are as who uses the content has them. */
  #reach: number | undefined;
  readonly #saved: (number | undefined)[] = [];
  /** The shortest side of the boxes in a path. */
  #shortest = Number.POSITIVE_INFINITY;
  #lines = 0;
  #isClosed = false;
  #bounds: readonly [left: number, bottom: number, right: number, top: number] = [0, 0, 0, 0];
  /** Whether lines around a box were drawn with dashes as who uses the content has them. */
  areAsBegun = false;

  /** @param isPage which begins without dashes */
  constructor(isPage: boolean) {
    this.#reach = isPage ? 0 : undefined;
  }

  get isDashed(): boolean {
    return (this.#reach ?? 0) > 0;
  }

  /** Takes dashes, where a graphics state sets some. */
  set(reach: number | undefined): void {
    this.#reach = reach ?? this.#reach;
  }

  /** Takes an operator, with what is known of its list of numbers; whether all readers draw it alike. */
  goOn(
    { name, place }: Operator,
    values: Float64Array,
    list: { numbers: number; largest: number; sum: number },
  ): boolean {
    if (place === "save") this.#saved.push(this.#reach);
    else if (place === "restore") this.#reach = this.#saved.length > 0 ? this.#saved.pop() : this.#reach;
    else if (name === "d") this.#reach = reachOf(list.numbers, list.largest, list.sum);
    else if (place === "begin_path") this.#begin(name, values);
    else if (name === "h") this.#isClosed = true;
    else if (place === "path") this.#lead(name, values);
    else if (place === "paint") return this.#paint(name);
    return true;
  }

  #begin(name: string, [x = 0, y = 0, width = 0, height = 0]: Float64Array): void {
    this.#end();
    this.#bounds = [x, y, x, y];
    if (name !== "re") return;
    this.#reachTo(x + width, y + height);
    this.#lines = 4;
  }

  #lead(name: string, [x = 0, y = 0]: Float64Array): void {
    this.#lines += name === "l" ? 1 : Number.POSITIVE_INFINITY;
    if (name === "l") this.#reachTo(x, y);
  }

  #reachTo(x: number, y: number): void {
    const [left, bottom, right, top] = this.#bounds;
    this.#bounds = [Math.min(left, x), Math.min(bottom, y), Math.max(right, x), Math.max(top, y)];
  }

  #end(): void {
    const [left, bottom, right, top] = this.#bounds;
    const shorter = Math.min(right - left, top - bottom);
    const isBox = this.#lines === 4 || (this.#lines === 3 && this.#isClosed);
    if (isBox && shorter > 0) this.#shortest = Math.min(this.#shortest, shorter);
    this.#lines = 0;
    this.#isClosed = false;
  }

  #paint(name: string): boolean {
    this.#isClosed ||= /[sb]/.test(name);
    this.#end();
    const shortest = this.#shortest;
    this.#shortest = Number.POSITIVE_INFINITY;
    if (!/[sSbB]/.test(name) || shortest === Number.POSITIVE_INFINITY) return true;
    this.areAsBegun ||= this.#reach === undefined;
    return (this.#reach ?? 0) < SHARE * shortest;
  }
}
