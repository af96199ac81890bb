import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { Bits, CodeTable } from "./jpeg-codes.ts";
import { BLOCK, type Samples } from "./jpeg-values.ts";

/** Blocks of a picture in JPEG, as a scan has them (ITU-T T.81, F.2 and G.1). */

const UNIT = 8;
/** Sizes of values beyond which there are none in eight bits. */
const [MOST_FIRST, MOST_REST, ZEROS] = [11, 10, 16];
const [LOWEST, HIGHEST] = [-32_768, 32_767];
/** So much a progressive picture's values may take, which are told bit by bit: 42 million dots in colors. */
const MOST_BYTES = 128 * 1024 * 1024;

/** A component of a picture, and how many blocks it has. */
export interface Component {
  across: number;
  down: number;
  quantization: number;
  /** With those that fill up the picture's units; and those alone that show something. */
  stride: number;
  rows: number;
  shown: readonly [across: number, down: number];
}

/** A component in a scan. */
export interface Scanned {
  component: Component;
  first: CodeTable | undefined;
  rest: CodeTable | undefined;
  steps: Uint16Array;
  /** What its next first value is told by. */
  before: number;
}

/** How many of a picture's units stand side by side, and below each other. */
export const unitsOf = (length: number, samples: number): number => Math.ceil(length / (UNIT * samples));

/** Goes through blocks whose values stand together. False where they are not whole, or come to samples beyond all bounds. */
export class Sequential {
  readonly #samples: Samples;
  readonly #values = new Int16Array(BLOCK);
  #isClean = true;

  constructor(samples: Samples) {
    this.#samples = samples;
  }

  take(bits: Bits, scanned: Scanned): boolean {
    const { rest, first, steps } = scanned;
    const values = this.#values;
    if (!this.#isClean) values.fill(0);
    const size = bits.code(first as CodeTable);
    if (size < 0 || size > MOST_FIRST) return false;
    scanned.before += bits.value(size);
    if (scanned.before < LOWEST || scanned.before > HIGHEST) return false;
    values[0] = scanned.before;
    let place = 1;
    for (; place < BLOCK; place += 1) {
      const told = bits.code(rest as CodeTable);
      if (told < 0) return false;
      const length = told & 0xf;
      if (length === 0 && told >> 4 < ZEROS - 1) break;
      place += told >> 4;
      if (place >= BLOCK || length > MOST_REST) return false;
      if (length > 0) values[place] = bits.value(length);
    }
    this.#isClean = place === 1;
    return this.#samples.areBounded(values, 0, steps, place);
  }
}

/** Which values a scan has of each block, and how exactly: up to which bit, and after which; 0: for the first time. */
export interface Band {
  from: number;
  to: number;
  bit: number;
  former: number;
}

/** Throws `TooComplex` where the values of all components of a progressive picture take too much. */
export const assertHoldable = (components: readonly Component[]): void => {
  const blocks = components.reduce((sum, { stride, rows }) => sum + stride * rows, 0);
  if (blocks * BLOCK * 2 > MOST_BYTES) throw new TooComplex("a picture in JPEG is too large");
};

/** The values of one component, which scans tell more and more exactly. */
export class Progressive {
  readonly #component: Component;
  readonly #values: Int16Array;
  /** Blocks that have more than a first value. */
  readonly #touched: Uint8Array;
  /** Up to which bit each value is known; -1: not at all. */
  readonly #known = new Int8Array(BLOCK).fill(-1);

  constructor(component: Component) {
    const blocks = component.stride * component.rows;
    this.#component = component;
    this.#values = new Int16Array(blocks * BLOCK);
    this.#touched = new Uint8Array(blocks);
  }

  /** Whether each value is known to its last bit: some readers guess what is left, by the blocks around. */
  get isWhole(): boolean {
    return this.#known.every((bit) => bit === 0);
  }

  /** Whether a scan goes on where those before it ended. */
  begin({ from, to, bit, former }: Band): boolean {
    if (former > 0 && bit !== former - 1) return false;
    for (let place = from; place <= to; place += 1) {
      if (this.#known[place] !== (former > 0 ? former : -1)) return false;
      this.#known[place] = bit;
    }
    return true;
  }

  /** Takes the first value of a block. */
  takeFirst(bits: Bits, block: number, { bit, former }: Band, scanned: Scanned): boolean {
    if (former > 0) {
      if (bits.number(1) === 1) (this.#values[block * BLOCK] as number) |= 1 << bit;
      return true;
    }
    const size = bits.code(scanned.first as CodeTable);
    if (size < 0 || size > MOST_FIRST) return false;
    scanned.before += bits.value(size);
    const value = scanned.before * (1 << bit);
    this.#values[block * BLOCK] = value;
    return value >= LOWEST && value <= HIGHEST;
  }

  /** Takes further values of blocks that are shown, from one of them to another. */
  takeRest(bits: Bits, [start, end]: readonly [number, number], band: Band, scanned: Scanned): boolean {
    const [across] = this.#component.shown;
    /** Over so many blocks nothing begins. */
    let run = 0;
    for (let index = start; index < end; ) {
      if (run > 0) {
        const last = Math.min(end, index + run);
        if (band.former > 0) this.#correctAll(bits, index, last, band);
        run -= last - index;
        index = last;
        if (bits.isOver) return false;
        continue;
      }
      const block = Math.floor(index / across) * this.#component.stride + (index % across);
      const begun = band.former > 0 ? this.#refine(bits, block, band, scanned) : this.#tell(bits, block, band, scanned);
      if (begun < 0 || bits.isOver) return false;
      run = Math.max(0, begun - 1);
      index += 1;
    }
    return true;
  }

  /** Returns over how many blocks, this one among them, nothing more begins; -1 where the block is not whole. */
  #tell(bits: Bits, block: number, { from, to, bit }: Band, { rest }: Scanned): number {
    for (let place = from; place <= to; place += 1) {
      const told = bits.code(rest as CodeTable);
      if (told < 0) return -1;
      const [zeros, length] = [told >> 4, told & 0xf];
      if (length === 0 && zeros < ZEROS - 1) return (1 << zeros) + bits.number(zeros);
      place += zeros;
      const value = bits.value(length) * (1 << bit);
      if (place > to || length > MOST_REST || value < LOWEST || value > HIGHEST) return -1;
      if (length > 0) this.#set(block, place, value);
    }
    return 0;
  }

  /** The same of values of which some are known. */
  #refine(bits: Bits, block: number, { from, to, bit }: Band, { rest }: Scanned): number {
    let place = from;
    while (place <= to) {
      const told = bits.code(rest as CodeTable);
      if (told < 0 || (told & 0xf) > 1) return -1;
      let zeros = told >> 4;
      const isValue = (told & 0xf) === 1;
      if (!isValue && zeros < ZEROS - 1) {
        const run = (1 << zeros) + bits.number(zeros);
        this.#correct(bits, block, place, to, bit);
        return run;
      }
      const value = isValue ? (bits.number(1) === 1 ? 1 : -1) * (1 << bit) : 0;
      for (; place <= to; place += 1) {
        if (this.#values[block * BLOCK + place] !== 0) this.#correct(bits, block, place, place, bit);
        else if (zeros === 0) break;
        else zeros -= 1;
      }
      if (isValue) {
        if (place > to) return -1;
        this.#set(block, place, value);
      }
      place += 1;
    }
    return 0;
  }

  #set(block: number, place: number, value: number): void {
    this.#values[block * BLOCK + place] = value;
    this.#touched[block] = 1;
  }

  #correct(bits: Bits, block: number, from: number, to: number, bit: number): void {
    for (let at = block * BLOCK + from; at <= block * BLOCK + to; at += 1) {
      const value = this.#values[at] as number;
      if (value !== 0 && bits.number(1) === 1) this.#values[at] = value + (value > 0 ? 1 : -1) * (1 << bit);
    }
  }

  /** Goes through those of many blocks that have values: there may be few. */
  #correctAll(bits: Bits, start: number, end: number, { from, to, bit }: Band): void {
    const { stride, shown } = this.#component;
    const [across] = shown;
    for (let index = start; index < end && !bits.isOver; ) {
      const row = Math.floor(index / across) * stride;
      const [first, last] = [row + (index % across), row + Math.min(across, (index % across) + end - index)];
      const touched = this.#touched.subarray(first, last);
      for (let at = touched.indexOf(1); at >= 0 && !bits.isOver; at = touched.indexOf(1, at + 1))
        this.#correct(bits, first + at, from, to, bit);
      index += last - first;
    }
  }

  /** Whether all blocks come to samples within bounds. */
  areBounded(samples: Samples, steps: Uint16Array): boolean {
    return this.#touched.every((isTouched, block) =>
      samples.areBounded(this.#values, block * BLOCK, steps, isTouched === 1 ? BLOCK : 1),
    );
  }
}
