import type { Operator } from "@rubrica/pdf-reading/content-operators";
import type { ColorSpaces, NamedResources } from "./color-spaces.ts";
import type { Matrix } from "./shifts.ts";
import type { StateEffect } from "./state-effects.ts";
import { Strokes } from "./strokes.ts";
import type { Used } from "./used.ts";

/** What a content draws with: patterns, masks and lines that not all readers draw by. */

const DRAWING = new Set<Operator["place"]>(["paint", "page", "image"]);
const SHOWING = new Set(["Tj", "TJ", "'", '"']);

export class Painting {
  readonly #resources: NamedResources | null;
  readonly #colors: ColorSpaces;
  readonly #used: Used;
  readonly #strokes: Strokes;

  /** @param isPage in others, colors and lines may be what whoever uses them set */
  constructor(resources: NamedResources | null, colors: ColorSpaces, used: Used, isPage: boolean) {
    this.#resources = resources;
    this.#colors = colors;
    this.#used = used;
    this.#strokes = new Strokes(isPage);
  }

  /** Takes an operator; whether all readers draw alike what it draws. */
  goOn(operator: Operator, values: Float64Array): boolean {
    const { name, place } = operator;
    if (!this.#strokes.goOn(operator, values)) return false;
    const isText = place === "text" && SHOWING.has(name);
    // Poppler draws lines around letters in black.
    if (isText && this.#strokes.isOutlined && this.#colors.isPatternFor("stroke") === true) return false;
    return (!isText && !DRAWING.has(place)) || this.#used.isDrawnAlike;
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
    this.#used.draw(name, matrix, this.#colors.isPatternFor("fill") === true);
    return this.#resources?.isMask(name) !== true || this.drawMask();
  }

  /** Takes a picture of bits; whether all readers draw it alike: pdf.js knows no pattern for it. */
  drawMask(): boolean {
    const isPatterned = this.#colors.isPatternFor("fill");
    this.#used.sets.paintsMask ||= isPatterned === null;
    return isPatterned !== true;
  }

  takeState(effect: StateEffect | undefined, matrix: Matrix): void {
    this.#used.takeState(effect, matrix);
    this.#strokes.setCap(effect?.cap);
  }
}
