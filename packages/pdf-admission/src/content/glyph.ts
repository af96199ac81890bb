import type { Operator } from "@rubrica/pdf-reading/content-operators";
import { ColorSpaces, type NamedResources } from "./color-spaces.ts";
import { type Box, Extents } from "./extents.ts";
import type { Step } from "./operator-order.ts";
import type { Matrix } from "./shifts.ts";

/**
 * A glyph that a content draws (ISO 32000-2, 9.6.4). Where it says the box that it lies in (`d1`), it has the color of the
 * text: some readers cut it off at that box, and some heed colors that it sets. Where it says its width alone (`d0`), some
 * draw it in black, or as if nothing could be seen through it, as far as it sets no color.
 */

/** How far a glyph may reach beyond its box, as a share of its larger side. */
const BEYOND = 0.02;
/** Larger numbers are not written. */
const FARTHEST = 1_000_000;

/** What tells the width of a glyph, and where that stands. */
interface Told {
  start: number;
  end: number;
  widths: string;
  box: Box | null;
}

export class Glyph {
  readonly #told: Told;
  readonly #resources: NamedResources | null;
  readonly #extents = new Extents();
  #isColored = false;
  #hasInherited = false;
  /** Whether something else than an area has the color of the text. */
  #hasDoubtful = false;
  #paintings = 0;

  constructor(told: Told, resources: NamedResources | null) {
    this.#told = told;
    this.#resources = resources;
  }

  /** Takes an operator; `isInherited`: whether it draws in the color of the text. */
  goOn(operator: Operator, values: Float64Array, matrix: Matrix, named: string, isInherited: boolean): Step {
    const { name, kind } = operator;
    const hasBox = this.#told.box !== null;
    const isColor = ColorSpaces.heeds(name) && ColorSpaces.isColor(name);
    if (isColor && hasBox) return "dropped";
    const isOfOwn = name === "Do" && this.#resources?.isMask(named) !== true;
    const isRefused =
      name === "sh" ||
      (name === "gs" && this.#resources?.isPlainState(named) !== true) ||
      (hasBox && (isOfOwn || kind === "begin_text")) ||
      (isInherited && kind === "text");
    this.#isColored ||= isColor || isOfOwn;
    if ((kind === "paint" && name !== "n") || kind === "image" || name === "Do") this.#paintings += 1;
    if (isInherited && !isOfOwn) this.#hasInherited = true;
    if (isInherited && !isOfOwn) this.#hasDoubtful ||= kind !== "paint" || /[sSbB]/.test(name);
    this.#extents.goOn(operator, values, matrix);
    return isRefused ? "refused" : "taken";
  }

  /** Whether it has colors of its own. */
  get isColored(): boolean {
    return this.#told.box === null && this.#isColored;
  }

  /** Whether it draws more than once: some readers see each by itself through what the text is seen through. */
  get isRepeated(): boolean {
    return this.#paintings > 1;
  }

  /** What stands instead of what tells its width; undefined where that stays, null where nothing can. */
  outcome(): { start: number; end: number; instead: string } | null | undefined {
    const { start, end, widths, box } = this.#told;
    const drawn = this.#extents.drawn;
    if (box === null && this.#isColored) return this.#hasDoubtful ? null : undefined;
    if (drawn === undefined || (box === null ? !this.#hasInherited : !isBeyond(drawn, box))) return undefined;
    if (drawn.some((side) => Math.abs(side) > FARTHEST)) return null;
    return { start, end, instead: `${widths}${widened(drawn)} d1` };
  }
}

const isBeyond = (drawn: Box, [x, y, otherX, otherY]: Box): boolean => {
  const [left, right] = [Math.min(x, otherX), Math.max(x, otherX)];
  const [bottom, top] = [Math.min(y, otherY), Math.max(y, otherY)];
  if (left === right || bottom === top) return true;
  const most = BEYOND * Math.max(right - left, top - bottom);
  const beyond = Math.max(left - drawn[0], bottom - drawn[1], drawn[2] - right, drawn[3] - top);
  return beyond > most;
};

/** A box with a margin around what is drawn. */
const widened = ([left, bottom, right, top]: Box): string => {
  const margin = Math.max(right - left, top - bottom) * BEYOND;
  const rounded = (side: number) => String(Number(side.toFixed(4)));
  return [left - margin, bottom - margin, right + margin, top + margin].map(rounded).join(" ");
};
