import type { Operator } from "@rubrica/pdf-reading/content-operators";

/**
 * What a content draws with that it has not set itself (ISO 32000-2, 8.4.1): widths, dashes and colors of lines, and how
 * text is set. Each reader begins a form, a pattern, a mask or a glyph with other ones of who uses it.
 */

/** Bits of what may be set. */
export const Setting = {
  width: 1,
  dashes: 2,
  ends: 4,
  fill: 8,
  stroke: 16,
  mode: 32,
  characters: 64,
  words: 128,
  scale: 256,
  rise: 512,
  leading: 1024,
  /** Whether areas, or lines, have a pattern. */
  fillPattern: 2048,
  strokePattern: 4096,
  corners: 8192,
  miter: 16384,
  /** Whether letters are drawn by lines around them. */
  outline: 32768,
  /** Whether areas or lines have another color than black, or a pattern: some readers draw lines of glyphs as areas are. */
  color: 65536,
} as const;

const { width, dashes, ends, corners, miter, fill, stroke, fillPattern, strokePattern } = Setting;
const { mode, characters, words, scale, rise, leading, outline, color } = Setting;
const LINES = width | dashes | ends | corners | miter;
const [FILL, STROKE] = [fill | fillPattern, stroke | strokePattern];
const TEXT = mode | characters | words | scale | rise;
const COLORS = FILL | STROKE;
const ALL = 65535;

/** Operators that set one, and what a page begins with. */
const setters: Readonly<Record<string, readonly [bit: number, plain: number]>> = {
  w: [width, 1],
  J: [ends, 0],
  j: [corners, 0],
  M: [miter, 10],
  Tr: [mode, 0],
  Tc: [characters, 0],
  Tw: [words, 0],
  Tz: [scale, 100],
  Ts: [rise, 0],
  TL: [leading, 0],
};
const TEXT_OPERATORS: Readonly<Record<string, number>> = { Tj: TEXT, TJ: TEXT, "T*": leading, "'": TEXT | leading };

const withColor = (bits: number): number => ((bits & COLORS) > 0 ? bits | color : bits);

/** What is given to something that a content uses: what is set otherwise than on a new page, and what was not set at all. */
export interface Given {
  altered: number;
  unset: number;
}

/** What a content was found to draw with, and to give by category and name of what it uses. */
export interface Begun {
  /** Bits of what it draws with and has not set. */
  relied: number;
  given: ReadonlyMap<string, ReadonlyMap<string, Given>>;
  /** What it sets otherwise than on a new page, at any time. */
  everAltered: number;
}

interface State extends Given {
  /** Names of the patterns that areas and lines are drawn with. */
  patterns: readonly [fill: string | null, stroke: string | null];
  isOutlined: boolean;
}

/** Follows what a content sets, draws with, and gives to what it uses. */
export class BegunWith {
  #relied = 0;
  readonly #given = new Map<string, Map<string, Given>>();
  readonly #saved: State[] = [];
  #state: State;
  #everAltered = 0;
  #last: readonly [State | null, string | null] = [null, null];

  /** @param isPage which begins with nothing set */
  constructor(isPage: boolean) {
    this.#state = { altered: 0, unset: isPage ? 0 : ALL, patterns: [null, null], isOutlined: false };
  }

  /** MuPDF draws masks with what is set when something is drawn through them. */
  outcome(): Begun {
    for (const given of this.#given.get("ExtGState")?.values() ?? []) given.altered |= this.#everAltered;
    return { relied: this.#relied, given: this.#given, everAltered: this.#everAltered };
  }

  /** Takes an operator; `value`: its first number, or how many dashes there are; `font`: the one that text is in; `isDrawn`: its glyphs may be contents. */
  goOn({ name, kind }: Operator, value: number, font: string | null, isDrawn: boolean): void {
    if (kind === "save") this.#saved.push(this.#state);
    else if (kind === "restore") this.#state = this.#saved.pop() ?? this.#state;
    else if (kind === "paint") this.#paint(name);
    else if (kind === "image") this.#rely(FILL);
    else if (kind === "text") this.#text(name, font, isDrawn);
    else if (name === "d") this.#set(dashes, value > 0);
    else {
      const [bit, plain] = setters[name] ?? [0, 0];
      if (bit > 0) this.#set(bit, value !== plain);
      if (name === "Tr") this.#setMode(value === 1 || value === 2);
    }
  }

  /** Takes a color; `pattern`: its name, undefined where it is none. MuPDF begins patterns with the color before these. */
  color(name: string, pattern: string | null | undefined, isBlack: boolean): void {
    const isFill = name === name.toLowerCase();
    const [ofFill, ofStroke] = this.#state.patterns;
    if (pattern === undefined) this.#set(isFill ? fill : stroke, !isBlack);
    this.#set(isFill ? fillPattern : strokePattern, pattern !== undefined);
    this.#state = { ...this.#state, patterns: isFill ? [pattern ?? null, ofStroke] : [ofFill, pattern ?? null] };
  }

  /** Names of the patterns that areas and lines are drawn with now, where they are. */
  get patterns(): readonly [areas: string | null, lines: string | null] {
    return this.#state.patterns;
  }

  /** Takes bits that a graphics state sets. */
  takeState(bits: number): void {
    if (bits > 0) this.#set(bits, true);
  }

  /** Draws a picture of bits, in the color that areas have. */
  drawMask(): void {
    this.#rely(FILL);
  }

  /** It uses something as it is now; `but`: bits that are not given to it. */
  give(category: string, name: string, but = 0): void {
    const names = this.#given.get(category) ?? new Map<string, Given>();
    this.#given.set(category, names);
    const altered = withColor(this.#state.altered);
    const unset = withColor(this.#state.unset);
    const former = names.get(name);
    names.set(name, { altered: (altered & ~but) | (former?.altered ?? 0), unset: unset | (former?.unset ?? 0) });
  }

  #set(bits: number, isAltered: boolean): void {
    const { altered, unset } = this.#state;
    const now = isAltered ? altered | bits : altered & ~bits;
    if (now === altered && (unset & bits) === 0) return;
    this.#state = { ...this.#state, altered: now, unset: unset & ~bits };
    this.#everAltered |= now;
  }

  #setMode(isOutlined: boolean): void {
    this.#set(outline, isOutlined);
    this.#state = { ...this.#state, isOutlined };
  }

  #rely(bits: number): void {
    const { unset, patterns } = this.#state;
    const [ofFill, ofStroke] = patterns;
    const relied = bits & unset & ~((ofFill === null ? 0 : fill) | (ofStroke === null ? 0 : stroke));
    this.#relied |= (relied & STROKE) > 0 ? relied | color : relied;
    if (ofFill !== null) this.give("Pattern", ofFill, fillPattern);
    if (ofStroke !== null) this.give("Pattern", ofStroke, strokePattern);
  }

  #paint(name: string): void {
    const isStroked = /[sSbB]/.test(name);
    if (name !== "n") this.#rely((isStroked ? LINES | STROKE : 0) | (/[fFbB]/.test(name) ? FILL : 0));
  }

  #text(name: string, font: string | null, isOfContents: boolean): void {
    if (name === '"') this.#set(words | characters, true);
    if (name === "TD") this.#set(leading, true);
    const needed = name === '"' ? TEXT | leading : (TEXT_OPERATORS[name] ?? 0);
    if (needed === 0) return;
    if (this.#last[0] === this.#state && this.#last[1] === font && needed === TEXT) return;
    const isDrawn = (needed & TEXT) > 0;
    if (isDrawn) this.#last = [this.#state, font];
    this.#rely(needed | (isDrawn ? FILL : 0) | (isDrawn && this.#state.isOutlined ? LINES | STROKE : 0));
    if (isDrawn && isOfContents) this.#rely(outline);
    if (isDrawn && font !== null) this.give("Font", font);
  }
}
