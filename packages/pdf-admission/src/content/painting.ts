import type { Operator } from "@rubrica/pdf-reading/content-operators";
import type { DrawnWith } from "../colors/shadings.ts";
import { ColorSpaces, type NamedResources } from "./color-spaces.ts";
import { DashedBoxes } from "./dashed-boxes.ts";
import { isAlikeOver, isSteady } from "./mixing.ts";
import type { Edit } from "./reading.ts";
import type { Matrix } from "./shifts.ts";
import type { StateEffect } from "./state-effects.ts";
import { Strokes } from "./strokes.ts";
import type { Tokens } from "./tokens.ts";
import { Manner, type Used } from "./used.ts";

/** What a content draws with: patterns, masks and lines that not all readers draw by. */

const DRAWING = new Set<Operator["kind"]>(["paint", "page", "image"]);
const FILLING = new Set(["f", "F", "f*"]);
const SHOWING = new Set(["Tj", "TJ", "'", '"']);
/** Lines around letters that are no wider than that, as a share of these, look the same whether letters are seen through them. */
const THIN = 1 / 16;
const MIXED = Manner.blended | Manner.masked;
const SEEN_THROUGH = Manner.clear | MIXED;

export class Painting {
  readonly #resources: NamedResources | null;
  readonly #colors: ColorSpaces;
  readonly #used: Used;
  readonly #strokes: Strokes;
  readonly #dashes: DashedBoxes;
  #wasText = false;
  #isClip = false;

  /** @param isPage in others, colors and lines may be what whoever uses them set */
  constructor(resources: NamedResources | null, colors: ColorSpaces, used: Used, isPage: boolean) {
    this.#resources = resources;
    this.#colors = colors;
    this.#used = used;
    this.#strokes = new Strokes(isPage);
    this.#dashes = new DashedBoxes(isPage);
  }

  get dashedBoxes(): { edits: readonly Edit[]; areLong: boolean } {
    return this.#dashes;
  }

  /** Whether lines are dashed, or may be as who uses the content has it. */
  get mayBeDashed(): boolean {
    return this.#dashes.isDashed || this.#dashes.isAsBegun;
  }

  /** The length of the longest dash or gap; 0 without dashes, or where they are as who uses the content has them. */
  get longestDash(): number {
    return this.#dashes.longest;
  }

  /**
   * Takes an operator of a content, where its operands begin, and how large letters are; whether all readers draw alike what
   * it draws.
   */
  goOn(operator: Operator, values: Float64Array, tokens: Tokens, from: number, letter: number): boolean {
    const { name, kind } = operator;
    if (
      !this.#strokes.goOn(operator, values, tokens) ||
      !this.#dashes.goOn(operator, values, tokens, [from, tokens.at])
    )
      return false;
    const isText = kind === "text" && SHOWING.has(name);
    const hasLines = isText ? this.#strokes.isOutlined : kind === "paint" && /[sSbB]/.test(name);
    if (hasLines && this.#strokes.areOfSquares) return false;
    this.#used.sets.dashesBoxes ||= this.#dashes.areAsBegun || (hasLines && this.#strokes.maySquareDots);
    // Poppler draws lines around letters in black.
    if (isText && this.#strokes.isOutlined && this.#colors.isPatternFor("stroke") === true) return false;
    // MuPDF does not see letters through that have the colors of a shading.
    const isPatterned = isText && this.#colors.isPatternFor("fill") === true;
    this.#used.sets.patternsText ||= isPatterned;
    if (isPatterned && this.#used.hasClearAreas) return false;
    if (isText && !this.#isLinedAlike()) return false;
    if (isText && this.#strokes.isBoth && !this.#areThinAround(letter)) {
      // Two readers show letters through their lines, two do not.
      if (this.#used.hasClearLines) return false;
      this.#used.sets.outlinesText ||= this.#used.hasClearLines === undefined;
    }
    const outlines = kind === "paint" && /[bB]/.test(name);
    this.#used.sets.outlines ||= outlines;
    const isCutting = this.#isClip && kind === "paint" && name !== "n";
    this.#isClip = kind === "clip";
    this.#used.sets.cutsByDrawn ||= isCutting;
    // pdf.js draws what is cut without its mask, and Poppler prints without colors that are mixed.
    if (isCutting && (this.#used.manner & MIXED) !== 0) return false;
    // Poppler prints it as if there were no mask, and so lines; areas, other pictures and groups it does not.
    if (isText && this.#used.isMasked) return false;
    this.#count(operator, isText, hasLines);
    if ((isText || outlines) && (this.#used.manner & Manner.blended) !== 0 && !this.#isMixedAlike(tokens.bytes, isText))
      return false;
    return (!isText && !DRAWING.has(kind)) || this.#used.isDrawnAlike;
  }

  /** Whether lines are thin around letters of a size, in a font that has letters as large as that. */
  #areThinAround(letter: number): boolean {
    const { width } = this.#strokes;
    const { font } = this.#used;
    return width !== null && width <= THIN * letter && font !== null && this.#resources?.isBorrowedFont(font) === true;
  }

  /**
   * Whether all readers draw lines around letters alike: pdf.js sees them through as it sees areas, and each begins dashes
   * elsewhere on a letter.
   */
  #isLinedAlike(): boolean {
    const { sets, manner } = this.#used;
    const isUnlike = (manner & Manner.unlike) !== 0 || this.#dashes.isDashed;
    const isAsBegun = this.#strokes.isBoth === undefined;
    sets.showsText = true;
    sets.showsTextAsBegun ||= isAsBegun;
    sets.linesText ||= this.#strokes.isOutlined;
    sets.linesTextUnlike ||= isAsBegun && isUnlike;
    sets.dashesBoxes ||= this.#strokes.isOutlined && this.#dashes.isAsBegun;
    return !isUnlike || !this.#strokes.isOutlined;
  }

  #count({ name, kind }: Operator, isText: boolean, hasLines: boolean): void {
    if (ColorSpaces.heeds(name) || name === "gs" || kind === "restore") this.#wasText = false;
    if (!isText && (!DRAWING.has(kind) || name === "n")) return;
    this.#used.sets.paintings += hasLines ? 2 : isText && this.#wasText ? 0 : 1;
    this.#wasText = isText;
  }

  /**
   * Whether all readers mix text, or an area and the lines around it, with what lies under it alike: some mix letters that
   * lie over each other, and lines over their area, one after the other, some all at once.
   */
  #isMixedAlike(content: Buffer, isText: boolean): boolean {
    const { mode, manner } = this.#used;
    const [area, line] = [this.#colors.lightIn(content, "fill"), this.#colors.lightIn(content, "stroke")];
    if (area === null) return false;
    if (!isText) return line !== null && isAlikeOver(mode, line, area);
    return (manner & Manner.clear) === 0 && !this.#strokes.isOutlined && isSteady(mode, area);
  }

  /**
   * Takes the patterns that something may be drawn with now; whether all readers draw it alike. What has one of cells they
   * see through each in its own way: once as a whole, each cell by itself, or not at all.
   */
  tile({ name, kind }: Operator, [ofAreas, ofLines]: readonly [string | null, string | null]): boolean {
    const isOfAreas = kind === "paint" && FILLING.has(name);
    const patterns = isOfAreas ? [ofAreas] : [ofAreas, ofLines];
    if (!this.#isShadedAlike(name, kind, ofAreas, ofLines)) return false;
    // Poppler prints a line with the color of a cell that is larger than its step as if it had the last color in it.
    if (kind === "paint" && /[sSbB]/.test(name) && ofLines !== null && (this.#resources?.isTiling(ofLines) ?? true))
      return false;
    if (!patterns.some((one) => one !== null && (this.#resources?.isTiling(one) ?? true))) return true;
    this.#used.sets.isTiled = true;
    // Matplotlib has lines seen through that it does not draw.
    const { manner } = this.#used;
    return (manner & (isOfAreas && !this.#used.hasClearAreas ? MIXED : SEEN_THROUGH)) === 0;
  }

  /** Whether all readers draw alike what has the colors of shadings. */
  #isShadedAlike(name: string, kind: Operator["kind"], ofAreas: string | null, ofLines: string | null): boolean {
    const withLines = kind === "paint" && /[sSbB]/.test(name) ? this.#drawnWith(ofLines) : undefined;
    if (withLines?.areLines === false) return false;
    const withAreas = kind === "paint" && !/[fFbB]/.test(name) ? undefined : this.#drawnWith(ofAreas);
    if (withAreas === undefined) return true;
    if (kind === "text" && SHOWING.has(name) && !withAreas.areLetters) return false;
    if (withAreas.areLines) return true;
    // Whether it is seen through may be as its user has it.
    this.#used.sets.isTiled = true;
    return (this.#used.manner & SEEN_THROUGH) === 0 || (kind === "paint" && !this.#used.hasClearAreas);
  }

  #drawnWith(pattern: string | null): DrawnWith | undefined {
    return pattern === null ? undefined : this.#resources?.drawnWith(pattern);
  }

  /**
   * Whether all readers draw glyphs that are contents: Poppler prints none of them as lines around letters, and readers
   * disagree on patterns.
   */
  get isPlainForGlyphs(): boolean {
    return !this.#strokes.isOutlined && this.#colors.isPatternFor("fill") !== true;
  }

  /** Takes a form or a picture; whether all readers draw it alike. */
  draw(name: string, matrix: Matrix): boolean {
    const mayBeForm = this.#resources?.isForm(name) !== false;
    if (mayBeForm && this.#strokes.areOfSquares) return false;
    if (mayBeForm) this.#used.spendMask();
    const pens =
      (this.#colors.isPatternFor("fill") === true ? Manner.patterned : 0) |
      (this.#dashes.isDashed ? Manner.dashed : 0) |
      (this.#strokes.isBoth ? Manner.outlined : 0) |
      (this.#strokes.isOutlined ? Manner.lined : 0);
    this.#used.draw(name, matrix, pens);
    return this.#resources?.isMask(name) !== true || this.drawMask();
  }

  /** Takes a picture of bits; whether all readers draw it alike: pdf.js knows no pattern for it. */
  drawMask(): boolean {
    const isPatterned = this.#colors.isPatternFor("fill");
    this.#used.sets.paintsMask ||= isPatterned === null;
    return isPatterned !== true && !this.#used.isMasked;
  }

  takeState(effect: StateEffect | undefined, matrix: Matrix): void {
    this.#used.takeState(effect, matrix);
    this.#strokes.setWidth(effect?.width);
    this.#strokes.setCap(effect?.cap);
    this.#strokes.setDashes(effect?.dashes);
    this.#dashes.set(effect?.dashes?.largest);
  }
}
