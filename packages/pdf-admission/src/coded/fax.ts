/** Whether the data of a picture of two colors (ITU-T T.4 and T.6) hold all of its rows: each reader mends what does not in its own way. */

/** What is said of the data around them (ISO 32000-2, table 11). */
export interface FaxParameters {
  columns: number;
  rows: number;
  /** Below 0: each row is told by the one before; 0: by itself; else as its first bit says. */
  k: number;
  isAligned: boolean;
  /** Whether it is said that each row is marked: some readers look for what marks it then. */
  isMarked: boolean;
}

/** Codes of runs of white, and of black, in their order, from 0 to 63 and then by 64 to 1,728. */
const WHITE =
  "00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011 " +
  "0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 00011010 " +
  "00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 00101100 00101101 " +
  "00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 00100101 01011000 01011001 01011010 " +
  "01011011 01001010 01001011 00110010 00110011 00110100 11011 10010 010111 0110111 00110110 00110111 01100100 01100101 " +
  "01101000 01100111 011001100 011001101 011010010 011010011 011010100 011010101 011010110 011010111 011011000 " +
  "011011001 011011010 011011011 010011000 010011001 010011010 011000 010011011";
const BLACK =
  "0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 " +
  "0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 00000011000 " +
  "000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 000001101011 000011010010 " +
  "000011010011 000011010100 000011010101 000011010110 000011010111 000001101100 000001101101 000011011010 000011011011 " +
  "000001010100 000001010101 000001010110 000001010111 000001100100 000001100101 000001010010 000001010011 000000100100 " +
  "000000110111 000000111000 000000100111 000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 " +
  "000001100110 000001100111 0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 " +
  "0000001101100 0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 " +
  "0000001110100 0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 " +
  "0000001011010 0000001011011 0000001100100 0000001100101";
/** Of both, by 64 to 2,560. */
const LONG =
  "00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111 " +
  "000000011100 000000011101 000000011110 000000011111";
/** How a row goes on, from three dots to the left of a change in the row before to three to the right; past it; by two runs. */
const MODES = "0000010 000010 010 1 011 000011 0000011 0001 001";
const [STRAIGHT, PAST, RUNS] = [3, 7, 8];
const [TERMINATING, STEP, LONGEST, LONGEST_MODE] = [64, 64, 13, 7];
const [LINE_END, END_BITS] = [1, 12];
/** Readers hold no rows that are longer. */
const MOST_COLUMNS = 65_535;
/** So often a row's end stands after its changes. */
const SPARE = 4;

/** For each beginning of so many bits the length of the code there and its place in a list; 0: there is none. */
const found = (codes: string, bits: number): Uint16Array => {
  const table = new Uint16Array(2 ** bits);
  for (const [place, code] of codes.split(" ").entries()) {
    const from = Number.parseInt(code, 2) << (bits - code.length);
    table.fill((place << 4) | code.length, from, from + 2 ** (bits - code.length));
  }
  return table;
};
const RUN_CODES = [WHITE, BLACK].map((codes) => found(`${codes} ${LONG}`, LONGEST)) as [Uint16Array, Uint16Array];
const MODE_CODES = found(MODES, LONGEST_MODE);

/** Whether data hold as many rows as they should, each as long as it should be. */
export const isWholeFax = (data: Uint8Array, parameters: FaxParameters): boolean => {
  const { columns, k, isMarked } = parameters;
  // Rows that are told by others have no marks.
  if (!(columns > 0 && columns <= MOST_COLUMNS && Number.isInteger(columns)) || (k < 0 && isMarked)) return false;
  const rows = new Rows(data, parameters);
  for (let row = 0; row < parameters.rows; row += 1) if (!rows.next()) return false;
  return true;
};

class Rows {
  readonly #data: Uint8Array;
  readonly #columns: number;
  readonly #k: number;
  readonly #isAligned: boolean;
  /** Whether rows by themselves are marked, which is all or none of them. */
  #isMarked: boolean | undefined;
  /** In bits. */
  #at = 0;
  /** Where colors change in the row before, and in this one; after the last change stands the row's end. */
  #before: Int32Array;
  #changes: Int32Array;
  #count = 0;

  constructor(data: Uint8Array, { columns, k, isAligned, isMarked }: FaxParameters) {
    this.#data = data;
    this.#columns = columns;
    this.#k = k;
    this.#isAligned = isAligned;
    this.#isMarked = isMarked || k > 0 ? true : undefined;
    this.#before = new Int32Array(columns + 2 * SPARE).fill(columns);
    this.#changes = this.#before.slice();
  }

  /** Reads a row; false where it is broken, or the data end. */
  next(): boolean {
    // What fills up a byte is zeros: some readers take others for codes.
    if (this.#isAligned && this.#take(-this.#at & 7) !== 0) return false;
    if (this.#k >= 0 && !this.#isMarkedAlike()) return false;
    const isByItself = this.#k === 0 || (this.#k > 0 && this.#take(1) === 1);
    this.#count = 0;
    if (!(isByItself ? this.#byItself() : this.#byFormer())) return false;
    for (let spare = 0; spare < SPARE; spare += 1) this.#changes[this.#count + spare] = this.#columns;
    const before = this.#before;
    this.#before = this.#changes;
    this.#changes = before;
    return this.#at <= this.#data.length * 8;
  }

  #isMarkedAlike(): boolean {
    const isMarked = this.#passLineEnd();
    this.#isMarked ??= isMarked;
    return isMarked === this.#isMarked;
  }

  /** Zeros may fill up what is before the end of a line. */
  #passLineEnd(): boolean {
    let end = this.#at;
    while (this.#peekAt(end, END_BITS) === 0 && end < this.#data.length * 8) {
      let byte = end >> 3;
      while (this.#data[byte] === 0) byte += 1;
      // What ends it is within the first byte that is not 0.
      end = Math.max(end + 1, byte * 8 - END_BITS + 1);
    }
    if (this.#peekAt(end, END_BITS) !== LINE_END) return false;
    this.#at = end + END_BITS;
    return true;
  }

  #byItself(): boolean {
    let at = 0;
    let color = 0;
    while (at < this.#columns) {
      const run = this.#run(color);
      at += run;
      if (run < 0 || at > this.#columns) return false;
      if (!this.#change(at)) return false;
      color ^= 1;
    }
    return true;
  }

  /** Notes a change; false where there are more than dots. */
  #change(at: number): boolean {
    this.#changes[this.#count] = at;
    this.#count += 1;
    return this.#count <= this.#columns + 1;
  }

  #byFormer(): boolean {
    let at = -1;
    let color = 0;
    let index = 0;
    while (at < this.#columns) {
      index = this.#changeAfter(at, color, index);
      const change = this.#before[index] as number;
      const told = MODE_CODES[this.#peekAt(this.#at, LONGEST_MODE)] as number;
      this.#at += told & 0xf;
      const mode = told >> 4;
      if (told === 0 || this.#at > this.#data.length * 8) return false;
      if (mode === PAST) at = this.#before[index + 1] as number;
      else if (mode === RUNS) {
        const first = this.#run(color);
        const second = this.#run(color ^ 1);
        const start = Math.max(at, 0);
        at = start + first + second;
        if (Math.min(first, second) < 0 || at > this.#columns) return false;
        if (!this.#change(start + first) || !this.#change(at)) return false;
      } else {
        const next = change + mode - STRAIGHT;
        if (next <= at || next > this.#columns) return false;
        at = next;
        if (!this.#change(at)) return false;
        color ^= 1;
      }
    }
    return true;
  }

  /** The next change to the other color in the row before. */
  #changeAfter(at: number, color: number, from: number): number {
    let index = Math.max(0, from - 2);
    if ((index & 1) !== color) index += 1;
    while ((this.#before[index] as number) <= at) index += 2;
    return index;
  }

  /** How long a run of a color is; -1 where there is no such code. */
  #run(color: number): number {
    const codes = RUN_CODES[color] as Uint16Array;
    for (let sum = 0; sum <= this.#columns; ) {
      const told = codes[this.#peekAt(this.#at, LONGEST)] as number;
      const place = told >> 4;
      this.#at += told & 0xf;
      if (told === 0) return -1;
      if (place < TERMINATING) return sum + place;
      sum += (place - TERMINATING + 1) * STEP;
    }
    return -1;
  }

  #take(bits: number): number {
    const value = this.#peekAt(this.#at, bits);
    this.#at += bits;
    return value;
  }

  #peekAt(at: number, bits: number): number {
    const byte = at >> 3;
    const { length } = this.#data;
    const three =
      byte + 2 < length
        ? ((this.#data[byte] as number) << 16) |
          ((this.#data[byte + 1] as number) << 8) |
          (this.#data[byte + 2] as number)
        : ((this.#data[byte] ?? 0) << 16) | ((this.#data[byte + 1] ?? 0) << 8) | (this.#data[byte + 2] ?? 0);
    return (three >> (24 - bits - (at & 7))) & ((1 << bits) - 1);
  }
}
