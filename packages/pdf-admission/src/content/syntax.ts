import { type Operator, operatorAt } from "@rubrica/pdf-reading/content-operators";
import { BROKEN, DICT, END, NAME, NUMBER, WORD } from "@rubrica/pdf-reading/content-tokens";
import type { InlineJpegs } from "../coded/jpeg.ts";
import { BegunWith } from "./begun-with.ts";
import { isAskew } from "./cells.ts";
import { ColorSpaces, type NamedResources } from "./color-spaces.ts";
import { FarPaths, scaleOf } from "./far-paths.ts";
import { FlatAreas } from "./flat-areas.ts";
import { Glyph } from "./glyph.ts";
import { inlineImage } from "./inline-images.ts";
import { LayerMarks } from "./layer-marks.ts";
import { mendedNumber } from "./odd-numbers.ts";
import { Operands } from "./operands.ts";
import { type ContentKind, OperatorOrder, type Step } from "./operator-order.ts";
import { OutlinedAreas } from "./outlined-areas.ts";
import { Painting } from "./painting.ts";
import { type ContentReading, type Edit, type Fault, MAX_IN_STRINGS } from "./reading.ts";
import { SetColors } from "./set-colors.ts";
import { Shifts } from "./shifts.ts";
import { ShownText } from "./shown-text.ts";
import { SHARPEST } from "./strokes.ts";
import { Tokens } from "./tokens.ts";
import { Manner, Used } from "./used.ts";

/** Many of these tell of a broken content. */
const MAX_EDITS = 1_000;
/** In points. */
const LEAST_DASH = 0.25;
/** Operators that use something by its name, and where that is. */
const CATEGORIES: Readonly<Record<string, string>> = { Do: "XObject", gs: "ExtGState", sh: "Shading" };
/** Where operators stand that may draw something. */
const PAINTING = new Set<Operator["kind"]>(["paint", "text", "page", "image"]);

/** Reads a content by the rules of its syntax (ISO 32000-2, 7.8.2 and 8.2), up to the first fault. */
export const readContent = (
  content: { bytes: Uint8Array; seams: readonly number[] },
  kind: ContentKind,
  resources: NamedResources | null,
  jpegs: InlineJpegs,
): ContentReading => new ContentReader(new Tokens(content.bytes, content.seams), kind, resources, jpegs).read();

/** Operators that set what holds until it is restored. */
const LASTING: ReadonlySet<Operator["kind"]> = new Set(["general", "color", "matrix", "clip"]);
/** They show or move text, and set leading and spaces for what follows. */
const SPACING: ReadonlySet<string> = new Set(["TD", '"']);
const MARKS: ReadonlySet<string> = new Set(["BMC", "BDC", "EMC", "MP", "DP"]);

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
  readonly #farPaths = new FarPaths();
  readonly #flatAreas: FlatAreas;
  readonly #outlined = new OutlinedAreas();
  readonly #painting: Painting;
  readonly #used: Used;
  readonly #begun: BegunWith;
  readonly #text: ShownText;
  readonly #setColors: SetColors;
  #operators = 0;
  #glyph: Glyph | null = null;
  #fault: Fault | null = null;
  #hasOwnLayers = false;
  readonly #marks = new LayerMarks();
  #leavesState = false;
  #turnsForms = false;

  constructor(tokens: Tokens, kind: ContentKind, resources: NamedResources | null, jpegs: InlineJpegs) {
    this.#tokens = tokens;
    this.#jpegs = jpegs;
    this.#operands = new Operands(tokens);
    this.#resources = resources;
    this.#order = new OperatorOrder(kind);
    this.#colors = new ColorSpaces(resources, kind === "page");
    this.#begun = new BegunWith(kind === "page");
    this.#flatAreas = new FlatAreas(kind === "page");
    this.#used = new Used(kind === "page");
    this.#painting = new Painting(resources, this.#colors, this.#used, kind === "page");
    this.#text = new ShownText(tokens, this.#operands, resources, this.#used);
    this.#setColors = new SetColors({
      tokens,
      operands: this.#operands,
      order: this.#order,
      spaces: this.#colors,
      used: this.#used,
      begun: this.#begun,
      takeOut: (start, end) => this.#edit(start, end),
    });
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
    if (this.#text.isDoubtful) this.#fault ??= "code";
    const widened = this.#glyph?.outcome();
    if (widened === null) this.#fault ??= "resource";
    const [isColored, isRepeated] = [this.#glyph?.isColored ?? false, this.#glyph?.isRepeated ?? false];
    const { uses, clear, drawn, sets } = this.#used;
    this.#boundStrings();
    // What is taken out goes with the line ends in it.
    const edits = [...this.#tokens.returns, ...this.#edits, ...this.#text.edits];
    const fonts = { lackingFonts: this.#text.lackingFonts, shownCodes: this.#text.shownCodes };
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
      inLayers: this.#marks.outcome(),
      openSaves: this.#order.openSaves,
      leavesState: this.#leavesState,
      turnsForms: this.#turnsForms,
      uses,
      clear,
      drawn,
      sets,
      isColored,
      isRepeated,
      reach: this.#farPaths,
    };
  }

  #boundStrings(): void {
    if (Math.max(this.#tokens.returns.length, this.#text.edits.length) > MAX_IN_STRINGS) this.#fault ??= "broken";
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
    if (operator.name === "M" && (this.#operands.values[0] ?? 0) > SHARPEST)
      this.#edit(this.#operands.startOf(0), at, `${SHARPEST} M`);
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
    this.#farPaths.goOn(operator, values, this.#shifts.matrix, this.#painting.mayBeDashed);
    if (operator.kind === "paint" && /[sSbB]/.test(operator.name) && this.#hasTinyDashes()) return "painting";
    if (!this.#painting.goOn(operator, values, this.#tokens, from, this.#text.smallest)) return "painting";
    return this.#flatAreas.goOn(operator, values, this.#shifts.matrix, from, at) ? null : "place";
  }

  /** Whether dashes are too short to be drawn each: readers draw all of the line, none of it, or a shade. */
  #hasTinyDashes(): boolean {
    const length = this.#painting.longestDash;
    return length > 0 && length * scaleOf(this.#shifts.matrix) < LEAST_DASH;
  }

  /** What it paints, and the colors that it paints with. What is taken out of the content does not come here. */
  #paint(operator: Operator): Fault | null {
    this.#begun.goOn(
      operator,
      operator.name === "d" ? this.#tokens.items : (this.#operands.values[0] ?? 0),
      this.#used.font,
      operator.kind === "text" && this.#text.isInDrawnFont,
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
    if (category === "Shading") return this.#shade(name);
    if (category === "ExtGState") this.#painting.takeState(this.#resources?.effectOf(name), this.#shifts.matrix);
    return null;
  }

  /** A shading is drawn: not all readers mix with what lies under it what it leaves free, or its pieces. */
  #shade(name: string): Fault | null {
    const shading = this.#resources?.shading(name);
    if (shading === undefined) return null;
    // Poppler prints many, each of which is seen through by itself.
    this.#used.sets.isTiled ||= shading.isOfPieces;
    if (shading.isOfPieces && (this.#used.manner & (Manner.clear | Manner.blended)) !== 0) return "painting";
    this.#used.sets.leavesFree ||= !shading.coversAll;
    return !shading.coversAll && (this.#used.manner & Manner.subtracted) !== 0 ? "painting" : null;
  }

  /** What it changes for the operators after it. */
  #apply(operator: Operator): Fault | null {
    const setsState = LASTING.has(operator.kind) ? !MARKS.has(operator.name) : SPACING.has(operator.name);
    this.#leavesState ||= setsState && this.#order.openSaves === 0;
    switch (operator.kind) {
      case "image":
        return this.#image(operator);
      case "begin_text":
        this.#text.begin();
        return null;
      case "text":
        return this.#text.goOn(operator, this.#shifts.matrix) ?? this.#drawLetters();
      case "save":
      case "restore":
      case "general":
        this.#text.set(operator);
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
    this.#farPaths.place(category, name, this.#shifts.matrix);
    this.#begun.give(category, name);
    if (category === "XObject") this.#marks.draw(name);
    if (category === "ExtGState")
      this.#marks.takeState(this.#resources?.effectOf(name), this.#order.openSaves, this.#used.isMasked);
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

  /** Letters that are contents are drawn by what is set around them. */
  #drawLetters(): Fault | null {
    if (this.#operands.textBytes > 0)
      this.#farPaths.show(this.#used.font ?? "", this.#text.largest, this.#shifts.matrix);
    const isDrawn = this.#operands.textBytes > 0 && this.#text.isInDrawnFont;
    return isDrawn && !this.#painting.isPlainForGlyphs ? "painting" : null;
  }

  /** What names something, and colors. */
  #settled(name: string): Fault | null {
    if (name === "BDC" || name === "BMC" || name === "EMC") return this.#mark(name);
    this.#used.keep(name);
    if (name !== "Tf") return this.#setColors.goOn(name);
    this.#text.takeFont(this.#operands.nameAt(0));
    return null;
  }

  /** A marked part begins or ends. A layer that a content's resources lack some readers look for elsewhere; pdf.js draws no such glyph. */
  #mark(name: string): Fault | null {
    if (name === "EMC") {
      this.#marks.end();
      return null;
    }
    const isLayer = name === "BDC" && this.#operands.nameAt(0) === "OC";
    this.#marks.begin(isLayer, this.#order.openSaves);
    if (!isLayer) return null;
    const isWritten = this.#operands.kindOf(1) === DICT;
    const isLacking =
      !isWritten && !this.#order.isPage && this.#resources?.has("Properties", this.#operands.nameAt(1)) !== true;
    this.#hasOwnLayers ||= isWritten || isLacking;
    return isLacking && this.#glyph !== null ? "resource" : null;
  }

  #image(operator: Operator): Fault | null {
    const image = inlineImage(this.#tokens, (name) => this.#resources?.space(name), this.#jpegs);
    if (image === undefined) return "inline_image";
    this.#farPaths.draw(this.#shifts.matrix);
    if (image.isMask && !this.#painting.drawMask()) return "painting";
    if (image.isMask && this.#glyph !== null) this.#draw(this.#glyph, operator);
    return this.#order.isUncolored !== "no" && !image.isMask ? "resource" : null;
  }
}
