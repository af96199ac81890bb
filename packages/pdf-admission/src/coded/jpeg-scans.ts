import {
  assertHoldable,
  type Band,
  type Component,
  Progressive,
  type Scanned,
  Sequential,
  unitsOf,
} from "./jpeg-blocks.ts";
import { Bits, CodeTable, MOST_CODES } from "./jpeg-codes.ts";
import { BLOCK, type Samples } from "./jpeg-values.ts";

/** Whether the data of a picture in JPEG (ITU-T T.81) hold together: each reader mends what does not in its own way. */

interface Frame {
  isProgressive: boolean;
  components: ReadonlyMap<number, Component>;
  /** Its units, side by side and below each other. */
  units: readonly [across: number, down: number];
}

const [FIRST_RESTART, LAST_RESTART] = [0xd0, 0xd7];
const [UNIT, MOST_SAMPLES, DEPTH] = [8, 4, 8];
const LAST_VALUE = BLOCK - 1;
/** Tables have numbers up to this, and up to so many blocks stand together (B.2.2 to B.2.4): readers refuse others, or don't. */
const [LAST_TABLE, MOST_TOGETHER, MOST_SCANNED, INTERVAL_BYTES] = [3, 10, 4, 2];
/** Readers go over the whole picture for each; programs make some ten. */
const MOST_SCANS = 200;
/** Of no value more bits may be left to later scans: readers refuse that, or don't. */
const LAST_BIT = 13;
/** A block takes a bit at least. */
const BLOCKS_A_BYTE = 8;

/** What has been read of a picture, from its start on. Each of its parts is taken in turn; false where it is not sound. */
export class Scans {
  readonly #samples: Samples;
  readonly #sequential: Sequential;
  readonly #steps = new Map<number, Uint16Array>();
  readonly #first = new Map<number, CodeTable>();
  readonly #rest = new Map<number, CodeTable>();
  readonly #scanned = new Set<number>();
  readonly #progressive = new Map<number, Progressive>();
  #frame: Frame | undefined;
  /** After how many units a scan starts again; 0: it does not. */
  #interval = 0;
  #count = 0;
  #isTight = true;

  constructor(samples: Samples) {
    this.#samples = samples;
    this.#sequential = new Sequential(samples);
  }

  /** Whether a mark follows wherever blocks end. */
  get areTight(): boolean {
    return this.#isTight;
  }

  /** Whether the picture may end. */
  get areWhole(): boolean {
    const { isProgressive = false, components } = this.#frame ?? {};
    if (components === undefined || this.#scanned.size !== components.size) return false;
    if (!isProgressive) return true;
    return [...components].every(([name, { quantization }]) => {
      const steps = this.#steps.get(quantization);
      const known = this.#progressive.get(name);
      return steps !== undefined && known?.isWhole === true && known.areBounded(this.#samples, steps);
    });
  }

  /** Takes a frame that readers know. Throws `TooComplex`. */
  frame(segment: Buffer, isProgressive: boolean): boolean {
    const count = segment[5] ?? 0;
    if (this.#frame !== undefined || count === 0 || segment.length !== 6 + 3 * count || segment[0] !== DEPTH)
      return false;
    const [height, width] = [segment.readUInt16BE(1), segment.readUInt16BE(3)];
    const told = Array.from({ length: count }, (_, index) => {
      const [name, samples, quantization] = segment.subarray(6 + 3 * index) as unknown as [number, number, number];
      return { name, across: samples >> 4, down: samples & 0xf, quantization };
    });
    const most = (side: "across" | "down") => Math.max(...told.map((one) => one[side]));
    const [across, down] = [most("across"), most("down")];
    const isEven = (samples: number, highest: number) =>
      samples > 0 && samples <= MOST_SAMPLES && highest % samples === 0;
    if (!told.every((one) => isEven(one.across, across) && isEven(one.down, down))) return false;
    const units = [unitsOf(width, across), unitsOf(height, down)] as const;
    const components = new Map(
      told.map(({ name, ...one }): [number, Component] => {
        const [stride, rows] = [units[0] * one.across, units[1] * one.down];
        const shown = [
          Math.ceil(Math.ceil((width * one.across) / across) / UNIT),
          Math.ceil(Math.ceil((height * one.down) / down) / UNIT),
        ] as const;
        return [name, { ...one, stride, rows, shown }];
      }),
    );
    if (isProgressive) assertHoldable([...components.values()]);
    this.#frame = { isProgressive, components, units };
    return components.size === count && width > 0 && height > 0;
  }

  /** Takes steps; pdf.js takes the last ones that have a number, others those that stand before a scan. */
  quantization(segment: Buffer): boolean {
    let at = 0;
    while (at < segment.length) {
      this.#samples.takePart();
      const [number, length] = [(segment[at] as number) & 0xf, (segment[at] as number) >> 4];
      const isLong = length === 1;
      const end = at + 1 + (isLong ? 2 * BLOCK : BLOCK);
      if (end > segment.length || number > LAST_TABLE || length > 1) return false;
      const from = at + 1;
      const steps = new Uint16Array(BLOCK);
      for (let index = 0; index < BLOCK; index += 1)
        steps[index] = isLong ? segment.readUInt16BE(from + 2 * index) : (segment[from + index] as number);
      const former = this.#steps.get(number);
      if (former?.some((step, index) => step !== steps[index])) return false;
      this.#steps.set(number, steps);
      at = end;
    }
    return true;
  }

  codes(segment: Buffer): boolean {
    let at = 0;
    while (at + 17 <= segment.length) {
      this.#samples.takePart();
      const told = segment[at] as number;
      const [kind, number] = [told >> 4, told & 0xf];
      const counts = segment.subarray(at + 1, at + 17);
      const count = counts.reduce((sum, one) => sum + one, 0);
      if (kind > 1 || number > LAST_TABLE || count > MOST_CODES) return false;
      const end = at + 17 + count;
      const values = segment.subarray(at + 17, end);
      const table = new CodeTable(counts, values, kind === 0);
      if (!table.isSound) return false;
      (kind === 0 ? this.#first : this.#rest).set(number, table);
      at = end;
    }
    return at === segment.length;
  }

  interval(segment: Buffer): boolean {
    if (segment.length !== INTERVAL_BYTES) return false;
    this.#interval = segment.readUInt16BE(0);
    return true;
  }

  /** Takes a scan; returns where the marker after it is. Throws `TooComplex`. */
  scan(bytes: Buffer, segment: Buffer, from: number): number | undefined {
    const frame = this.#frame;
    const count = segment[0] ?? 0;
    this.#count += 1;
    if (this.#count > MOST_SCANS || frame === undefined) return undefined;
    if (count === 0 || count > MOST_SCANNED || segment.length !== 4 + 2 * count) return undefined;
    const told = segment.readUInt8(3 + 2 * count);
    const [start, to] = [segment.readUInt8(1 + 2 * count), segment.readUInt8(2 + 2 * count)];
    const band: Band = { from: start, to, bit: told & 0xf, former: told >> 4 };
    if (!isBand(band, count, frame.isProgressive)) return undefined;
    const scanned: Scanned[] = [];
    for (let at = 1; at < 1 + 2 * count; at += 2) {
      const one = this.#scannedBy(segment.readUInt8(at), segment.readUInt8(at + 1), band, frame);
      if (one === undefined || scanned.some(({ component }) => component === one.component)) return undefined;
      scanned.push(one);
    }
    if (!standTogether(scanned, frame)) return undefined;
    const blocks = scanned.reduce((sum, { component }) => sum + component.shown[0] * component.shown[1], 0);
    if (band.from === 0 && blocks > BLOCKS_A_BYTE * (bytes.length - from)) return undefined;
    return this.#goThrough(new Bits(bytes, from), scanned, band, frame, bytes);
  }

  /** A component, with the tables that a scan names. */
  #scannedBy(name: number, tables: number, band: Band, { isProgressive, components }: Frame): Scanned | undefined {
    const component = components.get(name);
    const steps = component && this.#steps.get(component.quantization);
    if (component === undefined || steps === undefined) return undefined;
    const isFirst = band.from === 0 && band.former === 0;
    if (isFirst === this.#scanned.has(name)) return undefined;
    this.#scanned.add(name);
    const [first, rest] = [this.#first.get(tables >> 4), this.#rest.get(tables & 0xf)];
    if (isFirst && first === undefined) return undefined;
    if ((band.from > 0 || !isProgressive) && rest === undefined) return undefined;
    first?.prepare();
    rest?.prepare();
    return { component, first, rest, steps, before: 0 };
  }

  #goThrough(bits: Bits, scanned: Scanned[], band: Band, frame: Frame, bytes: Buffer): number | undefined {
    const [only] = scanned;
    const [across, down] = scanned.length === 1 && only !== undefined ? only.component.shown : frame.units;
    const progressive = frame.isProgressive ? this.#progressiveOf(scanned, band, frame) : [];
    if (progressive === undefined) return undefined;
    const units = across * down;
    const interval = this.#interval === 0 ? units : this.#interval;
    for (let start = 0, restarts = 0; ; start += interval, restarts += 1) {
      const end = Math.min(units, start + interval);
      for (const one of scanned) one.before = 0;
      if (!this.#areSound(bits, [start, end], scanned, progressive, { band, across })) return undefined;
      this.#isTight &&= !bits.hasMore;
      const marker = bits.end();
      if (end === units) return marker >= 0 && !isRestart(bytes[marker + 1] ?? 0) ? marker : undefined;
      if (marker < 0 || bytes[marker + 1] !== FIRST_RESTART + (restarts % 8)) return undefined;
      bits.goTo(marker + 2);
    }
  }

  /** What is known of components that a scan tells more of. */
  #progressiveOf(scanned: readonly Scanned[], band: Band, { components }: Frame): Progressive[] | undefined {
    const all = scanned.map(({ component }) => {
      const [name] = [...components].find(([, one]) => one === component) as [number, Component];
      const known = this.#progressive.get(name) ?? new Progressive(component);
      this.#progressive.set(name, known);
      return known;
    });
    return all.every((one) => one.begin(band)) ? all : undefined;
  }

  #areSound(
    bits: Bits,
    [start, end]: readonly [number, number],
    scanned: readonly Scanned[],
    progressive: readonly Progressive[],
    { band, across }: { band: Band; across: number },
  ): boolean {
    const [only] = scanned as [Scanned];
    if (band.from > 0) return progressive[0]?.takeRest(bits, [start, end], band, only) === true;
    const take = (one: Scanned, index: number, column: number, row: number): boolean =>
      progressive.length === 0
        ? this.#sequential.take(bits, one)
        : (progressive[index] as Progressive).takeFirst(bits, row * one.component.stride + column, band, one);
    for (let unit = start; unit < end; unit += 1) {
      const [column, row] = [unit % across, Math.floor(unit / across)];
      if (scanned.length === 1) {
        if (!take(only, 0, column, row) || bits.isOver) return false;
        continue;
      }
      for (let index = 0; index < scanned.length; index += 1) {
        const one = scanned[index] as Scanned;
        const { across: wide, down: high } = one.component;
        for (let block = 0; block < wide * high; block += 1)
          if (!take(one, index, column * wide + (block % wide), row * high + Math.floor(block / wide))) return false;
      }
      if (bits.isOver) return false;
    }
    return true;
  }
}

/** Whether components of a scan stand in the frame's order, with as many blocks as may stand together. */
const standTogether = (scanned: readonly Scanned[], { components }: Frame): boolean => {
  const order = [...components.values()];
  const places = scanned.map(({ component }) => order.indexOf(component));
  const together = scanned.reduce((sum, { component }) => sum + component.across * component.down, 0);
  return (
    places.every((place, index) => index === 0 || place > (places[index - 1] as number)) &&
    (scanned.length === 1 || together <= MOST_TOGETHER)
  );
};

/** Whether a scan has all values, or the first ones, or further ones of one component. */
const isBand = ({ from, to, bit, former }: Band, count: number, isProgressive: boolean): boolean => {
  if (!isProgressive) return from === 0 && to === LAST_VALUE && bit === 0 && former === 0;
  if (bit > LAST_BIT) return false;
  return from === 0 ? to === 0 : count === 1 && from <= to && to <= LAST_VALUE;
};

const isRestart = (marker: number): boolean => marker >= FIRST_RESTART && marker <= LAST_RESTART;
