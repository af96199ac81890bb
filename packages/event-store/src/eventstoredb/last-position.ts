import { comparePositions, type Position } from "../port.ts";
import type { Reader } from "./reading.ts";

const PAGE_EVENTS = 512;

/**
 * Finds the last event that is ours. Mostly that is the last of all, which one small read tells; where others' events
 * follow it, what is new since the last look is asked for by a filter. Only the first look goes backwards through
 * others' events.
 */
export class LastPositionFinder {
  readonly #reader: Reader;
  readonly #isOurs: (stream: string) => boolean;
  readonly #lastOursAfter: (after: Position, end: Position) => Promise<Position | undefined>;
  /** Where the last look ended, and the last event of ours that it found. */
  #known: { end: Position; ours: Position | undefined } | undefined;

  /** `lastOursAfter` gives the position of our last event between two, if there is one. */
  constructor(options: {
    reader: Reader;
    isOurs: (stream: string) => boolean;
    lastOursAfter: (after: Position, end: Position) => Promise<Position | undefined>;
  }) {
    this.#reader = options.reader;
    this.#isOurs = options.isOurs;
    this.#lastOursAfter = options.lastOursAfter;
  }

  async find(): Promise<Position | undefined> {
    const [last] = await this.#reader.backwards(undefined, 1);
    if (!last) return undefined;
    const end = last.position;
    const known = this.#known;
    if (known && comparePositions(end, known.end) <= 0) return known.ours;
    const ours = this.#isOurs(last.stream) ? end : await this.#before(last.position, known);
    if (!this.#known || comparePositions(end, this.#known.end) > 0) this.#known = { end, ours };
    return ours;
  }

  async #before(end: Position, known: { end: Position; ours: Position | undefined } | undefined) {
    if (known) return (await this.#lastOursAfter(known.end, end)) ?? known.ours;
    for (let from = end; ; ) {
      const page = await this.#reader.backwards(from, PAGE_EVENTS);
      const ours = page.find(({ stream }) => this.#isOurs(stream));
      const oldest = page.at(-1)?.position;
      if (ours) return ours.position;
      if (!oldest || comparePositions(oldest, from) >= 0) return undefined;
      from = oldest;
    }
  }
}
