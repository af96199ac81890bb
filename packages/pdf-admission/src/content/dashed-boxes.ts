import type { Operator } from "@rubrica/pdf-reading/content-operators";
import type { Edit } from "./reading.ts";

/**
 * Dashed lines around areas. Around boxes Poppler prints them from another corner on, so that other parts of the sides are
 * seen; it does not where a side is written as a curve, even a straight one. Where such a line is closed pdf.js leaves out
 * the corner there, and MuPDF goes on with its dashes in what follows: it is led back to its start by a line, and what
 * follows begins anew.
 */

/** Where the content can't be changed: a gap or a dash as long as that may leave out a side, as a share of it. */
const SHARE = 0.5;
/** What is no corner: a turn of at most so much, and lines as short as that beside the one before. */
const [STRAIGHT, SHORT] = [0.01, 0.001];
/** Boxes as thin as that, as a share of their length, are lines for some readers, with dashes there and back. */
const THIN = 0.001;
const MOST_BOXES = 20_000;
const DIGITS = 6;

/** A side or the end of a part, and what stands instead, written where that is asked for: most lines are not dashed. */
interface Side {
  start: number;
  end: number;
  instead: () => string;
  /** Where lines go on from, after the part's end. */
  next?: Point;
}

type Point = readonly [x: number, y: number];

/** Follows dashes, and the parts of a path. */
export class DashedBoxes {
  /** Length of the longest dash or gap; 0 without dashes, undefined while the content still has the dashes of whoever draws it. */
  #reach: number | undefined;
  readonly #saved: (number | undefined)[] = [];
  /** The shortest side of the boxes in a path. */
  #shortest = Number.POSITIVE_INFINITY;
  #corners = 0;
  #isClosed = false;
  /** Whether something is led from where a part was closed. */
  #goesOn = false;
  #start: Point = [0, 0];
  #bounds: readonly [left: number, bottom: number, right: number, top: number] = [0, 0, 0, 0];
  #at: Point = [0, 0];
  #way: Point = [0, 0];
  /** The part's first side, as a curve, and its end. */
  #side: Side | null = null;
  #ending: Side | null = null;
  #sides: Side[] = [];
  #isThin = false;
  /** How many parts with lines a path has. */
  #parts = 0;
  /** Sides of dashed boxes, and ends of dashed parts, and what stands there instead. */
  readonly edits: Edit[] = [];
  /**
   * Whether dashes may leave out sides of boxes, each of which is all of a path: of others Poppler prints the same; or
   * whether some go on after a part that was closed.
   */
  areLong = false;
  /** Whether a closed part was drawn with the dashes of whoever draws the content, which are not known here. */
  areAsBegun = false;

  /** @param isPage which begins without dashes */
  constructor(isPage: boolean) {
    this.#reach = isPage ? 0 : undefined;
  }

  get isDashed(): boolean {
    return this.longest > 0;
  }

  get longest(): number {
    return this.#reach ?? 0;
  }

  /** Whether dashes are those of whoever draws the content. */
  get isAsBegun(): boolean {
    return this.#reach === undefined;
  }

  /** Takes dashes, where a graphics state sets some. */
  set(reach: number | undefined): void {
    this.#reach = reach ?? this.#reach;
  }

  /**
   * Takes an operator, with the largest number of its list, and where it stands.
   * @returns whether that can be drawn for all readers to show the same
   */
  goOn(
    { name, kind }: Operator,
    values: Float64Array,
    list: { largest: number },
    [start, end]: readonly [number, number],
  ): boolean {
    if (kind === "save") this.#saved.push(this.#reach);
    else if (kind === "restore") this.#reach = this.#saved.length > 0 ? this.#saved.pop() : this.#reach;
    else if (name === "d") this.#reach = list.largest;
    else if (kind === "begin_path") this.#begin(name, values, start, end);
    else if (name === "h") this.#close(start, end);
    else if (kind === "path") this.#lead(name, values, start, end);
    else if (kind === "paint") return this.#paint(name, start, end);
    return true;
  }

  #begin(name: string, [x = 0, y = 0, width = 0, height = 0]: Float64Array, start: number, end: number): void {
    this.#end();
    this.#beginAt([x, y]);
    if (name !== "re") return;
    this.#reachTo([x + width, y + height]);
    this.#corners = 4;
    this.#isClosed = true;
    const [right, top] = [x + width, y + height];
    const others = () => `${written(right, top)} l ${written(x, top)} l ${written(x, y)} l`;
    this.#side = { start, end, instead: () => `${written(x, y)} m ${curve([x, y], [right, y])} ${others()}` };
    this.#ending = this.#side;
  }

  #beginAt(point: Point): void {
    this.#start = point;
    this.#at = point;
    this.#bounds = [...point, ...point];
  }

  #close(start: number, end: number): void {
    const instead = this.#lineBack();
    this.#ending ??= { start, end, instead: () => instead };
    if (this.#ending.start !== start) this.#note({ start, end, instead: () => "" });
    this.#isClosed ||= this.#corners > 0;
  }

  /** The line that closes a part, if there is something to close. */
  #lineBack(): string {
    return this.#isClosed || this.#corners === 0 ? "" : `${written(...this.#start)} l`;
  }

  #lead(name: string, values: Float64Array, start: number, end: number): void {
    if (this.#isClosed) this.#goOnFromStart();
    if (name !== "l") {
      this.#corners = Number.POSITIVE_INFINITY;
      return;
    }
    const [x = 0, y = 0] = values;
    const way: Point = [x - this.#at[0], y - this.#at[1]];
    if (isCorner(this.#way, way)) {
      this.#corners += 1;
      const from = this.#at;
      this.#side ??= { start, end, instead: () => curve(from, [x, y]) };
      this.#way = way;
    }
    this.#at = [x, y];
    this.#reachTo([x, y]);
  }

  #goOnFromStart(): void {
    if (this.#ending !== null) this.#ending.next = this.#start;
    this.#goesOn = true;
    this.#end();
    this.#beginAt(this.#start);
  }

  #reachTo([x, y]: Point): void {
    const [left, bottom, right, top] = this.#bounds;
    this.#bounds = [Math.min(left, x), Math.min(bottom, y), Math.max(right, x), Math.max(top, y)];
  }

  #end(): void {
    const [left, bottom, right, top] = this.#bounds;
    const shorter = Math.min(right - left, top - bottom);
    const isBox = this.#corners === 4 || (this.#corners === 3 && this.#isClosed);
    if (isBox && shorter > 0 && this.#side !== null) {
      this.#isThin ||= shorter < THIN * Math.max(right - left, top - bottom);
      this.#shortest = Math.min(this.#shortest, shorter);
      this.#note(this.#side);
    }
    if (this.#ending !== null && this.#ending !== this.#sides.at(-1)) this.#note(this.#ending);
    if (this.#corners > 0) this.#parts += 1;
    this.#corners = 0;
    this.#isClosed = false;
    this.#way = [0, 0];
    this.#side = null;
    this.#ending = null;
  }

  /** No more than are too many to be written. */
  #note(side: Side): void {
    if (this.#sides.length <= MOST_BOXES) this.#sides.push(side);
  }

  #paint(name: string, start: number, end: number): boolean {
    if (/[sb]/.test(name)) {
      const line = this.#lineBack();
      this.#note({ start, end, instead: () => `${line} ${name.toUpperCase()}` });
      this.#isClosed ||= this.#corners > 0;
    }
    this.#end();
    const [shortest, sides, isThin, goesOn] = [this.#shortest, this.#sides, this.#isThin, this.#goesOn];
    const isAlone = this.#parts === 1;
    this.#isThin = false;
    this.#goesOn = false;
    this.#parts = 0;
    this.#shortest = Number.POSITIVE_INFINITY;
    if (sides.length > 0) this.#sides = [];
    if (!/[sSbB]/.test(name) || sides.length === 0) return true;
    this.areAsBegun ||= this.#reach === undefined;
    if (!this.isDashed) return true;
    sides.sort((one, other) => one.start - other.start);
    for (const { start: from, end: to, instead, next } of sides)
      this.edits.push({ start: from, end: to, instead: `${instead()}${next ? ` ${written(...next)} m` : ""}` });
    this.areLong ||= goesOn || (isAlone && (this.#reach ?? 0) >= SHARE * shortest);
    return !isThin && this.edits.length <= MOST_BOXES;
  }
}

/** Whether a line goes elsewhere than the one before. */
const isCorner = ([x, y]: Point, [nextX, nextY]: Point): boolean => {
  const [length, next] = [Math.sqrt(x * x + y * y), Math.sqrt(nextX * nextX + nextY * nextY)];
  if (next <= SHORT * length) return false;
  const isOnward = x * nextX + y * nextY > 0;
  return !isOnward || Math.abs(x * nextY - y * nextX) > STRAIGHT * length * next;
};

/** A straight line. */
const curve = ([x, y]: Point, [toX, toY]: Point): string => {
  const [across, up] = [(toX - x) / 3, (toY - y) / 3];
  return `${written(x + across, y + up)} ${written(toX - across, toY - up)} ${written(toX, toY)} c`;
};

const written = (...numbers: readonly number[]): string =>
  numbers.map((number) => String(Number(number.toFixed(DIGITS)))).join(" ");
