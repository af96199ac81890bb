/**
 * Functions in PostScript (type 4; ISO 32000-2, 7.10.5). Readers stop, guess or go on each in its own way where one takes
 * what is not there, leaves too much, divides by nothing or mixes kinds of values; and what jumps, or is reckoned with large
 * numbers, is another value to those of a lesser precision.
 */

/** A number that is between two others; a truth that is known or not. */
export type Slot = { least: number; most: number } | { truth: boolean | undefined };
type Between = Extract<Slot, { least: number }>;

/** One operator, a number, or what is done if something is true, or not. */
type Step = string | number | { then: Program; otherwise: Program | null };
export type Program = readonly Step[];

/** How exactly values are known: as ranges of all inputs, as those of a part of an area, or for one input, by the letter of the standard. */
export type Precision = "ranges" | "area" | "one";

const MAX_TOKENS = 5_000;
const MAX_DEPTH = 32;
/** What all readers have room for on their stacks. */
const MAX_STACK = 90;
/** Numbers that are no larger are the same for all, near enough. */
const LARGEST = 1_000;
/** What is nearer to nothing, or to each other, may be so for some readers only. */
const MARGIN = 1e-3;
/** Of one that begins with a plus sign Poppler takes no function. */
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)$/;
const TOKENS = /[{}]|[^ \t\r\n\f{}]+/g;
/** Other blanks only some readers take for such. */
const PLAIN = /^[ -~\t\r\n\f]*$/;

/** A function does what not all readers do in the same way; it is caught where functions are read and run. */
class Odd extends Error {}

const odd = (): never => {
  throw new Odd();
};

/** A function as it is written; undefined where that breaks the rules. */
export const programOf = (code: Uint8Array): Program | undefined => {
  const text = Buffer.from(code).toString("latin1");
  const tokens = text.match(TOKENS) ?? [];
  if (tokens.length > MAX_TOKENS || !PLAIN.test(text)) return undefined;
  let at = 0;
  const block = (depth: number): Program => {
    if (tokens[at++] !== "{" || depth > MAX_DEPTH) return odd();
    const steps: Step[] = [];
    for (;;) {
      const token = tokens[at] ?? odd();
      if (token === "{") {
        const then = block(depth + 1);
        const otherwise = tokens[at] === "{" ? block(depth + 1) : null;
        if (tokens[at++] !== (otherwise === null ? "if" : "ifelse")) return odd();
        steps.push({ then, otherwise });
        continue;
      }
      at += 1;
      if (token === "}") return steps;
      if (NUMBER.test(token)) steps.push(Number(token));
      else steps.push(KNOWN.has(token) ? token : odd());
    }
  };
  return untilOdd(() => {
    const program = block(0);
    return at === tokens.length ? program : undefined;
  });
};

/** How many steps a function has. */
export const stepsOf = (program: Program): number =>
  program.reduce<number>(
    (sum, step) =>
      sum + 1 + (typeof step === "object" ? stepsOf(step.then) + (step.otherwise ? stepsOf(step.otherwise) : 0) : 0),
    0,
  );

/** What a function leaves on the stack; undefined where readers may find other values. */
export const runOf = (program: Program, inputs: readonly Between[], precision: Precision): Between[] | undefined =>
  untilOdd(() => {
    const stack: Slot[] = [...inputs];
    new Machine(precision).run(program, stack);
    return stack.map((slot) => ("truth" in slot ? odd() : slot));
  });

const untilOdd = <Value>(run: () => Value): Value | undefined => {
  try {
    return run();
  } catch (error) {
    if (error instanceof Odd) return undefined;
    throw error;
  }
};

const isOne = ({ least, most }: Between): boolean => least === most;
const of = (...values: number[]): Between => ({ least: Math.min(...values), most: Math.max(...values) });
const each = (slot: Between, map: (value: number) => number): Between => of(map(slot.least), map(slot.most));
const DEGREES = Math.PI / 180;

/** What jumps has a value where all of what is known of it is between two jumps. */
const whole = (value: Between, map: (value: number) => number, precision: Precision): Between | null =>
  precision !== "ranges" && map(value.least) === map(value.most) ? of(map(value.least)) : null;

/** Operators of one number that go up or down with it; null: only where it is reckoned for one input. */
const ofOne: Readonly<Record<string, (value: Between, precision: Precision) => Between | null>> = {
  abs: (value) => (value.least < 0 && value.most > 0 ? of(0, -value.least, value.most) : each(value, Math.abs)),
  neg: (value) => each(value, (one) => -one),
  cvr: (value) => value,
  sqrt: (value) => (value.least < 0 ? null : each(value, Math.sqrt)),
  sin: (value, precision) => (precision === "one" ? each(value, (one) => Math.sin(one * DEGREES)) : of(-1, 1)),
  cos: (value, precision) => (precision === "one" ? each(value, (one) => Math.cos(one * DEGREES)) : of(-1, 1)),
  ln: (value) => (value.least < MARGIN ? null : each(value, Math.log)),
  log: (value) => (value.least < MARGIN ? null : each(value, Math.log10)),
  ...Object.fromEntries(
    (
      [
        ["ceiling", Math.ceil],
        ["floor", Math.floor],
        ["round", (one) => Math.floor(one + 0.5)],
        ["truncate", Math.trunc],
        ["cvi", Math.trunc],
      ] satisfies [string, (value: number) => number][]
    ).map(([name, map]) => [name, (value: Between, precision: Precision) => whole(value, map, precision)]),
  ),
};

/** Operators of two numbers. */
const ofTwo: Readonly<Record<string, (one: Between, other: Between, precision: Precision) => Between | null>> = {
  add: (one, other) => of(one.least + other.least, one.most + other.most),
  sub: (one, other) => of(one.least - other.most, one.most - other.least),
  mul: (one, other) =>
    of(one.least * other.least, one.least * other.most, one.most * other.least, one.most * other.most),
  div: (one, other, precision) => {
    const nearest = other.least <= 0 && other.most >= 0 ? 0 : Math.min(Math.abs(other.least), Math.abs(other.most));
    if (nearest < (precision === "one" ? Number.MIN_VALUE : MARGIN)) return null;
    return of(one.least / other.least, one.least / other.most, one.most / other.least, one.most / other.most);
  },
  exp: (base, exponent) => {
    if (base.least < 0 || !isOne(exponent) || exponent.least <= 0) return null;
    return each(base, (one) => one ** exponent.least);
  },
  atan: (up, right, precision) => {
    // It jumps from 360 to 0.
    const isOfOneSide = up.least > 0 || up.most < 0 || right.most < 0;
    if (precision !== "one" && !(precision === "area" && isOfOneSide)) return null;
    const corners = [up.least, up.most].flatMap((y) => [right.least, right.most].map((x) => angleOf(y, x)));
    return of(...corners);
  },
  idiv: (one, other, precision) =>
    precision === "one" && areWhole(one, other) && other.least !== 0 ? of(Math.trunc(one.least / other.least)) : null,
  mod: (one, other, precision) =>
    precision === "one" && areWhole(one, other) && other.least !== 0 ? of(one.least % other.least) : null,
};

const angleOf = (y: number, x: number): number => (Math.atan2(y, x) / DEGREES + 360) % 360;
const areWhole = (...values: Between[]): boolean => values.every(({ least }) => Number.isInteger(least));

/** Whether the first of two numbers is larger; by how much at most, and at least. */
const comparisons: Readonly<Record<string, (least: number, most: number, margin: number) => boolean | undefined>> = {
  gt: (least, most, margin) => (least > margin ? true : most <= -margin ? false : undefined),
  ge: (least, most, margin) => (least >= margin ? true : most < -margin ? false : undefined),
  lt: (least, most, margin) => (most < -margin ? true : least >= margin ? false : undefined),
  le: (least, most, margin) => (most <= -margin ? true : least > margin ? false : undefined),
  eq: (least, most, margin) =>
    least > margin || most < -margin ? false : margin === 0 && least === most ? true : undefined,
  ne: (least, most, margin) =>
    least > margin || most < -margin ? true : margin === 0 && least === most ? false : undefined,
};

const truths: Readonly<Record<string, (one: boolean, other: boolean) => boolean>> = {
  and: (one, other) => one && other,
  or: (one, other) => one || other,
  xor: (one, other) => one !== other,
};

const ofStack = ["pop", "exch", "dup", "copy", "index", "roll", "not"];
const KNOWN = new Set([ofOne, ofTwo, comparisons, truths].flatMap(Object.keys).concat(ofStack));

class Machine {
  readonly #precision: Precision;

  constructor(precision: Precision) {
    this.#precision = precision;
  }

  run(program: Program, stack: Slot[]): void {
    for (const step of program) {
      if (typeof step === "number") stack.push(of(step));
      else if (typeof step === "string") this.#operator(step, stack);
      else this.#choose(step, stack);
      if (stack.length > MAX_STACK) odd();
    }
  }

  /** What is true for some inputs only jumps, in ways of which some readers see another. */
  #choose({ then, otherwise }: Exclude<Step, string | number>, stack: Slot[]): void {
    const isTrue = truthFrom(stack);
    if (isTrue) this.run(then, stack);
    else if (otherwise !== null) this.run(otherwise, stack);
  }

  #operator(name: string, stack: Slot[]): void {
    const [one, two, truth] = [ofOne[name], ofTwo[name], truths[name]];
    if (one !== undefined) this.#push(stack, one(numberFrom(stack), this.#precision));
    else if (two !== undefined) {
      const other = numberFrom(stack);
      this.#push(stack, two(numberFrom(stack), other, this.#precision));
    } else if (truth !== undefined) {
      const [other, first] = [truthFrom(stack), truthFrom(stack)];
      stack.push({ truth: truth(first, other) });
    } else if (name === "not") stack.push({ truth: !truthFrom(stack) });
    else if (name in comparisons) this.#compare(name, stack);
    else move(name, stack);
  }

  #compare(name: string, stack: Slot[]): void {
    const [other, one] = [numberFrom(stack), numberFrom(stack)];
    const [least, most] = [one.least - other.most, one.most - other.least];
    stack.push({ truth: comparisons[name]?.(least, most, this.#precision === "ranges" ? MARGIN : 0) });
  }

  #push(stack: Slot[], found: Between | null): void {
    const result = found ?? odd();
    const isSound = Number.isFinite(result.least) && Number.isFinite(result.most);
    const isSmall = isSound && (this.#precision !== "ranges" || Math.max(-result.least, result.most) <= LARGEST);
    stack.push(isSmall ? result : odd());
  }
}

const numberFrom = (stack: Slot[]): Between => {
  const slot = stack.pop();
  return slot === undefined || "truth" in slot ? odd() : slot;
};

const truthFrom = (stack: Slot[]): boolean => {
  const slot = stack.pop();
  return slot === undefined || !("truth" in slot) ? odd() : (slot.truth ?? odd());
};

/** A number that is written there. */
const countFrom = (stack: Slot[], least: number, most: number): number => {
  const slot = numberFrom(stack);
  const isCount = isOne(slot) && Number.isInteger(slot.least) && slot.least >= least && slot.least <= most;
  return isCount ? slot.least : odd();
};

const move = (name: string, stack: Slot[]): void => {
  const top = () => stack.at(-1) ?? odd();
  switch (name) {
    case "pop":
      stack.pop() ?? odd();
      return;
    case "dup":
      stack.push(top());
      return;
    case "exch":
      if (stack.length < 2) odd();
      stack.push(...stack.splice(-2).reverse());
      return;
    case "copy": {
      const count = countFrom(stack, 0, stack.length - 1);
      if (count > 0) stack.push(...stack.slice(-count));
      return;
    }
    case "index":
      stack.push(stack.at(-1 - countFrom(stack, 0, stack.length - 2)) ?? odd());
      return;
    default: {
      const by = countFrom(stack, -MAX_STACK, MAX_STACK);
      const count = countFrom(stack, 0, stack.length - 1);
      if (count === 0) return;
      const moved = stack.splice(-count);
      const shift = ((by % count) + count) % count;
      stack.push(...moved.slice(count - shift), ...moved.slice(0, count - shift));
    }
  }
};
