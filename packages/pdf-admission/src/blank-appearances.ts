import { numbersIn, sidesOf } from "@rubrica/pdf-reading/annotations/appearances";
import { ContentTokens, END, NAME, NUMBER, STRING, WORD } from "@rubrica/pdf-reading/content-tokens";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, type PDFObject } from "pdf-lib";
import { dataOf } from "./colors/values.ts";

/** Appearances of fields that hold nothing, and of boxes to be checked. */

/** What an appearance shows: nothing but a ground, a line around it, and marks. */
export interface Plain {
  /** Whether it hides all that is below it. */
  hasGround: boolean;
  hasFrame: boolean;
  marks: number;
}

export const NOTHING: Plain = { hasGround: false, hasFrame: false, marks: 0 };

/** Appearances of empty fields have some hundred bytes; a file may have thousands of them. */
const MAX_BYTES = 4_096;
/** What sets how something is drawn, and draws nothing. */
const SETTING = new Set("cm BMC BDC EMC n J j M d BT ET Tf Td TD Tm T* TL Tc Tw Tz".split(" "));
const [FILLING, LINING] = [new Set("f F f* B B* b b*".split(" ")), new Set("S s B B* b b*".split(" "))];
/** What moves or cuts off what is drawn after it, or lets something be seen through it. */
const SHIFTING = new Set(["cm", "W", "W*", "gs"]);
/** How far from the sides a ground may end, and the middle of a line around it, in points and as a share of the side. */
const [GROUND_GAP, FRAME_GAP, FRAME_SHARE] = [1, 3, 0.1];
const THICKEST_LINE = 3;
/** Marks of boxes, as Acrobat names their styles: a check, a circle, a cross, a diamond, a square and a star. */
const MARKS = new Set(["(4)", "(l)", "(8)", "(u)", "(n)", "(H)"]);
const BLACK = new Set(["0 g", "0 0 0 rg", "0 0 0 1 k"]);
const UNTURNED = [1, 0, 0, 1, 0, 0];
const DINGBATS = "ZapfDingbats";

type Sides = readonly [left: number, bottom: number, right: number, top: number];

/** Undefined where it shows something else, is larger than such an appearance, or can't be read. */
export const plainIn = (given: PDFObject | undefined, file: PdfFile): Plain | undefined => {
  const form = file.resolve(given);
  if (!(form instanceof PDFDict)) return undefined;
  const found = looks.get(form) ?? { look: looked(form, given, file) };
  looks.set(form, found);
  return found.look;
};

/** Many fields may share one appearance. */
const looks = new WeakMap<PDFDict, { look: Plain | undefined }>();

const looked = (form: PDFDict, given: PDFObject | undefined, file: PdfFile): Plain | undefined => {
  const box = sidesOf(file.entry(form, "BBox"), file);
  const content = contentOf(given, file);
  if (box === null || content === undefined || file.entry(form, "OC") !== undefined) return undefined;
  const fonts = file.dictEntry(file.dictEntry(form, "Resources"), "Font");
  const isOfMarks = (name: string) => {
    const font = file.dictEntry(fonts, name.slice(1));
    return file.nameEntry(font, "BaseFont") === DINGBATS && file.entry(font, "FontDescriptor") === undefined;
  };
  const matrix = file.entry(form, "Matrix");
  const isTurned = matrix !== undefined && String(numbersIn(matrix, 6, file)) !== String(UNTURNED);
  return new PlainLook(content, box, isOfMarks, isTurned).take();
};

/** Undefined where it is larger, or can't be read. */
const contentOf = (given: PDFObject | undefined, file: PdfFile): Uint8Array | undefined => {
  try {
    return dataOf(given, file, MAX_BYTES);
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
};

/** Reads what such an appearance draws. */
class PlainLook {
  readonly #tokens: ContentTokens;
  readonly #box: Sides;
  readonly #isOfMarks: (font: string) => boolean;
  readonly #plain: Plain = { ...NOTHING };
  readonly #saved: boolean[] = [];
  #numbers: number[] = [];
  #path: Sides[] = [];
  #hasOtherPath = false;
  #isShifted: boolean;
  #isBlack = true;
  #width = 1;
  #name = "";
  #string = "";
  #font = "";

  constructor(content: Uint8Array, box: Sides, isOfMarks: (font: string) => boolean, isTurned: boolean) {
    this.#isShifted = isTurned;
    this.#tokens = new ContentTokens(content);
    this.#box = box;
    this.#isOfMarks = isOfMarks;
  }

  take(): Plain | undefined {
    const tokens = this.#tokens;
    for (let kind = tokens.take(); kind !== END; kind = tokens.take()) {
      if (kind === NUMBER) this.#numbers.push(tokens.value);
      if (kind === NAME) this.#name = this.#word();
      if (kind === STRING) this.#string = this.#word();
      if (kind !== WORD) continue;
      if (!this.#goOn(this.#word())) return undefined;
      this.#numbers = [];
    }
    return this.#plain;
  }

  #word(): string {
    return this.#tokens.bytes.toString("latin1", this.#tokens.start, this.#tokens.at);
  }

  /** Whether an operator draws no more than what is plain. */
  #goOn(operator: string): boolean {
    if (SHIFTING.has(operator)) this.#isShifted = true;
    if (FILLING.has(operator) || LINING.has(operator)) return this.#paint(operator);
    if (operator === "q") this.#saved.push(this.#isBlack);
    else if (operator === "Q") this.#isBlack = this.#saved.pop() ?? this.#isBlack;
    else if (operator === "w") this.#width = this.#numbers.at(-1) ?? 0;
    else if (operator === "re") this.#path.push(boxOf(this.#numbers));
    else if (operator === "m" || operator === "l" || operator === "h") this.#hasOtherPath = true;
    else if (["g", "rg", "k"].includes(operator)) this.#isBlack = BLACK.has([...this.#numbers, operator].join(" "));
    else if (operator === "Tj") return this.#mark();
    else if (!SETTING.has(operator)) return SHIFTING.has(operator) || ["G", "RG", "K"].includes(operator);
    if (operator === "Tf") this.#font = this.#name;
    if (operator === "n") this.#endPath();
    return true;
  }

  #endPath(): void {
    this.#path = [];
    this.#hasOtherPath = false;
  }

  /** A ground as large as the box, or a line around it. */
  #paint(operator: string): boolean {
    const [isFilled, isLined] = [FILLING.has(operator), LINING.has(operator)];
    const [path, ...others] = this.#path;
    if (path === undefined || others.length > 0 || this.#hasOtherPath || this.#isShifted) return false;
    this.#endPath();
    const gaps = path.map((side, index) => Math.abs(side - (this.#box[index] ?? 0)));
    const [left, bottom, right, top] = this.#box;
    const shortest = Math.min(Math.abs(right - left), Math.abs(top - bottom));
    const isFrame = gaps.every((gap) => gap <= Math.min(FRAME_GAP, shortest * FRAME_SHARE));
    if (isLined && !(isFrame && this.#width <= Math.min(THICKEST_LINE, shortest * FRAME_SHARE * 2))) return false;
    if (isFilled && !gaps.every((gap) => gap <= GROUND_GAP)) return false;
    this.#plain.hasGround ||= isFilled;
    this.#plain.hasFrame ||= isLined;
    return true;
  }

  /** A mark of one of the styles that all readers know, that hides nothing by being as white as paper. */
  #mark(): boolean {
    if (!this.#isBlack || !MARKS.has(this.#string) || !this.#isOfMarks(this.#font)) return false;
    this.#plain.marks += 1;
    return true;
  }
}

const boxOf = (numbers: readonly number[]): Sides => {
  const [x = 0, y = 0, width = 0, height = 0] = numbers.slice(-4);
  return [Math.min(x, x + width), Math.min(y, y + height), Math.max(x, x + width), Math.max(y, y + height)];
};
