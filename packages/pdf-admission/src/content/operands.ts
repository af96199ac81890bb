import { endsToken } from "@rubrica/pdf-reading/characters";
import type { Operator } from "@rubrica/pdf-reading/content-operators";
import { ARRAY, DICT, NAME, NUMBER, STRING } from "@rubrica/pdf-reading/content-tokens";
import type { Tokens } from "./tokens.ts";

/** More than any operator takes: that many components a color may have. */
const MAX_OPERANDS = 33;
/** A matrix that makes a line of an area, of which some readers draw nothing that follows. */
const LEAST_AREA = 1e-12;

/** Operands that were read since the operator before. */
export class Operands {
  /** Of numbers, by their places. */
  readonly values = new Float64Array(MAX_OPERANDS);
  count = 0;
  readonly #tokens: Tokens;
  readonly #kinds = new Uint8Array(MAX_OPERANDS);
  readonly #starts = new Uint32Array(MAX_OPERANDS);

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** Takes the token that was read last; false when there are too many. */
  take(kind: number): boolean {
    if (this.count === MAX_OPERANDS) return false;
    this.#kinds[this.count] = kind;
    this.values[this.count] = this.#tokens.value;
    this.#starts[this.count] = this.#tokens.start;
    this.count += 1;
    return true;
  }

  /** What kind of token one is; 0 where there is none. */
  kindOf(index: number): number {
    return index < this.count ? (this.#kinds[index] ?? 0) : 0;
  }

  /** Where one begins in the content; where the operator does, if there is none. */
  startOf(index: number): number {
    return index >= 0 && index < this.count ? (this.#starts[index] ?? 0) : this.#tokens.start;
  }

  /** How long the text is that an operator shows, with its brackets. */
  get textBytes(): number {
    const last = this.count - 1;
    if (this.kindOf(last) === ARRAY) return this.#tokens.strings;
    return this.kindOf(last) === STRING ? this.#tokens.start - this.startOf(last) : 0;
  }

  /**
   * Leaves the operands that an operator takes, the last ones, and gives where those before begin and end; null where they
   * are not what it needs.
   */
  fit({ operands }: Operator): readonly [start: number, end: number] | null | undefined {
    if (operands === undefined) return undefined;
    const first = this.count - operands.length;
    if (first < 0) return null;
    for (let index = 0; index < operands.length; index += 1) {
      const [wanted, kind] = [operands[index], this.#kinds[first + index] ?? 0];
      if (wanted === 0 ? kind !== NAME && kind !== DICT : kind !== wanted) return null;
    }
    if (first === 0) return undefined;
    const surplus = [this.startOf(0), this.startOf(first)] as const;
    this.values.copyWithin(0, first, this.count);
    this.#kinds.copyWithin(0, first, this.count);
    this.#starts.copyWithin(0, first, this.count);
    this.count = operands.length;
    return surplus;
  }

  /** Whether values are none that an operator takes, or some that readers take differently. */
  isOutOfRange(name: string): boolean {
    const { items, least, largest, numbers, sum } = this.#tokens;
    const [value = 0, phase = 0] = this.values;
    switch (name) {
      case "cm": {
        const [a = 0, b = 0, c = 0, d = 0] = this.values;
        return Math.abs(a * d - b * c) < LEAST_AREA;
      }
      case "w":
        return value < 0;
      case "J":
      case "j":
        return ![0, 1, 2].includes(value);
      case "Tr":
        // Text that cuts out what follows is not cut by all of them.
        return ![0, 1, 2, 3].includes(value);
      case "k":
      case "K":
        return this.values.subarray(0, 4).some((one) => one < 0 || one > 1);
      case "d":
        if ((items & ~(1 << NUMBER)) !== 0 || least < 0 || (items !== 0 && largest === 0) || phase < 0) return true;
        return areDoubtfulDashes(numbers, sum, phase);
      case "TJ":
        return (items & ~((1 << NUMBER) | (1 << STRING))) !== 0;
      default:
        return false;
    }
  }

  areZero(numbers: number): boolean {
    for (let index = 0; index < numbers; index += 1) if (this.values[index] !== 0) return false;
    return true;
  }

  /** What one names, its escapes read. */
  nameAt(index: number): string {
    const { bytes } = this.#tokens;
    const start = (this.#starts[index] ?? 0) + 1;
    let end = start;
    while (end < bytes.length && !endsToken(bytes[end] ?? 0)) end += 1;
    const raw = bytes.toString("latin1", start, end);
    if (!raw.includes("#")) return raw;
    // The sign itself stays written out: who looks the name up reads it once more.
    return raw.replace(/#([\da-f]{2})?/gi, (_, digits = "23") =>
      digits === "23" ? "#23" : String.fromCharCode(Number.parseInt(digits, 16)),
    );
  }
}

/** PDFium draws no more dashes and gaps. */
const MOST_DASHES = 32;

/**
 * Whether readers draw other dashes by a list: MuPDF, and Poppler on screen, take a dash for a gap where it is begun after
 * all of an odd number of them.
 * @param sum how long they are together
 */
export const areDoubtfulDashes = (numbers: number, sum: number, phase: number): boolean =>
  numbers > MOST_DASHES || (numbers % 2 === 1 && phase >= sum);
