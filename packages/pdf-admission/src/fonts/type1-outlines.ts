import type { GlyphEnd, Next, Steps } from "./glyph-programs.ts";
import type { OutlinePen } from "./outline-pen.ts";

/**
 * Glyphs of Type 1 as programs (Adobe Type 1 Font Format, 6 and 8). pdf.js makes CFF of them: of what it does not know it drops
 * an operator, and leaves its numbers to the next one.
 */

const [MAX_OPERANDS, MAX_DEPTH] = [24, 10];
const [CLOSE, CALL, RETURN, ESCAPE, SIDE, END] = [9, 10, 11, 12, 13, 14];
const MOVES: ReadonlyMap<number, number> = new Map([
  [4, 1],
  [21, 2],
  [22, 1],
]);
const LINES: ReadonlyMap<number, number> = new Map([
  [5, 2],
  [6, 1],
  [7, 1],
  [8, 6],
  [30, 4],
  [31, 4],
]);
const HINTS: ReadonlyMap<number, number> = new Map([
  [1, 2],
  [3, 2],
]);
/** After an escape. */
const [DOTS, STEMS_DOWN, STEMS_ACROSS, ACCENTED, SIDES, DIVIDE, OTHER, POP, SET_POINT] = [
  0, 1, 2, 6, 7, 12, 16, 17, 33,
];
const ESCAPED_HINTS: ReadonlyMap<number, number> = new Map([
  [DOTS, 0],
  [STEMS_DOWN, 6],
  [STEMS_ACROSS, 6],
]);
/** Routines that every reader has: a flex ends, begins, goes on; other hints; counters, and more of them. */
const [FLEX_END, FLEX_BEGIN, FLEX_POINT, OTHER_HINTS, COUNTERS, LAST_COUNTERS] = [0, 1, 2, 3, 12, 13];
const FLEX_POINTS = 7;
/** How many bytes pdf.js makes of a glyph, which draws nothing of one with more: operators, and numbers, whole or not. */
const [MOST_MADE, OPERATOR_MADE, WHOLE_MADE, PART_MADE, FLEX_MADE] = [60_000, 2, 3, 5, 67];
const [FIRST_NUMBER, FIRST_POSITIVE, FIRST_NEGATIVE, LONG] = [32, 247, 251, 255];

/**
 * How a glyph ends, by the routines of its program.
 * @param pen follows its outline
 */
export const endOfType1 = (
  glyph: Uint8Array,
  routines: ReadonlyMap<number, Uint8Array>,
  steps: Steps,
  pen: OutlinePen,
): GlyphEnd => {
  const run = new Type1Run(routines, steps, pen);
  return run.through(glyph, 0) === "end" ? run.end : null;
};

class Type1Run {
  end: GlyphEnd = null;
  readonly #routines: ReadonlyMap<number, Uint8Array>;
  readonly #steps: Steps;
  readonly #pen: OutlinePen;
  /** Where letters begin, from where outlines are told. */
  #side = 0;
  /** Where the moves of a flex lead, of which the first one is to a point that is none of its own. */
  #flex: [number, number][] = [];
  #operands: number[] = [];
  #isBegun = false;
  /** Whether a line may begin: after a move, and not where an outline was closed. */
  #isOpen = false;
  /** How many points of a flex there are, to each of which one move leads; null outside of one. */
  #points: number | null = null;
  #moves = 0;
  /** What a routine of the reader leaves to be taken, and whether that is where a flex ended. */
  #left: number[] = [];
  #isFlexEnd = false;
  /** How long it is once pdf.js made CFF of it, at most. */
  #made = 0;

  constructor(routines: ReadonlyMap<number, Uint8Array>, steps: Steps, pen: OutlinePen) {
    this.#routines = routines;
    this.#steps = steps;
    this.#pen = pen;
  }

  through(bytes: Uint8Array, depth: number): Next {
    for (let at = 0; at < bytes.length; ) {
      if (!this.#steps.take()) return "doubtful";
      const byte = bytes[at] as number;
      if (byte >= FIRST_NUMBER) {
        at += this.#take(bytes, at, byte);
        if (this.#operands.length > MAX_OPERANDS || this.#left.length > 0) return "doubtful";
        continue;
      }
      const escaped = byte === ESCAPE ? (bytes[at + 1] ?? -1) : null;
      at += escaped === null ? 1 : 2;
      if (escaped === null && byte === RETURN) return depth > 0 ? "return" : "doubtful";
      if (escaped === null && byte === CALL) {
        const next = this.#call(depth);
        if (next !== "return") return next;
      } else if (escaped !== null ? !this.#takesEscaped(escaped) : !this.#takes(byte)) return "doubtful";
      if (this.end !== null) return "end";
    }
    return depth > 0 ? "return" : "doubtful";
  }

  /** Takes a number; returns how long it is. */
  #take(bytes: Uint8Array, at: number, first: number): number {
    const [second = 0, third = 0, fourth = 0, fifth = 0] = bytes.subarray(at + 1, at + 5);
    if (first < FIRST_POSITIVE) this.#operands.push(first - 139);
    else if (first < FIRST_NEGATIVE) this.#operands.push((first - FIRST_POSITIVE) * 256 + second + 108);
    else if (first < LONG) this.#operands.push(-(first - FIRST_NEGATIVE) * 256 - second - 108);
    else this.#operands.push((second << 24) | (third << 16) | (fourth << 8) | fifth);
    return first < FIRST_POSITIVE ? 1 : first < LONG ? 2 : 5;
  }

  #call(depth: number): Next {
    const routine = this.#routines.get(this.#operands.pop() ?? -1);
    if (routine === undefined || depth >= MAX_DEPTH || this.#left.length > 0) return "doubtful";
    return this.through(routine, depth + 1);
  }

  /** Whether an operator has so many numbers and no others, which it takes all. */
  #has(count: number): boolean {
    const isSo = this.#operands.length === count && this.#left.length === 0;
    this.#made += this.#operands.reduce(
      (sum, number) => sum + (Number.isInteger(number) ? WHOLE_MADE : PART_MADE),
      OPERATOR_MADE,
    );
    this.#operands = [];
    return isSo && this.#made <= MOST_MADE;
  }

  #takes(operator: number): boolean {
    if (operator === SIDE) return this.#begins(2);
    if (!this.#isBegun) return false;
    const moves = MOVES.get(operator);
    if (moves !== undefined) {
      this.#isOpen = true;
      this.#moves += 1;
      this.#moveBy(operator);
      return this.#has(moves);
    }
    if (this.#points !== null) return false;
    if (operator === CLOSE) {
      this.#isOpen = false;
      return this.#has(0);
    }
    if (operator === END) {
      this.end = "drawn";
      return this.#has(0);
    }
    const hints = HINTS.get(operator);
    if (hints !== undefined) return this.#has(hints);
    this.#draw(operator);
    return this.#isOpen && this.#has(LINES.get(operator) ?? -1);
  }

  #moveBy(operator: number): void {
    const [first = 0, second = 0] = this.#operands;
    const [x, y] = operator === 21 ? [first, second] : operator === 22 ? [first, 0] : [0, first];
    if (this.#points === null) this.#pen.move(x, y);
    else this.#flex.push([x, y]);
  }

  #draw(operator: number): void {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = this.#operands;
    if (operator === 5) this.#pen.line(a, b);
    else if (operator === 6) this.#pen.line(a, 0);
    else if (operator === 7) this.#pen.line(0, a);
    else if (operator === 8) this.#pen.curve(a, b, c, d, e, f);
    else if (operator === 30) this.#pen.curve(0, a, b, c, d, 0);
    else if (operator === 31) this.#pen.curve(a, 0, b, c, 0, d);
  }

  /** The first move leads to a point beside the curves, and the second from there to their first point. */
  #drawFlex(): void {
    const [[ax, ay] = [0, 0], [bx, by] = [0, 0], ...others] = this.#flex;
    const points = [ax + bx, ay + by, ...others.flat()];
    for (const from of [0, 6])
      this.#pen.curve(...(points.slice(from, from + 6) as [number, number, number, number, number, number]));
    this.#flex = [];
    this.#made += FLEX_MADE;
  }

  #begins(numbers: number): boolean {
    if (this.#isBegun) return false;
    this.#isBegun = true;
    const [x = 0, y = 0] = this.#operands;
    this.#side = x;
    this.#pen.move(x, numbers === 4 ? y : 0);
    return this.#has(numbers);
  }

  #takesEscaped(operator: number): boolean {
    if (operator === SIDES) return this.#begins(4);
    if (operator === DIVIDE) return this.#divides();
    if (!this.#isBegun) return false;
    if (operator === OTHER) return this.#callsOther();
    if (operator === POP) return this.#pops();
    if (operator === SET_POINT) {
      const isFlexEnd = this.#isFlexEnd;
      this.#isFlexEnd = false;
      return this.#has(2) && isFlexEnd;
    }
    if (this.#points !== null) return false;
    if (operator !== ACCENTED) return this.#has(ESCAPED_HINTS.get(operator) ?? -1);
    const [aside = 0, x = 0, y = 0, base = 0, accent = 0] = this.#operands;
    this.end = { base, accent, x: this.#side + x - aside, y };
    return this.#has(5);
  }

  #divides(): boolean {
    const [one, other] = this.#operands.splice(-2);
    if (one === undefined || !other || this.#left.length > 0) return false;
    this.#operands.push(one / other);
    return true;
  }

  #pops(): boolean {
    const value = this.#left.pop();
    if (value === undefined) return false;
    this.#operands.push(value);
    return true;
  }

  /** A routine that readers have themselves. */
  #callsOther(): boolean {
    const [count = -1, routine = -1] = this.#operands.splice(-2);
    const isCounter = routine === COUNTERS || routine === LAST_COUNTERS;
    if (count < 0 || count > this.#operands.length || (!isCounter && count !== this.#operands.length)) return false;
    const given = this.#operands.splice(this.#operands.length - count);
    if (isCounter) return this.#operands.length === 0 && this.#points === null;
    if (routine === OTHER_HINTS) {
      this.#left = given;
      return count === 1 && this.#points === null;
    }
    if (routine === FLEX_BEGIN) {
      const isFirst = this.#points === null;
      [this.#points, this.#moves] = [0, 0];
      return count === 0 && isFirst && this.#isOpen;
    }
    if (this.#points === null) return false;
    if (routine === FLEX_POINT) {
      this.#points += 1;
      return count === 0 && this.#moves === this.#points;
    }
    const isWhole = routine === FLEX_END && count === 3 && this.#points === FLEX_POINTS;
    if (isWhole) this.#drawFlex();
    [this.#points, this.#isFlexEnd, this.#left] = [null, true, given.slice(1).reverse()];
    return isWhole;
  }
}
