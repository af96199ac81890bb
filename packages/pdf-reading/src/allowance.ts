import { TooComplex } from "./faults.ts";

/** So often each byte of a file may be looked at: a few times, by whoever has a question about it. */
const READINGS = 8;
/** So often what stands in a file may be asked for, and once more a byte; honest files do so 0.2 times a byte. */
const LEAST_QUESTIONS = 1_500_000;
/** What the smallest file may cost. */
const LEAST_BYTES = 1_048_576;
/** Values (numbers, names, strings …) that are kept of one file; each takes some 100 bytes of memory. */
const MAX_VALUES = 1_500_000;
/** Objects that object streams say they hold, all together. */
const MAX_LISTED = 1_000_000;
/** All that is inflated of a file's structure together. */
const MAX_INFLATED_BYTES = 128 * 1024 * 1024;
/** Deflate makes no more than so many bytes of one (RFC 1951: 258 bytes for 2 bits). */
const MOST_INFLATED = 1_032;
const COST_IN_VAIN = 4;

/**
 * What reading one file may cost. Honest files are read through once or twice; one whose parts lie within each other,
 * or point to one another again and again, is given up while it is cheap: what is spent grows with the file alone.
 */
export class Allowance {
  #bytes: number;
  #questions: number;
  #values = MAX_VALUES;
  #listed = MAX_LISTED;
  #inflated: number;

  /** @param sizeBytes of the file */
  constructor(sizeBytes: number, maxInflatedBytes = MAX_INFLATED_BYTES) {
    this.#bytes = LEAST_BYTES + READINGS * sizeBytes;
    this.#questions = LEAST_QUESTIONS + sizeBytes;
    this.#inflated = maxInflatedBytes;
  }

  /** Takes bytes that were looked at. Throws {@link TooComplex} when there were too many. */
  spend(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) throw new TooComplex("its parts lie within each other, or are asked for too often");
  }

  /** Takes a question for what stands somewhere. Throws {@link TooComplex} when there were too many. */
  ask(): void {
    this.#questions -= 1;
    if (this.#questions < 0) throw new TooComplex("many of its parts share others, which are looked through for each");
  }

  /** Takes a value that is kept. Throws {@link TooComplex} when there are too many. */
  keep(): void {
    this.#values -= 1;
    if (this.#values < 0) throw new TooComplex("it has too many values");
  }

  /** Takes an object that an object stream says it holds. Throws {@link TooComplex} when there are too many. */
  list(): void {
    this.#listed -= 1;
    if (this.#listed < 0) throw new TooComplex("it has too many objects");
  }

  /** Does something whose values are not kept. */
  withoutKeeping<Result>(use: () => Result): Result {
    const values = this.#values;
    try {
      return use();
    } finally {
      this.#values = values;
    }
  }

  /** Bytes that may still be inflated. */
  get inflatable(): number {
    return Math.max(1, this.#inflated);
  }

  /** Takes what was inflated, which may then be looked at as well. */
  inflated(bytes: number): void {
    this.#inflated -= bytes;
    if (this.#inflated < 0) throw new TooComplex("it inflates too far");
    this.#bytes += READINGS * bytes;
  }

  /** Takes what a compressed part may have cost that turned out to be broken; honest files have few of them. */
  inflatedInVain(storedBytes: number): void {
    this.#inflated -= Math.min(COST_IN_VAIN * MOST_INFLATED * storedBytes, this.#inflated / 2);
  }
}
