import type { AgreedCodes } from "../fonts/agreed-codes.ts";
import { isMapped, type MappedCodes } from "../fonts/code-maps.ts";
import { FOLLOWED } from "../fonts/shifting.ts";
import type { NamedResources } from "./color-spaces.ts";

/** What a content shows of a font. */
export interface Shown {
  /** For each byte of its strings whether it is there; beyond these whether something follows it that it may move. */
  codes: Uint8Array;
  /** Codes of two bytes, where it matters which: of fonts that are not known, or bring a map of them along. */
  pairs: Set<number>;
  /** The last one of these, and whether some string ends in half of one. */
  lastPair: number;
  isHalved: boolean;
  /** Whether all of its codes are those of a font that has some of one byte and some of two; null where it isn't known. */
  isMixedWell: boolean | null;
}

/** The codes of text that a content shows (ISO 32000-2, 7.3.4), in fonts of which not all readers show the same for all of them. */
export class ShownCodes {
  /** By names of fonts. */
  readonly byFonts = new Map<string, Shown>();
  readonly #resources: NamedResources | null;

  constructor(resources: NamedResources | null) {
    this.#resources = resources;
  }

  /** Takes a string, or a list of some, all of whose tokens are sound. */
  take(text: Buffer, font: string | null): void {
    if (font === null) return;
    const agreed = this.#resources?.agreedCodes(font);
    if (agreed === null || (agreed?.codes === null && agreed.pairs === null && agreed.mixed === null)) return;
    const shown = this.#shownIn(font);
    const mixed = agreed?.mixed ?? null;
    if (mixed !== null) shown.isMixedWell = shown.isMixedWell !== false && areMixedWell(text, mixed);
    const keepsPairs = agreed === undefined || (agreed.pairs?.mapped ?? null) !== null;
    let [count, first] = [0, 0];
    const take = (code: number) => {
      shown.codes[code] = 1;
      if (count % 2 === 1) shown.lastPair = Math.max(shown.lastPair, first * BYTE + code);
      if (count % 2 === 1 && keepsPairs) shown.pairs.add(first * BYTE + code);
      first = code;
      count += 1;
    };
    eachCode(text, take, () => {
      shown.isHalved ||= count % 2 === 1;
      count = 0;
    });
  }

  /** Takes a code that something follows which it may move. */
  follow(font: string, code: number): void {
    this.#shownIn(font).codes[FOLLOWED + code] = 1;
  }

  #shownIn(font: string): Shown {
    const shown = this.byFonts.get(font) ?? {
      codes: new Uint8Array(FOLLOWED + BYTE),
      pairs: new Set<number>(),
      lastPair: 0,
      isHalved: false,
      isMixedWell: null,
    };
    this.byFonts.set(font, shown);
    return shown;
  }

  /** Whether all readers show the same for them, as far as that is known without whoever uses the content. */
  get areAgreed(): boolean {
    return [...this.byFonts].every(([font, shown]) => {
      const agreed = this.#resources?.agreedCodes(font);
      return !agreed || areAmong(shown, agreed);
    });
  }
}

const BYTE = 256;

/** Whether codes that are shown are among those that readers agree on. */
export const areAmong = ({ codes, pairs, lastPair, isHalved, isMixedWell }: Shown, agreed: AgreedCodes): boolean => {
  if (agreed.mixed !== null && isMixedWell !== true) return false;
  if (agreed.pairs !== null && (isHalved || lastPair > agreed.pairs.last)) return false;
  const mapped = agreed.pairs?.mapped ?? null;
  if (mapped !== null && ![...pairs].every((pair) => isMapped(pair, mapped))) return false;
  return codes.every((isShown, code) => isShown === 0 || agreed.codes?.has(code) !== false);
};

/** Whether strings are of codes that a font has, each as long as its first byte says. */
const areMixedWell = (text: Buffer, mixed: readonly MappedCodes[]): boolean => {
  let [areWell, begun, left] = [true, 0, 0];
  let codes: MappedCodes | undefined;
  const take = (byte: number) => {
    if (left === 0) {
      codes = mixed.find(({ starts }) => starts.some(([first, last]) => byte >= first && byte <= last));
      [begun, left] = [0, codes?.bytes ?? 1];
    }
    begun = begun * BYTE + byte;
    left -= 1;
    if (left === 0) areWell &&= codes !== undefined && isMapped(begun, codes);
  };
  eachCode(text, take, () => {
    areWell &&= left === 0;
    left = 0;
  });
  return areWell;
};

const [OPEN, CLOSE, BACKSLASH, LESS, GREATER, ZERO, SEVEN] = [0x28, 0x29, 0x5c, 0x3c, 0x3e, 0x30, 0x37];
const [RETURN, NEWLINE] = [0x0d, 0x0a];
const escapes: ReadonlyMap<number | undefined, number> = new Map(
  [..."nrtbf"].map((letter, index) => [letter.charCodeAt(0), [0x0a, 0x0d, 0x09, 0x08, 0x0c][index] as number]),
);

/** Takes a code of text, and where it is written. */
type Take = (code: number, start: number, end: number) => void;

/** Goes through the codes of a string, or of a list of some, all of whose tokens are sound; tells where each string ends. */
export const eachCode = (bytes: Buffer, take: Take, ended: () => void = () => {}): void => {
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== OPEN && bytes[at] !== LESS) continue;
    at = bytes[at] === OPEN ? inString(bytes, at, take) : inDigits(bytes, at, take);
    ended();
  }
};

/** The value of each byte as a hexadecimal digit; -1 for those that are none. */
const digitValues = Int8Array.from({ length: BYTE }, (_, byte) =>
  "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase()),
);

/** Returns where it ends. A digit that is missing at the end is a zero. */
const inDigits = (bytes: Buffer, start: number, take: Take): number => {
  const close = bytes.indexOf(GREATER, start);
  let [code, first] = [0, -1];
  for (let at = start + 1; at < close; at += 1) {
    const digit = digitValues[bytes[at] as number] as number;
    if (digit < 0) continue;
    if (first < 0) [code, first] = [digit * 16, at];
    else {
      take(code + digit, first, at + 1);
      first = -1;
    }
  }
  if (first >= 0) take(code, first, first + 1);
  return close;
};

/** Returns where it ends. */
const inString = (bytes: Buffer, start: number, take: Take): number => {
  let depth = 1;
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === BACKSLASH) {
      at += afterBackslash(bytes, at + 1, take);
      continue;
    }
    if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) depth -= 1;
    if (depth === 0) return at;
    take(byte, at, at + 1);
  }
  return bytes.length;
};

/** What stands after a backslash, of which the end of a line stands for nothing; returns how long it is. */
const afterBackslash = (bytes: Buffer, at: number, take: Take): number => {
  const byte = bytes[at] as number;
  if (byte === RETURN || byte === NEWLINE) return byte === RETURN && bytes[at + 1] === NEWLINE ? 2 : 1;
  let [code, length] = [0, 0];
  for (; length < 3 && isOctal(bytes[at + length]); length += 1)
    code = code * 8 + (bytes[at + length] as number) - ZERO;
  const end = at + Math.max(1, length);
  take(length > 0 ? code & 0xff : (escapes.get(byte) ?? byte), at - 1, end);
  return end - at;
};

const isOctal = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= SEVEN;
