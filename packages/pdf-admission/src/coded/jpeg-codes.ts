/** Codes of a picture in JPEG (ITU-T T.81, annexes C and F), and the bits that they are written in. */

const [MARKER, LONGEST, AHEAD] = [0xff, 16, 8];
export const MOST_CODES = 256;
const LAST_FIRST = 15;
/** Of tables that no scan has asked for yet: there may be many. */
const [NONE, NO_CODES] = [new Uint16Array(0), new Int32Array(0)];

/** One of the codes that a picture brings along: how many there are of each length, and what they stand for. */
export class CodeTable {
  readonly #counts: Uint8Array;
  readonly #values: Uint8Array;
  /** For each eight bits the length of the code that they begin with, and its value; 0: it is longer. */
  ahead: Uint16Array = NONE;
  /** By lengths: the last code, -1 where there is none, and what is added to a code for the place of its value. */
  last: Int32Array = NO_CODES;
  #offsets: Int32Array = NO_CODES;

  readonly #isOfFirst: boolean;

  /** @param isOfFirst whether codes stand for the sizes of first values */
  constructor(counts: Uint8Array, values: Uint8Array, isOfFirst: boolean) {
    this.#counts = counts;
    this.#values = values;
    this.#isOfFirst = isOfFirst;
  }

  /** False where some readers refuse codes: too many of a length, one of ones alone, sizes that there are not. */
  get isSound(): boolean {
    let code = 0;
    for (let length = 1; length <= LONGEST; length += 1) {
      const count = this.#counts[length - 1] as number;
      code += count;
      if (count > 0 && code >= 2 ** length) return false;
      code <<= 1;
    }
    return !this.#isOfFirst || this.#values.every((size) => size <= LAST_FIRST);
  }

  /** Makes what codes are found by, once. */
  prepare(): void {
    if (this.ahead.length > 0) return;
    const ahead = new Uint16Array(2 ** AHEAD);
    this.last = new Int32Array(LONGEST + 2).fill(-1);
    this.#offsets = new Int32Array(LONGEST + 2);
    let [code, place] = [0, 0];
    for (let length = 1; length <= LONGEST; length += 1) {
      const count = this.#counts[length - 1] as number;
      this.#offsets[length] = place - code;
      if (count > 0) this.last[length] = code + count - 1;
      for (let index = 0; index < count && length <= AHEAD; index += 1) {
        const from = (code + index) << (AHEAD - length);
        ahead.fill((length << 8) | (this.#values[place + index] as number), from, from + 2 ** (AHEAD - length));
      }
      code = (code + count) << 1;
      place += count;
    }
    this.ahead = ahead;
  }

  valueOf(code: number, length: number): number {
    return this.#values[code + (this.#offsets[length] as number)] as number;
  }
}

/** Reads the bits between two markers. */
export class Bits {
  readonly #bytes: Uint8Array;
  #at: number;
  #held = 0;
  #count = 0;
  /** How many bits of those that are held stand for data that are missing. */
  #missing = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Whether more was read than there is. */
  get isOver(): boolean {
    return this.#missing > this.#count;
  }

  #fill(): void {
    while (this.#count <= 24) {
      let byte = this.#at < this.#bytes.length ? (this.#bytes[this.#at] as number) : MARKER;
      if (byte !== MARKER) this.#at += 1;
      else if (this.#bytes[this.#at + 1] === 0) this.#at += 2;
      else {
        byte = 0;
        this.#missing += 8;
      }
      this.#held = (this.#held << 8) | byte;
      this.#count += 8;
    }
  }

  /** What the next code stands for; -1 where there is no such code. */
  code(table: CodeTable): number {
    if (this.#count < LONGEST) this.#fill();
    const found = table.ahead[(this.#held >>> (this.#count - AHEAD)) & 0xff] as number;
    if (found !== 0) {
      this.#count -= found >> 8;
      return found & 0xff;
    }
    for (let length = AHEAD + 1; length <= LONGEST; length += 1) {
      const code = (this.#held >>> (this.#count - length)) & ((1 << length) - 1);
      if (code > (table.last[length] as number)) continue;
      this.#count -= length;
      return table.valueOf(code, length);
    }
    return -1;
  }

  /** A number of so many bits, 16 at most. */
  number(size: number): number {
    if (size === 0) return 0;
    if (this.#count < size) this.#fill();
    this.#count -= size;
    return (this.#held >>> this.#count) & ((1 << size) - 1);
  }

  /** A number with a sign, whose first bit is 0 where it is negative (table F.1). */
  value(size: number): number {
    const number = this.number(size);
    return size === 0 || number >= 1 << (size - 1) ? number : number - (1 << size) + 1;
  }

  /** Whether whole bytes are left before the next marker. */
  get hasMore(): boolean {
    const isMarked = this.#bytes[this.#at] === MARKER && this.#bytes[this.#at + 1] !== 0;
    return !isMarked || this.#count - this.#missing >= 8;
  }

  /** Where the next marker is, whatever stands before it; -1 where there is none. */
  end(): number {
    let at = this.#bytes[this.#at] === MARKER ? this.#at : this.#bytes.indexOf(MARKER, this.#at);
    while (at >= 0 && (this.#bytes[at + 1] === 0 || this.#bytes[at + 1] === MARKER))
      // Many of these may stand side by side: to search for each would take long.
      at = this.#bytes[at + 1] === MARKER ? at + 1 : this.#bytes.indexOf(MARKER, at + 2);
    return at;
  }

  /** Goes on elsewhere. */
  goTo(at: number): void {
    this.#at = at;
    [this.#held, this.#count, this.#missing] = [0, 0, 0];
  }
}
