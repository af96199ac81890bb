import type { Operator } from "@rubrica/pdf-reading/content-operators";
import type { DrawnWith, Shade } from "../colors/shadings.ts";
import { type Limits, UNIT, within } from "../colors/values.ts";
import type { AgreedCodes } from "../fonts/agreed-codes.ts";
import type { Shifting } from "../fonts/shifting.ts";
import type { StateEffect } from "./state-effects.ts";

/** Which color space is used for filling and for lines: how many components a color has depends on it. */

/** A color space: how many components its colors have, of patterns those that come with the pattern's name. */
export interface Space {
  count: number;
  isPattern: boolean;
  /** The last number of its table, where its colors are numbers of one. */
  most?: number | undefined;
  /** Whether its first color, which is used until one is chosen, is plain black. */
  startsBlack: boolean;
  /** What its components may be, where not all readers bound them. */
  limits?: readonly Limits[] | undefined;
}

/** What a content's resources have by its names. */
export interface NamedResources {
  hasFont(name: string): boolean;
  /** Whether the glyphs of a font are contents. */
  isDrawnFont(name: string): boolean;
  /** Whether a font is one of text that the file does not bring along. */
  isBorrowedFont(name: string): boolean;
  /** How far the widest glyph of a font moves text, as a share of the text's size. */
  widestGlyphOf(name: string): number;
  /** The codes for which all readers show the same of a font; null where there is no such font. */
  agreedCodes(name: string): AgreedCodes | null;
  /** Codes of a font that move what follows for some readers only; undefined where it is not known. */
  shiftingOf(name: string): Shifting | undefined;
  has(category: string, name: string): boolean;
  /** Undefined where there is none, or one that is broken. */
  space(name: string): Space | undefined;
  /** Whether a pattern takes its color from who uses it. */
  isPattern(name: string): boolean;
  isUncoloredPattern(name: string): boolean;
  /** Whether a pattern is of cells, each a content. */
  isTiling(name: string): boolean;
  /** What all readers draw alike with a pattern of a shading; undefined where it is none. */
  drawnWith(name: string): DrawnWith | undefined;
  /** What a shading leaves to what lies under it; undefined where there is none. */
  shading(name: string): Shade | undefined;
  /** Whether it is a form. */
  isForm(name: string): boolean;
  /** Whether it is a picture that has its own colors. */
  isPicture(name: string): boolean;
  /** Whether it is a picture that takes its color from who uses it. */
  isMask(name: string): boolean;
  /** Whether a graphics state leaves what is drawn as it is, but for what it is seen through. */
  isPlainState(name: string): boolean;
  /** What a graphics state does to what is drawn with it; undefined where there is none. */
  effectOf(name: string): StateEffect | undefined;
}

const plain = (count: number): Space => ({ count, isPattern: false, startsBlack: count < 4 });
const GRAY = plain(1);
const ofDevice: Readonly<Record<string, Space>> = {
  DeviceGray: GRAY,
  DeviceRGB: plain(3),
  DeviceCMYK: { ...plain(4), limits: [UNIT, UNIT, UNIT, UNIT] },
  Pattern: { count: 0, isPattern: true, startsBlack: false },
};
const setters: Readonly<Record<string, Space>> = { g: GRAY, rg: plain(3), k: plain(4) };
const NOWHERE = [0, 0] as const;
const BLACK = [0, 0, 0] as const;
/** Of a color whose components are read: they are read whenever something is drawn with it. */
const MOST_BYTES = 200;
const PLAIN_NUMBER = /^(?:\d+\.?\d*|\.\d+)$/;
const SHOWING = new Set(["Tj", "TJ", "'", '"']);
const heeded = new Set("q Q g rg k cs sc scn G RG K CS SC SCN".split(" "));

/** What is filled or drawn with. */
interface Chosen {
  /** Null is what a form, a pattern or a glyph was begun with. */
  space: Space | null;
  isBlack: boolean;
  /** Whether a space was chosen and no color yet: some readers then keep the former one. */
  isUnset: boolean;
  /** Where in the content its components stand. */
  said: readonly [start: number, end: number];
}

interface Both {
  fill: Chosen;
  stroke: Chosen;
}

/** Follows the color spaces of a content. */
export class ColorSpaces {
  readonly #resources: NamedResources | null;
  readonly #saved: Both[] = [];
  #both: Both;

  constructor(resources: NamedResources | null, isPage: boolean) {
    this.#resources = resources;
    const begun = { space: isPage ? GRAY : null, isBlack: isPage, isUnset: false, said: NOWHERE };
    this.#both = { fill: begun, stroke: begun };
  }

  /** Whether an operator does something to colors, or brings former ones back. */
  static heeds(name: string): boolean {
    return heeded.has(name);
  }

  /** Whether an operator sets a color. */
  static isColor(name: string): boolean {
    return name !== "q" && name !== "Q";
  }

  /** Whether an operator that draws would draw in a color that was not chosen. */
  isUnsetFor(operator: Operator): boolean {
    const { fill, stroke } = this.#both;
    return (fill.isUnset || stroke.isUnset) && this.#isOf(operator, (one) => one.isUnset);
  }

  /** Whether it would draw in a color that a form, a pattern or a glyph was begun with. */
  isInheritedFor(operator: Operator): boolean {
    return this.#isOf(operator, (one) => one.space === null);
  }

  /** Whether areas, or lines, are drawn with a pattern; null where they are as a form, a pattern or a glyph was begun. */
  isPatternFor(which: keyof Both): boolean | null {
    const { space } = this.#both[which];
    return space === null ? null : space.isPattern;
  }

  /** Red, green and blue of areas, or of lines; null where the color is of another space, or oddly written. */
  lightIn(content: Buffer, which: keyof Both): readonly number[] | null {
    const { space, isBlack, said } = this.#both[which];
    if (space?.startsBlack !== true) return null;
    if (isBlack) return BLACK;
    if (said[1] - said[0] > MOST_BYTES) return null;
    const values = content.toString("latin1", ...said).match(/[^\0 \t\r\n\f]+/g) ?? [];
    if (values.length !== space.count || !values.every((value) => PLAIN_NUMBER.test(value))) return null;
    const light = values.map((value) => Math.min(Number(value), 1));
    return light.length === 1 ? [...light, ...light, ...light] : light;
  }

  /** Whether black was chosen by an operator that sets a color. */
  isBlackBy(name: string): boolean {
    return this.#both[name === name.toLowerCase() ? "fill" : "stroke"].isBlack;
  }

  #isOf({ name, kind }: Operator, isSuch: (chosen: Chosen) => boolean): boolean {
    if (kind === "text" && !SHOWING.has(name)) return false;
    const [fills, strokes] = kind === "paint" ? [/[fFbB]/.test(name), /[sSbB]/.test(name)] : [true, false];
    return (fills && isSuch(this.#both.fill)) || (strokes && isSuch(this.#both.stroke));
  }

  /** How many components a color has too many. */
  surplusOf(name: string, numbers: number): number {
    const lower = name.toLowerCase();
    const space = lower.startsWith("sc") ? this.#both[lower === name ? "fill" : "stroke"].space : null;
    return space === null || space.isPattern ? 0 : Math.max(0, numbers - space.count);
  }

  /** Whether a color has components beyond those that there are: readers bound them each in its own way. */
  isBeyond(name: string, values: Float64Array, numbers: number): boolean {
    const lower = name.toLowerCase();
    const space = lower.startsWith("sc") ? this.#both[lower === name ? "fill" : "stroke"].space : null;
    const isOff = (limits: Limits, value: number) =>
      !within(value, limits) || (space?.most !== undefined && !Number.isInteger(value));
    return space?.limits?.some((limits, index) => index < numbers && isOff(limits, values[index] ?? 0)) ?? false;
  }

  /**
   * Takes one of these. False where readers may not take the same color.
   * @param numbers how many there are before it
   * @param named what is named after them
   * @param isZero whether all of the numbers are 0
   * @param said where they stand
   */
  take(name: string, numbers: number, named: string | null, isZero: boolean, said: Chosen["said"]): boolean {
    if (name === "q") this.#saved.push(this.#both);
    else if (name === "Q") this.#both = this.#saved.pop() ?? this.#both;
    else return this.#color(name, numbers, named, isZero, said);
    return true;
  }

  #color(name: string, numbers: number, named: string | null, isZero: boolean, said: Chosen["said"]): boolean {
    const lower = name.toLowerCase();
    const which = lower === name ? "fill" : "stroke";
    const former = this.#both[which];
    const isColor = lower.startsWith("sc");
    const space = isColor ? former.space : (setters[lower] ?? this.#spaceOf(named ?? ""));
    if (space === undefined) return false;
    const startsBlack = space?.startsBlack ?? false;
    const isChosen = lower !== "cs";
    // Black stays black, whether it is kept or is the first of the space.
    const isBlack = startsBlack && (isChosen ? isZero : former.isBlack);
    this.#both = { ...this.#both, [which]: { space, isBlack, isUnset: !isChosen && !isBlack, said } };
    // PDFium draws lines in black then.
    if (name === "SCN" && named !== null && this.#resources?.isUncoloredPattern(named)) return false;
    return !isColor || this.#isColorOf(space, lower, numbers, named);
  }

  /** Undefined where there is none; of unknown resources, one of which nothing is known. */
  #spaceOf(name: string): Space | null | undefined {
    return ofDevice[name] ?? (this.#resources === null ? null : this.#resources.space(name));
  }

  #isColorOf(space: Space | null, operator: string, numbers: number, named: string | null): boolean {
    if (named !== null && operator === "sc") return false;
    if (space === null) return true;
    if (!space.isPattern) return named === null && numbers === space.count;
    // pdf.js draws nothing of a page after a pattern that is none.
    if (named === null || this.#resources?.isPattern(named) === false) return false;
    const isUncolored = this.#resources?.isUncoloredPattern(named) ?? false;
    return isUncolored ? space.count > 0 && numbers === space.count : numbers === 0 || numbers === space.count;
  }
}
