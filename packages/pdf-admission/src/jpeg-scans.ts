/** Whether the data of a picture in JPEG (ITU-T T.81) hold together: each reader mends what does not in its own way. */

interface Component {
  across: number;
  down: number;
  quantization: number;
}

interface Frame {
  width: number;
  height: number;
  isProgressive: boolean;
  components: ReadonlyMap<number, Component>;
}

/** What has been read, from the picture's start on. */
interface State {
  frame: Frame | undefined;
  quantizations: Set<number>;
  /** By class and number. */
  codes: Set<number>;
  /** After how many units a scan starts again; 0: it does not. */
  interval: number;
  scanned: Set<number>;
  scans: number;
}

const [MARKER, START, END] = [0xff, 0xd8, 0xd9];
const [FIRST_RESTART, LAST_RESTART] = [0xd0, 0xd7];
/** Baseline, extended, progressive: others (lossless, hierarchical, arithmetic) only some readers know. */
const [BASELINE, PROGRESSIVE, LAST_FRAME] = [0xc0, 0xc2, 0xcf];
const [CODES, SCAN, QUANTIZATION, INTERVAL] = [0xc4, 0xda, 0xdb, 0xdd];
const NO_FRAMES = [CODES, 0xc8, 0xcc];
const [UNIT, MOST_SAMPLES] = [8, 4];
const LAST_VALUE = 63;
/** Readers go over the whole picture for each; programs make some ten. */
const MOST_SCANS = 200;
/** Codes for the differences of light, and of the rest. */
const [FIRST_CODES, REST_CODES] = [0x00, 0x10];

/** Whether there is one frame that readers know, and each scan has its tables, its restarts, and a marker after it. */
export const areScansSound = (data: Uint8Array): boolean => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const state: State = {
    frame: undefined,
    quantizations: new Set(),
    codes: new Set(),
    interval: 0,
    scanned: new Set(),
    scans: 0,
  };
  let at = bytes.indexOf(Buffer.from([MARKER, START])) + 2;
  while (at >= 2 && at + 2 <= bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== MARKER) {
      // Before the frame all readers pass over other bytes.
      if (state.frame !== undefined) return false;
      at += 1;
    } else if (marker === MARKER) at += 1;
    else if (marker === END) return state.frame !== undefined && state.scanned.size === state.frame.components.size;
    else {
      const end = at + 4 <= bytes.length ? at + 2 + bytes.readUInt16BE(at + 2) : Number.POSITIVE_INFINITY;
      const next = end <= bytes.length ? passedOver(bytes, marker, bytes.subarray(at + 4, end), end, state) : undefined;
      if (next === undefined) return false;
      at = next;
    }
  }
  return false;
};

/** Where the next marker is; undefined where a segment is broken. */
const passedOver = (bytes: Buffer, marker: number, segment: Buffer, end: number, state: State): number | undefined => {
  if (marker === SCAN) return afterScan(bytes, segment, end, state);
  if (marker === QUANTIZATION) return addQuantizations(segment, state.quantizations) ? end : undefined;
  if (marker === CODES) return addCodes(segment, state.codes) ? end : undefined;
  if (marker === INTERVAL) state.interval = (segment[0] ?? 0) * 256 + (segment[1] ?? 0);
  if (marker < BASELINE || marker > LAST_FRAME || NO_FRAMES.includes(marker)) return end;
  if (state.frame !== undefined || marker > PROGRESSIVE) return undefined;
  state.frame = frameIn(segment, marker === PROGRESSIVE);
  return state.frame && end;
};

const frameIn = (segment: Buffer, isProgressive: boolean): Frame | undefined => {
  const count = segment[5] ?? 0;
  if (count === 0 || segment.length !== 6 + 3 * count) return undefined;
  const components = new Map<number, Component>();
  for (let at = 6; at < segment.length; at += 3) {
    const [name, samples, quantization] = segment.subarray(at, at + 3) as unknown as [number, number, number];
    components.set(name, { across: samples >> 4, down: samples & 0xf, quantization });
  }
  const isEven = (side: "across" | "down"): boolean => {
    const counts = [...components.values()].map((component) => component[side]);
    return counts.every((each) => each > 0 && each <= MOST_SAMPLES && Math.max(...counts) % each === 0);
  };
  if (components.size !== count || !isEven("across") || !isEven("down")) return undefined;
  return { height: segment.readUInt16BE(1), width: segment.readUInt16BE(3), isProgressive, components };
};

const addQuantizations = (segment: Buffer, quantizations: Set<number>): boolean => {
  let at = 0;
  while (at < segment.length) {
    const told = segment[at] as number;
    quantizations.add(told & 0xf);
    at += 1 + (told >> 4 === 0 ? 64 : 128);
  }
  return at === segment.length;
};

const addCodes = (segment: Buffer, codes: Set<number>): boolean => {
  let at = 0;
  while (at + 17 <= segment.length) {
    codes.add(segment[at] as number);
    at += 17 + segment.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0);
  }
  return at === segment.length;
};

const afterScan = (bytes: Buffer, segment: Buffer, end: number, state: State): number | undefined => {
  const { frame, interval, codes, quantizations, scanned } = state;
  const count = segment[0] ?? 0;
  state.scans += 1;
  if (state.scans > MOST_SCANS) return undefined;
  if (frame === undefined || count === 0 || segment.length !== 4 + 2 * count) return undefined;
  const [first, approximation] = [segment.readUInt8(1 + 2 * count), segment.readUInt8(3 + 2 * count)];
  const last = segment.readUInt8(2 + 2 * count);
  if (!isBand(first, last, count, frame.isProgressive)) return undefined;
  const isFirst = first === 0 && approximation >> 4 === 0;
  const components: Component[] = [];
  for (let at = 1; at < 1 + 2 * count; at += 2) {
    const [name, tables] = segment.subarray(at, at + 2) as unknown as [number, number];
    const component = frame.components.get(name);
    if (component === undefined || components.includes(component)) return undefined;
    if (isFirst && (scanned.has(name) || !codes.has(FIRST_CODES | (tables >> 4)))) return undefined;
    if ((first > 0 || !frame.isProgressive) && !codes.has(REST_CODES | (tables & 0xf))) return undefined;
    if (!quantizations.has(component.quantization) || (!isFirst && !scanned.has(name))) return undefined;
    components.push(component);
    scanned.add(name);
  }
  const scan = endOf(bytes, end);
  const restarts = interval === 0 ? 0 : Math.ceil(unitsOf(components, frame) / interval) - 1;
  return scan?.restarts === restarts ? scan.end : undefined;
};

/** Whether a scan has all values, or the first ones, or further ones of one component. */
const isBand = (first: number, last: number, count: number, isProgressive: boolean): boolean => {
  if (!isProgressive) return first === 0 && last === LAST_VALUE;
  return first === 0 ? last === 0 : count === 1 && first <= last && last <= LAST_VALUE;
};

/** Undefined where restarts are not in their order. */
const endOf = (bytes: Buffer, from: number): { end: number; restarts: number } | undefined => {
  let restarts = 0;
  let at = bytes.indexOf(MARKER, from);
  while (at >= 0) {
    const marker = bytes[at + 1] ?? END;
    if (marker >= FIRST_RESTART && marker <= LAST_RESTART) {
      if (marker !== FIRST_RESTART + (restarts % 8)) return undefined;
      restarts += 1;
    } else if (marker !== 0 && marker !== MARKER) return { end: at, restarts };
    // Many of these may stand side by side: to search for each would take long.
    at = marker === MARKER ? at + 1 : bytes.indexOf(MARKER, at + 2);
  }
  return undefined;
};

/** How many units a scan has: of one component it has only those that show something. */
const unitsOf = (components: readonly Component[], { width, height, components: all }: Frame): number => {
  const most = (side: "across" | "down") => Math.max(...[...all.values()].map((component) => component[side]));
  const [across, down] = [most("across"), most("down")];
  const [only] = components;
  if (components.length > 1 || only === undefined)
    return Math.ceil(width / (UNIT * across)) * Math.ceil(height / (UNIT * down));
  const units = (length: number, samples: number, highest: number) =>
    Math.ceil(Math.ceil((length * samples) / highest) / UNIT);
  return units(width, only.across, across) * units(height, only.down, down);
};
