import type { NamedResources } from "./color-spaces.ts";

/** The codes of text that a content shows (ISO 32000-2, 7.3.4), in fonts that its file does not bring along. */
export class ShownCodes {
  /** By fonts of whoever uses a content that has no resources of its own: what it shows. */
  readonly borrowed = new Map<string, Set<number>>();
  readonly #resources: NamedResources | null;

  constructor(resources: NamedResources | null) {
    this.#resources = resources;
  }

  /** Whether all readers show the same for a string, or a list of some, as far as that is known here. */
  areShownAlike(text: Buffer, font: string | null): boolean {
    if (font === null) return true;
    if (this.#resources === null) {
      const borrowed = this.borrowed.get(font) ?? new Set();
      for (const code of codesIn(text)) borrowed.add(code);
      this.borrowed.set(font, borrowed);
      return true;
    }
    const agreed = this.#resources.agreedCodes(font);
    if (agreed === null) return true;
    for (const code of codesIn(text)) if (!agreed.has(code)) return false;
    return true;
  }
}

const [OPEN, CLOSE, BACKSLASH, LESS, GREATER, ZERO, SEVEN] = [0x28, 0x29, 0x5c, 0x3c, 0x3e, 0x30, 0x37];
const [RETURN, NEWLINE] = [0x0d, 0x0a];
const escapes: ReadonlyMap<number | undefined, number> = new Map(
  [..."nrtbf"].map((letter, index) => [letter.charCodeAt(0), [0x0a, 0x0d, 0x09, 0x08, 0x0c][index] as number]),
);

/** The codes in a string, or in a list of some; all tokens there are sound. */
function* codesIn(bytes: Buffer): Generator<number> {
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === OPEN) at = yield* codesInString(bytes, at);
    else if (bytes[at] === LESS) {
      const close = bytes.indexOf(GREATER, at);
      yield* Buffer.from(evenDigits(bytes.toString("latin1", at + 1, close)), "hex");
      at = close;
    }
  }
}

/** A digit that is missing at the end is a zero. */
const evenDigits = (text: string): string => {
  const digits = text.replace(/[^\da-fA-F]/g, "");
  return digits.length % 2 === 0 ? digits : `${digits}0`;
};

/** Returns where it ends. */
function* codesInString(bytes: Buffer, start: number): Generator<number, number> {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === BACKSLASH) {
      const { code, length } = escapeAt(bytes, at + 1);
      if (code !== undefined) yield code;
      at += length;
      continue;
    }
    depth += byte === OPEN ? 1 : byte === CLOSE ? -1 : 0;
    if (depth === 0) return at;
    if (at > start) yield byte;
  }
  return bytes.length;
}

/** What stands after a backslash; an end of a line stands for nothing. */
const escapeAt = (bytes: Buffer, at: number): { code: number | undefined; length: number } => {
  const byte = bytes[at] as number;
  if (byte === RETURN || byte === NEWLINE)
    return { code: undefined, length: byte === RETURN && bytes[at + 1] === NEWLINE ? 2 : 1 };
  let [code, length] = [0, 0];
  for (; length < 3 && isOctal(bytes[at + length]); length += 1)
    code = code * 8 + (bytes[at + length] as number) - ZERO;
  return length > 0 ? { code: code & 0xff, length } : { code: escapes.get(byte) ?? byte, length: 1 };
};

const isOctal = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= SEVEN;
