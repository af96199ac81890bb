/**
 * How long data are that Deflate compressed (RFC 1950 and 1951), without making them: it takes as long as the compressed
 * data are, and no memory, however large a picture is.
 */

const [HEAD_BYTES, MOST_BITS, FAST_BITS] = [2, 15, 10];
const [STORED, FIXED, DYNAMIC] = [0, 1, 2];
const END_OF_BLOCK = 256;
const WINDOW = 32_768;
/** Where lengths of codes stand (RFC 1951, 3.2.7). */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

const LAST_RULE = 4;
/** Whether a row of a picture can be read by it (ISO/IEC 15948, 9.2); by others some readers read it, and some do not. */
export const isRule = (byte: number): boolean => byte <= LAST_RULE;

/** Of each symbol beyond the end of a block, or of each distance: the least value, and how many bits are added (3.2.5). */
const steps = (first: number, symbols: number, perBit: number): readonly (readonly [base: number, bits: number])[] => {
  let base = first;
  return Array.from({ length: symbols }, (_, symbol) => {
    const bits = Math.max(0, Math.floor(symbol / perBit) - 1);
    base += 2 ** bits;
    return [base - 2 ** bits, bits] as const;
  });
};
const runs = [...steps(3, 28, 4), [258, 0] as const];
const distances = steps(1, 30, 2);

/** Compressed data of a picture are broken: it is taken for one without data. */
class BrokenDeflate extends Error {}
/** Compressed data of a picture end before they say so: it has what they held until then. */
class EndedDeflate extends Error {}

/** Codes of different lengths, as their lengths tell them (3.2.2). */
class Codes {
  readonly #counts = new Uint16Array(MOST_BITS + 1);
  readonly #symbols: Uint16Array;
  /** For what comes next: a symbol and how long its code is; 0 where that is longer. */
  readonly fast = new Uint16Array(1 << FAST_BITS);

  constructor(lengths: Uint8Array) {
    for (const length of lengths) this.#counts[length] = (this.#counts[length] as number) + 1;
    this.#counts[0] = 0;
    this.#symbols = new Uint16Array(lengths.length);
    const [at, codes] = [new Uint16Array(MOST_BITS + 2), new Uint16Array(MOST_BITS + 2)];
    let [left, longest] = [1, 0];
    for (let bits = 1; bits <= MOST_BITS; bits += 1) {
      const count = this.#counts[bits] as number;
      left = 2 * left - count;
      if (count > 0) longest = bits;
      if (left < 0) throw new BrokenDeflate();
      at[bits + 1] = (at[bits] as number) + count;
      codes[bits + 1] = ((codes[bits] as number) + count) << 1;
    }
    if (left > 0 && longest > 1) throw new BrokenDeflate();
    for (const [symbol, bits] of lengths.entries()) {
      if (bits === 0) continue;
      const code = codes[bits] as number;
      codes[bits] = code + 1;
      this.#symbols[at[bits] as number] = symbol;
      at[bits] = (at[bits] as number) + 1;
      for (let place = reversed(code, bits); bits <= FAST_BITS && place < 1 << FAST_BITS; place += 1 << bits)
        this.fast[place] = (symbol << 4) | bits;
    }
  }

  /** A code bit by bit; its symbol and its length as in `fast`. */
  slow(bits: number): number {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length <= MOST_BITS; length += 1) {
      code |= (bits >>> (length - 1)) & 1;
      const count = this.#counts[length] as number;
      if (code - count < first) return ((this.#symbols[index + code - first] as number) << 4) | length;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new BrokenDeflate();
  }
}

const reversed = (code: number, bits: number): number => {
  let result = 0;
  for (let bit = 0; bit < bits; bit += 1) result |= ((code >> bit) & 1) << (bits - 1 - bit);
  return result;
};

const fixed = new Codes(Uint8Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8)));
const fixedDistances = new Codes(new Uint8Array(32).fill(5));

/** What is read of a picture so far, as far as it can still be referred to, for the byte before each row to be told. */
class Rows {
  readonly #row: number;
  /** The last of it at its end, and room for more. */
  readonly #read = new Uint8Array(4 * WINDOW);
  #at = 0;
  /** How many bytes it is to the next row. */
  #left = 0;

  constructor(row: number) {
    this.#row = row;
  }

  put(byte: number): void {
    this.#makeRoom(1);
    this.#read[this.#at] = byte;
    this.#take(1);
  }

  repeat(length: number, distance: number): void {
    this.#makeRoom(length);
    // What is copied may be copied again.
    for (let copied = 0; copied < length; ) {
      const piece = Math.min(distance + copied, length - copied);
      const from = this.#at - distance;
      this.#read.copyWithin(this.#at + copied, from, from + piece);
      copied += piece;
    }
    this.#take(length);
  }

  #makeRoom(length: number): void {
    if (this.#at + length <= this.#read.length) return;
    this.#read.copyWithin(0, this.#at - WINDOW, this.#at);
    this.#at = WINDOW;
  }

  #take(length: number): void {
    for (; this.#left < length; this.#left += this.#row)
      if (!isRule(this.#read[this.#at + this.#left] as number)) throw new BrokenDeflate();
    this.#left -= length;
    this.#at += length;
  }
}

class Reader {
  readonly #data: Uint8Array;
  readonly #asked: number;
  readonly #rows: Rows | null;
  #at = HEAD_BYTES;
  #bits = 0;
  #held = 0;
  length = 0;

  constructor(data: Uint8Array, asked: number, row: number) {
    this.#data = data;
    this.#asked = asked;
    this.#rows = row > 0 ? new Rows(row) : null;
  }

  read(): void {
    for (let isLast = false; !isLast && this.length < this.#asked; ) {
      isLast = this.#take(1) === 1;
      const kind = this.#take(2);
      if (kind === STORED) this.#stored();
      else if (kind === FIXED) this.#block(fixed, fixedDistances);
      else if (kind === DYNAMIC) this.#block(...this.#codes());
      else throw new BrokenDeflate();
    }
  }

  #fill(): void {
    while (this.#held <= 24) {
      this.#bits |= (this.#data[this.#at] ?? 0) << this.#held;
      this.#at += 1;
      this.#held += 8;
    }
  }

  #take(count: number): number {
    this.#fill();
    const value = this.#bits & ((1 << count) - 1);
    this.#drop(count);
    return value;
  }

  #drop(count: number): void {
    this.#bits >>>= count;
    this.#held -= count;
    if (this.#at - (this.#held >> 3) > this.#data.length) throw new EndedDeflate();
  }

  #symbol(codes: Codes): number {
    this.#fill();
    const found = (codes.fast[this.#bits & ((1 << FAST_BITS) - 1)] as number) || codes.slow(this.#bits);
    this.#drop(found & 15);
    return found >> 4;
  }

  #stored(): void {
    this.#drop(this.#held & 7);
    const [length, complement] = [this.#take(16), this.#take(16)];
    if ((length ^ complement) !== 0xffff) throw new BrokenDeflate();
    const start = this.#at - (this.#held >> 3);
    const taken = Math.min(length, this.#data.length - start, this.#asked - this.length);
    if (this.#rows !== null) for (const byte of this.#data.subarray(start, start + taken)) this.#rows.put(byte);
    this.length += Math.min(length, this.#data.length - start);
    if (start + length > this.#data.length) throw new EndedDeflate();
    [this.#at, this.#bits, this.#held] = [start + length, 0, 0];
  }

  #block(literals: Codes, places: Codes): void {
    while (this.length < this.#asked) {
      const symbol = this.#symbol(literals);
      if (symbol === END_OF_BLOCK) return;
      if (symbol < END_OF_BLOCK) {
        this.length += 1;
        this.#rows?.put(symbol);
        continue;
      }
      const run = this.#stepped(runs[symbol - END_OF_BLOCK - 1]);
      const distance = this.#stepped(distances[this.#symbol(places)]);
      if (distance > Math.min(this.length, WINDOW)) throw new BrokenDeflate();
      this.length += run;
      this.#rows?.repeat(Math.min(run, this.#asked + run - this.length), distance);
    }
  }

  #stepped(step: readonly [base: number, bits: number] | undefined): number {
    if (step === undefined) throw new BrokenDeflate();
    return step[1] === 0 ? step[0] : step[0] + this.#take(step[1]);
  }

  #codes(): [literals: Codes, places: Codes] {
    const [literals, places, given] = [this.#take(5) + 257, this.#take(5) + 1, this.#take(4) + 4];
    const orders = new Uint8Array(ORDER.length);
    for (let index = 0; index < given; index += 1) orders[ORDER[index] as number] = this.#take(3);
    const codes = new Codes(orders);
    const lengths = new Uint8Array(literals + places);
    for (let index = 0; index < lengths.length; ) {
      const symbol = this.#symbol(codes);
      const [times, value] = symbol < 16 ? [1, symbol] : this.#repeated(symbol, lengths[index - 1]);
      if (index + times > lengths.length) throw new BrokenDeflate();
      lengths.fill(value, index, index + times);
      index += times;
    }
    if (lengths[END_OF_BLOCK] === 0) throw new BrokenDeflate();
    return [new Codes(lengths.subarray(0, literals)), new Codes(lengths.subarray(literals))];
  }

  #repeated(symbol: number, former: number | undefined): [times: number, value: number] {
    if (symbol === 17) return [3 + this.#take(3), 0];
    if (symbol === 18) return [11 + this.#take(7), 0];
    if (former === undefined) throw new BrokenDeflate();
    return [3 + this.#take(2), former];
  }
}

/**
 * As far as is asked; of data that are cut what they hold, undefined where they are broken.
 * @param row how long a row is with the byte before it that tells its rule; 0: there are none
 */
export const inflatedLength = (data: Uint8Array, asked: number, row = 0): number | undefined => {
  const reader = new Reader(data, asked, row);
  try {
    reader.read();
  } catch (error) {
    if (error instanceof BrokenDeflate) return undefined;
    if (!(error instanceof EndedDeflate)) throw error;
  }
  return Math.min(reader.length, asked);
};
