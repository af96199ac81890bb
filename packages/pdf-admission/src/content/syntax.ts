import { type Operator, operatorAt } from "@rubrica/pdf-reading/content-operators";
import { BROKEN, DICT, END, NAME, NUMBER, WORD } from "@rubrica/pdf-reading/content-tokens";
import type { InlineJpegs } from "../coded/jpeg.ts";
import { BegunWith } from "./begun-with.ts";
import { isAskew } from "./cells.ts";
import { ShownCodes } from "./codes.ts";
import { ColorSpaces, type NamedResources } from "./color-spaces.ts";
import { FlatAreas } from "./flat-areas.ts";
import { FontInUse } from "./font-in-use.ts";
import { Glyph } from "./glyph.ts";
import { inlineImage } from "./inline-images.ts";
import { mendedNumber } from "./odd-numbers.ts";
import { Operands } from "./operands.ts";
import { type ContentKind, OperatorOrder, type Step } from "./operator-order.ts";
import { OutlinedAreas } from "./outlined-areas.ts";
import { Painting } from "./painting.ts";
import { type ContentReading, type Edit, type Fault, MAX_IN_STRINGS } from "./reading.ts";
import { ShiftedText } from "./shifted-text.ts";
import { Shifts } from "./shifts.ts";
import { TextPlaces } from "./text-places.ts";
import { Tokens } from "./tokens.ts";
import { Used } from "./used.ts";

/** Many of these tell of a broken content. */
const MAX_EDITS = 1_000;
/** Operators that use something by its name, and where that is. */
const CATEGORIES: Readonly<Record<string, string>> = { Do: "XObject", gs: "ExtGState", sh: "Shading" };
/** Where operators stand that may draw something. */
const PAINTING = new Set<Operator["kind"]>(["paint", "text", "page", "image"]);

/** What stands between the texts of an operator that has one. */
const ONE_TEXT = { numbers: 0, gap: 0, gaps: 0 };

/** Reads a content by the rules of its syntax (ISO 32000-2, 7.8.2 and 8.2), up to the first fault. */
export const readContent = (
  content: { bytes: Uint8Array; seams: readonly number[] },
  kind: ContentKind,
  resources: NamedResources | null,
  jpegs: InlineJpegs,
): ContentReading => new ContentReader(new Tokens(content.bytes, content.seams), kind, resources, jpegs).read();

class ContentReader {
  readonly #tokens: Tokens;
  readonly #resources: NamedResources | null;
  readonly #jpegs: InlineJpegs;
  readonly #order: OperatorOrder;
  readonly #colors: ColorSpaces;
  readonly #edits: Edit[] = [];
  readonly #operands: Operands;
  /** Where the last clip begins and ends. */
  #clip: readonly [start: number, end: number] = [0, 0];
  readonly #shifts = new Shifts();
  readonly #places = new TextPlaces();
  readonly #flatAreas: FlatAreas;
  readonly #outlined = new OutlinedAreas();
  readonly #painting: Painting;
  readonly #used: Used;
  readonly #begun: BegunWith;
  readonly #lackingFonts = new Set<string>();
  readonly #codes: ShownCodes;
  readonly #font: FontInUse;
  readonly #shifted = new ShiftedText((font, code) => this.#codes.follow(font, code));
  #operators = 0;
  #glyph: Glyph | null = null;
  #fault: Fault | null = null;
  #hasOwnLayers = false;
  #turnsForms = false;

  constructor(tokens: Tokens, kind: ContentKind, resources: NamedResources | null, jpegs: InlineJpegs) {
    this.#tokens = tokens;
    this.#jpegs = jpegs;
    this.#operands = new Operands(tokens);
    this.#resources = resources;
    this.#order = new OperatorOrder(kind);
    this.#colors = new ColorSpaces(resources, kind === "page");
    this.#codes = new ShownCodes(resources);
    this.#font = new FontInUse(resources);
    this.#begun = new BegunWith(kind === "page");
    this.#flatAreas = new FlatAreas(kind === "page");
    this.#used = new Used(kind === "page");
    this.#painting = new Painting(resources, this.#colors, this.#used, kind === "page");
  }

  read(): ContentReading {
    while (this.#fault === null) {
      const token = this.#tokens.next();
      if (token === END) break;
      if (token === WORD) this.#word();
      else if (token !== BROKEN || !this.#mendNumber()) this.#operand(token);
    }
    // No reader draws a path that nothing ends.
    if (this.#order.isInPath) this.#edit(this.#outlined.path, this.#tokens.bytes.length);
    else if (!this.#order.isAtRest) this.#fault ??= "left_open";
    if (this.#operands.count > 0) this.#fault ??= "left_open";
    if (!this.#codes.areAgreed || this.#shifted.isDoubtful) this.#fault ??= "code";
    const widened = this.#glyph?.outcome();
    if (widened === null) this.#fault ??= "resource";
    const [isColored, isRepeated] = [this.#glyph?.isColored ?? false, this.#glyph?.isRepeated ?? false];
    const { uses, clear, drawn, sets } = this.#used;
    this.#boundStrings();
    // What is taken out goes with the line ends in it.
    const edits = [...this.#tokens.returns, ...this.#edits, ...this.#shifted.edits];
    const fonts = { lackingFonts: this.#lackingFonts, shownCodes: this.#codes.byFonts };
    const found = { fault: this.#fault, edits, widened: widened ?? null, operators: this.#operators };
    return {
      ...found,
      flatAreas: this.#flatAreas.edits,
      outlined: this.#flatAreas.outlined(this.#outlined.all),
      dashedBoxes: this.#painting.dashedBoxes,
      ...fonts,
      begun: this.#begun.outcome(),
      openMarks: this.#order.openMarks,
      surplusMarks: this.#order.surplusMarks,
      hasOwnLayers: this.#hasOwnLayers,
      turnsForms: this.#turnsForms,
      uses,
      clear,
      drawn,
      sets,
      isColored,
      isRepeated,
    };
  }

  #boundStrings(): void {
    if (Math.max(this.#tokens.returns.length, this.#shifted.edits.length) > MAX_IN_STRINGS) this.#fault ??= "broken";
  }

  #operand(kind: number): void {
    if (kind === BROKEN) this.#fault = "broken";
    else if (!this.#operands.take(kind)) this.#fault = "operands";
  }

  #mendNumber(): boolean {
    const mended = mendedNumber(this.#tokens);
    if (mended === undefined) return false;
    const { edit, value } = mended;
    this.#edit(edit.start, edit.end, edit.instead);
    this.#tokens.at = edit.end;
    this.#tokens.value = value ?? 0;
    if (value !== null) this.#operand(NUMBER);
    return true;
  }

  #edit(start: number, end: number, instead = ""): void {
    this.#edits.push({ start, end, instead });
    if (this.#edits.length > MAX_EDITS) this.#fault = "broken";
  }

  #word(): void {
    const { bytes, start, at } = this.#tokens;
    const operator = operatorAt(bytes, start, at);
    if (operator === undefined) {
      // No reader does anything then.
      if (this.#operands.count === 0) this.#edit(start, at);
      else this.#fault = "unknown_operator";
      return;
    }
    this.#operators += 1;
    this.#boundStrings();
    this.#fault ??= this.#faultOf(operator);
    this.#operands.count = 0;
  }

  #faultOf(operator: Operator): Fault | null {
    const surplus = this.#operands.fit(operator);
    if (surplus === null) return "operands";
    if (surplus !== undefined) this.#edit(...surplus);
    if (this.#operands.isOutOfRange(operator.name)) return "value";
    return this.#goOn(operator);
  }

  #goOn(operator: Operator): Fault | null {
    const step = this.#order.goOn(operator);
    if (step === "refused") return "place";
    const fault = this.#followPath(operator);
    if (fault !== null) return fault;
    const { start, at } = this.#tokens;
    if (step === "path_left") this.#edit(...this.#clip, "n");
    if (step === "dropped") {
      this.#edit(start, at);
      return null;
    }
    const drawn = this.#drawGlyph(operator);
    if (drawn === "refused") return "resource";
    if (drawn === "dropped" || (operator.name === "M" && (this.#operands.values[0] ?? 0) <= 0)) {
      this.#edit(this.#operands.startOf(0), at);
      return null;
    }
    return this.#paint(operator) ?? this.#useNamed(operator) ?? this.#apply(operator);
  }

  /** The operator's part in a path, and in where it is drawn. */
  #followPath(operator: Operator): Fault | null {
    const { start, at } = this.#tokens;
    const { values } = this.#operands;
    const from = this.#operands.startOf(0);
    this.#outlined.goOn(operator, from, [start, at], this.#used.hasClearLines);
    if (operator.kind === "clip") this.#clip = [start, at];
    if (!this.#shifts.goOn(operator.kind, values)) return "value";
    if (!this.#painting.goOn(operator, values, this.#tokens, from, this.#places.smallest)) return "painting";
    return this.#flatAreas.goOn(operator, values, this.#shifts.matrix, from, at) ? null : "place";
  }

  /** What it paints, and the colors that it paints with. What is taken out of the content does not come here. */
  #paint(operator: Operator): Fault | null {
    this.#begun.goOn(
      operator,
      operator.name === "d" ? this.#tokens.items : (this.#operands.values[0] ?? 0),
      this.#used.font,
      operator.kind === "text" && this.#font.isDrawn(this.#used.font),
    );
    if (PAINTING.has(operator.kind) && !this.#painting.tile(operator, this.#begun.patterns)) return "painting";
    return this.#usesColor(operator) && this.#colors.isUnsetFor(operator) ? "resource" : null;
  }

  /** The resource that it names, if it names one. */
  #useNamed(operator: Operator): Fault | null {
    const category = CATEGORIES[operator.name];
    if (category === undefined) return null;
    if (this.#isElsewhere(category)) return "resource";
    const name = this.#operands.nameAt(0);
    this.#take(category, name);
    if (category === "XObject" && !this.#painting.draw(name, this.#shifts.matrix)) return "painting";
    if (category === "ExtGState") this.#painting.takeState(this.#resources?.effectOf(name), this.#shifts.matrix);
    return null;
  }

  /** What it changes for the operators after it. */
  #apply(operator: Operator): Fault | null {
    switch (operator.kind) {
      case "image":
        return this.#image(operator);
      case "begin_text":
        this.#places.begin();
        this.#shifted.begin();
        return null;
      case "text":
        if (operator.name !== "Tj" && operator.name !== "TJ") this.#shifted.begin();
        return this.#isPlaced(operator.name) ? this.#show() : "value";
      case "save":
      case "restore":
      case "general":
        this.#places.set(operator, this.#operands.values);
        return this.#settled(operator.name);
      case "color":
        return this.#settled(operator.name);
      default:
        return null;
    }
  }

  /** Whether an operator draws with the color that is set: shadings and pictures have colors of their own. */
  #usesColor({ name, kind }: Operator): boolean {
    if (name === "Do") return this.#resources?.isPicture(this.#operands.nameAt(0)) !== true;
    return PAINTING.has(kind) && name !== "sh";
  }

  #take(category: string, name: string): void {
    this.#used.take(category, name);
    this.#begun.give(category, name);
    if (category === "XObject" && this.#resources?.isMask(name)) this.#begun.drawMask();
    if (category === "XObject" && this.#resources?.isForm(name) !== false)
      this.#turnsForms ||= isAskew(this.#shifts.matrix);
    if (category === "ExtGState") this.#begun.takeState(this.#resources?.effectOf(name)?.settings ?? 0);
  }

  #beginGlyph(hasBox: boolean): Glyph {
    const { bytes, start: last, at: end } = this.#tokens;
    const [, , left = 0, bottom = 0, right = 0, top = 0] = this.#operands.values;
    const start = this.#operands.startOf(0);
    const widths = bytes.toString("latin1", start, hasBox ? this.#operands.startOf(2) : last);
    return new Glyph({ start, end, widths, box: hasBox ? [left, bottom, right, top] : null }, this.#resources);
  }

  #drawGlyph(operator: Operator): Step {
    if (operator.kind === "glyph") this.#glyph = this.#beginGlyph(operator.name === "d1");
    if (this.#glyph === null || ["glyph", "image"].includes(operator.kind)) return "taken";
    return this.#draw(this.#glyph, operator);
  }

  #draw(glyph: Glyph, operator: Operator): Step {
    const isInherited = PAINTING.has(operator.kind) && this.#colors.isInheritedFor(operator);
    const named = this.#operands.kindOf(0) === NAME ? this.#operands.nameAt(0) : "";
    return glyph.goOn(operator, this.#operands.values, this.#shifts.matrix, named, isInherited);
  }

  /** Whether a form, a pattern or a glyph lacks what it names: some readers then look among those of whoever uses it. */
  #isElsewhere(category: string): boolean {
    return !this.#order.isPage && this.#resources?.has(category, this.#operands.nameAt(0)) === false;
  }

  /** Text in no font of the content's own is in that of whoever uses it, or for PDFium in one that all readers have. */
  #show(): Fault | null {
    const length = this.#operands.textBytes;
    this.#used.show(length);
    const { bytes, start } = this.#tokens;
    const from = this.#operands.startOf(this.#operands.count - 1);
    if (length === 0) return null;
    const { font } = this.#used;
    this.#codes.take(bytes.subarray(from, start), font);
    if (font === null) return "resource";
    const shifting = this.#resources?.shiftingOf(font);
    this.#shifted.show(bytes.subarray(from, start), from, font, shifting, this.#places.hasWordSpaces);
    return this.#font.isDrawn(font) && !this.#painting.isPlainForGlyphs ? "painting" : null;
  }

  #isPlaced(name: string): boolean {
    const { least, largest, numbers, sum } = this.#tokens;
    const between = name === "TJ" ? { numbers, gap: Math.max(-least, largest), gaps: sum } : ONE_TEXT;
    const shown = { bytes: this.#operands.textBytes, widest: this.#font.widest(this.#used.font), ...between };
    return this.#places.take(name, this.#operands.values, this.#shifts.matrix, shown);
  }

  /** What names something, and colors. */
  #settled(name: string): Fault | null {
    if (name === "BDC") this.#hasOwnLayers ||= this.#operands.kindOf(1) === DICT && this.#operands.nameAt(0) === "OC";
    this.#used.keep(name);
    if (name === "Tf") {
      this.#used.takeFont(this.#operands.nameAt(0));
      if (this.#resources?.hasFont(this.#operands.nameAt(0)) === false)
        this.#lackingFonts.add(this.#operands.nameAt(0));
      return null;
    }
    if (!ColorSpaces.heeds(name)) return null;
    if (this.#order.isUncolored === "strictly" && ColorSpaces.isColor(name)) return "resource";
    const named =
      this.#operands.count > 0 && this.#operands.kindOf(this.#operands.count - 1) === NAME
        ? this.#operands.nameAt(this.#operands.count - 1)
        : null;
    if (named !== null) this.#used.take("Pattern", named);
    const numbers = this.#operands.count - (named === null ? 0 : 1);
    for (let index = 0; index < numbers; index += 1) if (this.#operands.kindOf(index) !== NUMBER) return "operands";
    if (this.#operands.count === 0 && name.length > 1) {
      this.#edit(this.#tokens.start, this.#tokens.at);
      return null;
    }
    const surplus = named === null ? this.#colors.surplusOf(name, numbers) : 0;
    // Most readers heed the first components.
    if (surplus > 0) this.#edit(this.#operands.startOf(numbers - surplus), this.#tokens.start);
    if (this.#colors.isBeyond(name, this.#operands.values, numbers - surplus)) return "value";
    const said = [this.#operands.startOf(0), this.#tokens.start] as const;
    if (!this.#colors.take(name, numbers - surplus, named, this.#operands.areZero(numbers - surplus), said))
      return "resource";
    if (ColorSpaces.isColor(name)) this.#begin(name, named);
    return null;
  }

  #begin(name: string, named: string | null): void {
    const isPattern = this.#colors.isPatternFor(name === name.toLowerCase() ? "fill" : "stroke") === true;
    const pattern = /^scn$/i.test(name) ? named : null;
    this.#begun.color(name, isPattern ? pattern : undefined, this.#colors.isBlackBy(name));
  }

  #image(operator: Operator): Fault | null {
    const image = inlineImage(this.#tokens, (name) => this.#resources?.space(name)?.count, this.#jpegs);
    if (image === undefined) return "inline_image";
    if (image.isMask && !this.#painting.drawMask()) return "painting";
    if (image.isMask && this.#glyph !== null) this.#draw(this.#glyph, operator);
    return this.#order.isUncolored !== "no" && !image.isMask ? "resource" : null;
  }
}
