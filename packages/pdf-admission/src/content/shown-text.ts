import type { Operator } from "@rubrica/pdf-reading/content-operators";
import { type Shown, ShownCodes } from "./codes.ts";
import type { NamedResources } from "./color-spaces.ts";
import { FontInUse } from "./font-in-use.ts";
import type { Operands } from "./operands.ts";
import type { Edit, Fault } from "./reading.ts";
import { ShiftedText } from "./shifted-text.ts";
import type { Matrix } from "./shifts.ts";
import { TextPlaces } from "./text-places.ts";
import type { Tokens } from "./tokens.ts";
import type { Used } from "./used.ts";

/** What stands between the texts of an operator that has one. */
const ONE_TEXT = { numbers: 0, gap: 0, gaps: 0 };

/** The text that a content shows: where, in which fonts, and by which of their codes. */
export class ShownText {
  readonly #tokens: Tokens;
  readonly #operands: Operands;
  readonly #resources: NamedResources | null;
  readonly #used: Used;
  readonly #places = new TextPlaces();
  readonly #codes: ShownCodes;
  readonly #font: FontInUse;
  readonly #shifted = new ShiftedText((font, code) => this.#codes.follow(font, code));
  /** The names of fonts that the content's own resources lack. */
  readonly lackingFonts = new Set<string>();

  constructor(tokens: Tokens, operands: Operands, resources: NamedResources | null, used: Used) {
    this.#tokens = tokens;
    this.#operands = operands;
    this.#resources = resources;
    this.#used = used;
    this.#codes = new ShownCodes(resources);
    this.#font = new FontInUse(resources);
  }

  /** How large letters are in the smallest direction, by the content's own measure. */
  get smallest(): number {
    return this.#places.smallest;
  }

  /** The same in the largest direction. */
  get largest(): number {
    return this.#places.largest;
  }

  /** Whether the glyphs of the font in use are contents, or may be. */
  get isInDrawnFont(): boolean {
    return this.#font.isDrawn(this.#used.font);
  }

  get shownCodes(): ReadonlyMap<string, Shown> {
    return this.#codes.byFonts;
  }

  get edits(): readonly Edit[] {
    return this.#shifted.edits;
  }

  /** Whether readers take its codes, or what moves it, in several ways. */
  get isDoubtful(): boolean {
    return !this.#codes.areAgreed || this.#shifted.isDoubtful;
  }

  begin(): void {
    this.#places.begin();
    this.#shifted.begin();
  }

  /** A state is saved, restored, or changed. */
  set(operator: Operator): void {
    this.#places.set(operator, this.#operands.values);
  }

  takeFont(name: string): void {
    this.#used.takeFont(name);
    if (this.#resources?.hasFont(name) === false) this.lackingFonts.add(name);
  }

  /** An operator that shows text, or says where the next one stands. */
  goOn({ name }: Operator, matrix: Matrix): Fault | null {
    if (name !== "Tj" && name !== "TJ") this.#shifted.begin();
    return this.#isPlaced(name, matrix) ? this.#show() : "value";
  }

  #isPlaced(name: string, matrix: Matrix): boolean {
    const { least, largest, numbers, sum } = this.#tokens;
    const between = name === "TJ" ? { numbers, gap: Math.max(-least, largest), gaps: sum } : ONE_TEXT;
    const shown = { bytes: this.#operands.textBytes, widest: this.#font.widest(this.#used.font), ...between };
    return this.#places.take(name, this.#operands.values, matrix, shown);
  }

  /** Text in no font of the content's own is in that of whoever uses it, or for PDFium in one that all readers have. */
  #show(): Fault | null {
    const length = this.#operands.textBytes;
    this.#used.show(length);
    if (length === 0) return null;
    const { font } = this.#used;
    const from = this.#operands.startOf(this.#operands.count - 1);
    const shown = this.#tokens.bytes.subarray(from, this.#tokens.start);
    this.#codes.take(shown, font);
    if (font === null) return "resource";
    this.#shifted.show(shown, from, font, this.#resources?.shiftingOf(font), this.#places.hasWordSpaces);
    return null;
  }
}
