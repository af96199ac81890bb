import type { NamedResources } from "./color-spaces.ts";

/** The codes of text that a content shows (ISO 32000-2, 7.3.4), in fonts that its file does not bring along or whose glyphs are drawn. */
export class ShownCodes {
  /** By names of fonts: for each code whether it is shown. */
  readonly byFonts = new Map<string, Uint8Array>();
  readonly #resources: NamedResources | null;

  constructor(resources: NamedResources | null) {
    this.#resources = resources;
  }

  /** Takes a string, or a list of some, all of whose tokens are sound. */
  take(text: Buffer, font: string | null): void {
    if (font === null || this.#resources?.agreedCodes(font) === null) return;
    const shown = this.byFonts.get(font) ?? new Uint8Array(CODES);
    this.byFonts.set(font, shown);
    noteCodes(text, shown);
  }

  /** Whether all readers show the same for them, as far as that is known without whoever uses the content. */
  get areAgreed(): boolean {
    return [...this.byFonts].every(([font, shown]) => areAmong(shown, this.#resources?.agreedCodes(font) ?? null));
  }
}

const CODES = 256;

/** Whether codes that are shown are among those that readers agree on; null: on all. */
export const areAmong = (shown: Uint8Array, agreed: ReadonlySet<number> | null): boolean =>
  agreed === null || shown.every((isShown, code) => isShown === 0 || agreed.has(code));

const [OPEN, CLOSE, BACKSLASH, LESS, GREATER, ZERO, SEVEN] = [0x28, 0x29, 0x5c, 0x3c, 0x3e, 0x30, 0x37];
const [RETURN, NEWLINE] = [0x0d, 0x0a];
const escapes: ReadonlyMap<number | undefined, number> = new Map(
  [..."nrtbf"].map((letter, index) => [letter.charCodeAt(0), [0x0a, 0x0d, 0x09, 0x08, 0x0c][index] as number]),
);

const noteCodes = (bytes: Buffer, shown: Uint8Array): void => {
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === OPEN) at = noteString(bytes, at, shown);
    else if (bytes[at] === LESS) {
      const close = bytes.indexOf(GREATER, at);
      for (const code of Buffer.from(evenDigits(bytes.toString("latin1", at + 1, close)), "hex")) shown[code] = 1;
      at = close;
    }
  }
};

/** A digit that is missing at the end is a zero. */
const evenDigits = (text: string): string => {
  const digits = text.replace(/[^\da-fA-F]/g, "");
  return digits.length % 2 === 0 ? digits : `${digits}0`;
};

/** Returns where it ends. */
const noteString = (bytes: Buffer, start: number, shown: Uint8Array): number => {
  let depth = 1;
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === BACKSLASH) {
      at += noteEscape(bytes, at + 1, shown);
      continue;
    }
    if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) depth -= 1;
    if (depth === 0) return at;
    shown[byte] = 1;
  }
  return bytes.length;
};

/** What stands after a backslash, of which the end of a line stands for nothing; returns how long it is. */
const noteEscape = (bytes: Buffer, at: number, shown: Uint8Array): number => {
  const byte = bytes[at] as number;
  if (byte === RETURN || byte === NEWLINE) return byte === RETURN && bytes[at + 1] === NEWLINE ? 2 : 1;
  let [code, length] = [0, 0];
  for (; length < 3 && isOctal(bytes[at + length]); length += 1)
    code = code * 8 + (bytes[at + length] as number) - ZERO;
  shown[length > 0 ? code & 0xff : (escapes.get(byte) ?? byte)] = 1;
  return Math.max(1, length);
};

const isOctal = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= SEVEN;
