import type { Edit, Outlined } from "./reading.ts";

/** Contents that are written anew, longer than they were. */

const BLANK = 0x20;

type Span = Pick<Edit, "start" | "end">;

/** What becomes longer than it was. */
export interface Longer {
  outlined: readonly Outlined[];
  boxes: readonly Edit[];
}

/** A part of a content, in which areas are painted first and the lines around them by another path. */
export const rewrittenContent = (
  whole: Buffer,
  mended: Buffer,
  { start: from, end: to }: Span,
  longer: Longer,
): Buffer => {
  const written = new Written(to - from);
  let at = from;
  for (const { path, start, end } of longer.outlined) {
    const name = whole.toString("latin1", start, end);
    const closing = longer.boxes[firstFrom(longer.boxes, start)];
    const lines = closing?.start === start ? closing.instead.replace(/B\*?$/, "S") : name.startsWith("b") ? "s" : "S";
    writeWithBoxes(written, mended, at, start, longer.boxes);
    written.add(name.endsWith("*") ? "f* " : "f ");
    writeWithBoxes(written, whole, path, start, longer.boxes);
    written.add(` ${lines}`);
    at = end;
  }
  writeWithBoxes(written, mended, at, to, longer.boxes);
  return written.bytes;
};

/** Writes a part of a content, with sides of boxes as they are to be, but for what was taken out. */
const writeWithBoxes = (to: Written, bytes: Buffer, from: number, end: number, boxes: readonly Edit[]): void => {
  let at = from;
  for (let index = firstFrom(boxes, from); ; index += 1) {
    const box = boxes[index];
    if (box === undefined || box.start >= end) break;
    if (bytes[box.start] === BLANK) continue;
    to.copy(bytes, at, box.start);
    to.add(`${box.instead} `);
    at = Math.min(box.end, end);
  }
  to.copy(bytes, at, end);
};

/** Bytes that are written one part after the other: there may be hundreds of thousands of parts. */
class Written {
  #bytes: Buffer;
  #length = 0;

  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(2 * expected);
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add(text: string): void {
    this.#makeRoom(text.length);
    this.#length += this.#bytes.write(text, this.#length, "latin1");
  }

  copy(from: Buffer, start: number, end: number): void {
    this.#makeRoom(end - start);
    this.#length += from.copy(this.#bytes, this.#length, start, end);
  }

  #makeRoom(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    this.#bytes = Buffer.concat([this.#bytes], 2 * (this.#length + length));
  }
}

/** The place of the first one, of some in their order, that begins there or after it. */
export const firstFrom = (edits: readonly Span[], start: number): number => {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle]?.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Where a content is changed: it may be of thousands of streams, with thousands of changes. */
export class Changed {
  readonly #spans: readonly Span[];
  /** Of each span, in their order, where it and those before it end at last. */
  readonly #ends: readonly number[];

  constructor(spans: readonly Span[]) {
    this.#spans = spans.toSorted((one, other) => one.start - other.start);
    let last = 0;
    this.#ends = this.#spans.map(({ end }) => {
      last = Math.max(last, end);
      return last;
    });
  }

  /** Whether something changes between two offsets. */
  isAny(start: number, end: number): boolean {
    return (this.#ends[firstFrom(this.#spans, end) - 1] ?? 0) > start;
  }
}
