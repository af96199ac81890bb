import { createHash, type Hash } from "node:crypto";
import { TooComplex } from "@rubrica/pdf-reading/faults";

/** What a signature covers: a file from its first byte to `end`, but for one gap. */
export interface Range {
  gapStart: number;
  gapEnd: number;
  end: number;
}

/** How many files' worth of bytes behind the gaps are digested: signatures that follow each other have one between them. */
const MOST_BEHIND = 4;
const LEAST_BEHIND_BYTES = 8 * 1024 * 1024;

/**
 * Digests of what a file's signatures cover. Where they are asked for in the order of their gaps, the file is gone
 * through once for each algorithm, however many signatures it has.
 */
export class Digests {
  readonly #bytes: Uint8Array;
  readonly #running = new Map<string, { hash: Hash; length: number }>();
  readonly #known = new Map<string, Buffer>();
  #leftBehind: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#leftBehind = LEAST_BEHIND_BYTES + MOST_BEHIND * bytes.length;
  }

  /** Throws `TooComplex` when signatures leave out parts far from their ends again and again. */
  of({ gapStart, gapEnd, end }: Range, algorithm: string): Buffer {
    const key = `${algorithm} ${gapStart} ${gapEnd} ${end}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#spend(end - gapEnd);
    const digest = this.#upTo(gapStart, algorithm).copy().update(this.#bytes.subarray(gapEnd, end)).digest();
    this.#known.set(key, digest);
    return digest;
  }

  #upTo(length: number, algorithm: string): Hash {
    let running = this.#running.get(algorithm);
    if (running === undefined || running.length > length) {
      this.#spend(length);
      running = { hash: createHash(algorithm), length: 0 };
      this.#running.set(algorithm, running);
    }
    running.hash.update(this.#bytes.subarray(running.length, length));
    running.length = length;
    return running.hash;
  }

  #spend(count: number): void {
    this.#leftBehind -= count;
    if (this.#leftBehind < 0) throw new TooComplex("its signatures cover too much of it too often");
  }
}
