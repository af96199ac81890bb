import type { GlyphEnd, Next, Steps } from "./glyph-programs.ts";
import type { OutlinePen } from "./outline-pen.ts";
import { drawEscapedType2, drawType2 } from "./type2-drawing.ts";

/**
 * Glyphs of CFF as programs (Adobe Technical Note 5177). For what is not as that says, or is hardly ever used, some readers
 * show nothing, others another outline.
 */

/** What the glyphs of one program have in common. */
export interface Type2Routines {
  all: readonly Uint8Array[];
  /** Of the part of the program that a glyph belongs to. */
  own: readonly Uint8Array[];
}

const [MAX_OPERANDS, MAX_STEMS, MAX_DEPTH] = [48, 96, 10];
const [OWN, RETURN, ESCAPE, END, HINT_MASK, COUNTER_MASK, MOVE, SHORT, ALL] = [10, 11, 12, 14, 19, 20, 21, 28, 29];
/** After an escape, what fonts of Type 1 say of dots. */
const DOTS = 0;
/** A flex that ends in the direction in which it goes less far as it began, which pdf.js forgets where it draws by itself. */
const [FLEX_OF_ONE_END, MOST_DRIFT] = [37, 50];
const STEMS: readonly number[] = [1, 3, 18, 23];
/** To the right or up; in both directions it takes two numbers. */
const UPWARDS = 4;
const MOVES_IN_ONE: readonly number[] = [UPWARDS, 22];
const [FIRST_NUMBER, FIRST_POSITIVE, FIRST_NEGATIVE, LONG] = [32, 247, 251, 255];

/** Whether lines and curves take so many numbers. */
const drawing: Readonly<Record<number, (count: number) => boolean>> = {
  5: (count) => count >= 2 && count % 2 === 0,
  6: (count) => count >= 1,
  7: (count) => count >= 1,
  8: (count) => count >= 6 && count % 6 === 0,
  24: (count) => count >= 8 && count % 6 === 2,
  25: (count) => count >= 8 && count % 2 === 0,
  26: (count) => count >= 4 && count % 4 <= 1,
  27: (count) => count >= 4 && count % 4 <= 1,
  30: (count) => count >= 4 && count % 4 <= 1,
  31: (count) => count >= 4 && count % 4 <= 1,
};
/** The same after an escape, but for arithmetic, which pdf.js shows no glyph for. */
const drawingEscaped: Readonly<Record<number, number>> = { 34: 7, 35: 13, 36: 9, 37: 11 };

/** How far a flex goes in the direction in which it goes less far, before it comes back. */
const driftOf = (operands: readonly number[]): number => {
  const sums = [0, 1].map((from) =>
    operands.slice(0, 10).reduce((sum, value, at) => sum + (at % 2 === from ? value : 0), 0),
  );
  return Math.min(...sums.map(Math.abs));
};

/**
 * How a glyph ends.
 * @param pen follows its outline
 */
export const endOfType2 = (glyph: Uint8Array, routines: Type2Routines, steps: Steps, pen: OutlinePen): GlyphEnd => {
  const run = new Type2Run(routines, steps, pen);
  return run.through(glyph, 0) === "end" ? run.end : null;
};

class Type2Run {
  end: GlyphEnd = null;
  readonly #routines: Type2Routines;
  readonly #steps: Steps;
  readonly #pen: OutlinePen;
  #operands: number[] = [];
  #stems = 0;
  /** The first operator may have a width before its own numbers. */
  #mayHaveWidth = true;
  /** Whether an outline was begun, and may go on. */
  #isBegun = false;
  #isOpen = false;
  #hasLine = false;

  constructor(routines: Type2Routines, steps: Steps, pen: OutlinePen) {
    this.#routines = routines;
    this.#steps = steps;
    this.#pen = pen;
  }

  through(bytes: Uint8Array, depth: number): Next {
    for (let at = 0; at < bytes.length; ) {
      if (!this.#steps.take()) return "doubtful";
      const byte = bytes[at] as number;
      if (byte >= FIRST_NUMBER || byte === SHORT) {
        at += this.#take(bytes, at, byte);
        if (this.#operands.length > MAX_OPERANDS) return "doubtful";
        continue;
      }
      at += 1;
      if (byte === OWN || byte === ALL) {
        const next = this.#call(byte === OWN ? this.#routines.own : this.#routines.all, depth);
        if (next !== "return") return next;
      } else if (byte === RETURN) return depth > 0 ? "return" : "doubtful";
      else if (byte === END) return this.#finish();
      else if (byte === ESCAPE) {
        if (!this.#drawsEscaped(bytes[at] ?? -1)) return "doubtful";
        at += 1;
      } else {
        if (!this.#draws(byte)) return "doubtful";
        if (byte === HINT_MASK || byte === COUNTER_MASK) at += (this.#stems + 7) >> 3;
      }
    }
    // Browsers refuse a font for a routine without an end; pdf.js draws it by itself then.
    return "doubtful";
  }

  /** Takes a number; returns how long it is. */
  #take(bytes: Uint8Array, at: number, first: number): number {
    const [second = 0, third = 0, fourth = 0, fifth = 0] = bytes.subarray(at + 1, at + 5);
    if (first === SHORT || first === LONG) {
      const part = first === LONG ? ((fourth << 8) | fifth) / 65_536 : 0;
      this.#operands.push(((((second << 8) | third) << 16) >> 16) + part);
      return first === LONG ? 5 : 3;
    }
    if (first < FIRST_POSITIVE) this.#operands.push(first - 139);
    else if (first < FIRST_NEGATIVE) this.#operands.push((first - FIRST_POSITIVE) * 256 + second + 108);
    else this.#operands.push(-(first - FIRST_NEGATIVE) * 256 - second - 108);
    return first < FIRST_POSITIVE ? 1 : 2;
  }

  #call(routines: readonly Uint8Array[], depth: number): Next {
    const bias = routines.length < 1240 ? 107 : routines.length < 33_900 ? 1131 : 32_768;
    const routine = routines[(this.#operands.pop() ?? Number.NaN) + bias];
    return routine === undefined || depth >= MAX_DEPTH ? "doubtful" : this.through(routine, depth + 1);
  }

  /** How many numbers an operator has of its own, which takes them all. */
  #own(hasWidth: (count: number) => boolean): number {
    const count = this.#operands.length - (this.#mayHaveWidth && hasWidth(this.#operands.length) ? 1 : 0);
    this.#mayHaveWidth = false;
    this.#operands = [];
    return count;
  }

  #draws(operator: number): boolean {
    if (STEMS.includes(operator) || operator === HINT_MASK || operator === COUNTER_MASK) {
      const count = this.#own((all) => all % 2 === 1);
      this.#stems += count >> 1;
      // For hints without numbers pdf.js ends the glyph; of those within an outline it takes the numbers for others.
      if (count === 0) return !STEMS.includes(operator);
      return count % 2 === 0 && this.#stems <= MAX_STEMS && !this.#isBegun;
    }
    if (operator === MOVE || MOVES_IN_ONE.includes(operator)) {
      const needed = operator === MOVE ? 2 : 1;
      [this.#isBegun, this.#isOpen, this.#hasLine] = [true, true, false];
      const [x = 0, y = 0] = this.#operands.slice(-needed);
      this.#pen.move(operator === UPWARDS ? 0 : x, operator === UPWARDS ? x : y);
      return this.#own((all) => all === needed + 1) === needed;
    }
    this.#hasLine = true;
    const isDrawn = this.#isOpen && drawing[operator]?.(this.#operands.length) === true;
    if (isDrawn) drawType2(operator, this.#pen, this.#operands);
    this.#operands = [];
    return isDrawn;
  }

  #drawsEscaped(operator: number): boolean {
    const numbers = this.#operands;
    const count = numbers.length;
    const drift = operator === FLEX_OF_ONE_END ? driftOf(numbers) : 0;
    this.#operands = [];
    if (operator !== DOTS) {
      this.#hasLine = true;
      const isDrawn = this.#isOpen && drawingEscaped[operator] === count && drift <= MOST_DRIFT;
      if (isDrawn) drawEscapedType2(operator, this.#pen, numbers);
      return isDrawn;
    }
    // pdf.js makes a move of it.
    if (this.#hasLine) this.#isOpen = false;
    return count === 0;
  }

  #finish(): Next {
    const count = this.#operands.length;
    const hasWidth = this.#mayHaveWidth && (count === 1 || count === 5);
    const [x = 0, y = 0, base = 0, accent = 0] = this.#operands.slice(hasWidth ? 1 : 0);
    if (count - (hasWidth ? 1 : 0) === 4 && !this.#isBegun) this.end = { base, accent, x, y };
    else if (count === (hasWidth ? 1 : 0)) this.end = "drawn";
    return this.end === null ? "doubtful" : "end";
  }
}
