import type { Operator } from "./operators.ts";

/** Which color space is used for filling and for lines: how many components a color has depends on it. */

/** A color space: how many components its colors have, of patterns those that come with the pattern's name. */
export interface Space {
  count: number;
  isPattern: boolean;
}

/** What a content's resources have by its names. */
export interface NamedResources {
  hasFont(name: string): boolean;
  /** Undefined where there is none, or one that is broken. */
  space(name: string): Space | undefined;
  /** Whether a pattern takes its color from who uses it. */
  isUncoloredPattern(name: string): boolean;
}

const plain = (count: number): Space => ({ count, isPattern: false });
const GRAY = plain(1);
const ofDevice: Readonly<Record<string, Space>> = {
  DeviceGray: GRAY,
  DeviceRGB: plain(3),
  DeviceCMYK: plain(4),
  Pattern: { count: 0, isPattern: true },
};
const setters: Readonly<Record<string, Space>> = { g: GRAY, rg: plain(3), k: plain(4) };
const heeded = new Set("q Q g rg k cs sc scn G RG K CS SC SCN".split(" "));

/** Both spaces; null is what a form, a pattern or a glyph was begun with. */
interface Spaces {
  fill: Space | null;
  stroke: Space | null;
  /** Whether a space was chosen and no color yet: some readers then keep the former one. */
  isFillUnset: boolean;
  isStrokeUnset: boolean;
}

/** Follows the color spaces of a content. */
export class ColorSpaces {
  readonly #resources: NamedResources | null;
  readonly #saved: Spaces[] = [];
  #spaces: Spaces;

  constructor(resources: NamedResources | null, isPage: boolean) {
    this.#resources = resources;
    this.#spaces = {
      fill: isPage ? GRAY : null,
      stroke: isPage ? GRAY : null,
      isFillUnset: false,
      isStrokeUnset: false,
    };
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
  isUnsetFor({ name, place }: Operator): boolean {
    const { isFillUnset, isStrokeUnset } = this.#spaces;
    const [fills, strokes] = place === "paint" ? [/[fFbB]/.test(name), /[sSbB]/.test(name)] : [true, false];
    return (isFillUnset && fills) || (isStrokeUnset && strokes);
  }

  /** How many components a color has too many. */
  surplusOf(name: string, numbers: number): number {
    const lower = name.toLowerCase();
    const space = lower.startsWith("sc") ? this.#spaces[lower === name ? "fill" : "stroke"] : null;
    return space === null || space.isPattern ? 0 : Math.max(0, numbers - space.count);
  }

  /**
   * Takes one of these. False where readers may not take the same color.
   * @param numbers how many there are before it
   * @param named what is named after them
   */
  take(name: string, numbers: number, named: string | null): boolean {
    if (name === "q") this.#saved.push(this.#spaces);
    else if (name === "Q") this.#spaces = this.#saved.pop() ?? this.#spaces;
    else return this.#color(name, numbers, named);
    return true;
  }

  #color(name: string, numbers: number, named: string | null): boolean {
    const lower = name.toLowerCase();
    const which = lower === name ? "fill" : "stroke";
    const isColor = lower.startsWith("sc");
    const space = isColor ? this.#spaces[which] : (setters[lower] ?? this.#spaceOf(named ?? ""));
    if (space === undefined) return false;
    const isUnset = lower === "cs";
    this.#spaces =
      which === "fill"
        ? { ...this.#spaces, fill: space, isFillUnset: isUnset }
        : { ...this.#spaces, stroke: space, isStrokeUnset: isUnset };
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
    if (named === null) return false;
    const isUncolored = this.#resources?.isUncoloredPattern(named) ?? false;
    return isUncolored ? space.count > 0 && numbers === space.count : numbers === 0 || numbers === space.count;
  }
}
