import type { Operator } from "@rubrica/pdf-reading/content-operators";
import type { Matrix } from "./shifts.ts";

/** Where text stands (ISO 32000-2, 9.4). Far away, readers of a lesser precision lose what many small moves add up to. */

/** In points: farther than any page is large. */
const FARTHEST = 100_000;
/** By what share of a place a reader may be off that reckons with numbers of single precision; and of a letter, by what at most. */
const [OFF_BY_MOVE, MOST_OFF] = [2 ** -24, 0.5];
/** Farther, in points, no text moves within a line; what is turned or not counts twice at most, each time. */
const WIDEST_GAP = 20_000;

/** What text is set with. */
interface Style {
  size: number;
  /** What stands between characters, and words. */
  characters: number;
  words: number;
  leading: number;
  /** As a share of what it is by itself. */
  scale: number;
}

/** What an operator shows: how many bytes of text, how wide they are at most as a share of its size, the numbers between them, the largest and their sum, whatever their signs. */
export interface Shown {
  bytes: number;
  widest: number;
  numbers: number;
  gap: number;
  gaps: number;
}

export class TextPlaces {
  #style: Style = { size: 0, characters: 0, words: 0, leading: 0, scale: 1 };
  readonly #saved: Style[] = [];
  /** How lines of text are turned and sized, and where the last one begins. */
  #a = 1;
  #b = 0;
  #c = 0;
  #d = 1;
  #x = 0;
  #y = 0;
  /** By how much readers may be off where the last line begins, and within it; and how far text has moved within it. */
  #off = 0;
  #offInLine = 0;
  #reach = 0;

  /** A text begins. */
  begin(): void {
    this.#setMatrix(1, 0, 0, 1, 0, 0);
  }

  /** Takes what sets how text looks, saves or restores it. */
  set({ name, kind }: Operator, values: Float64Array): void {
    const value = values[0] ?? 0;
    if (kind === "save") this.#saved.push(this.#style);
    else if (kind === "restore") this.#style = this.#saved.pop() ?? this.#style;
    else if (name === "Tf") this.#style = { ...this.#style, size: values[1] ?? 0 };
    else if (name === "TL") this.#style = { ...this.#style, leading: value };
    else if (name === "Tz") this.#style = { ...this.#style, scale: value / 100 };
    else if (name === "Tc") this.#style = { ...this.#style, characters: value };
    else if (name === "Tw") this.#style = { ...this.#style, words: value };
  }

  /** Takes an operator of a text; whether all readers put text to the same place by it. */
  take(name: string, values: Float64Array, matrix: Matrix, shown: Shown): boolean {
    const isMove = name !== "Tj" && name !== "TJ";
    if (isMove && !this.#move(name, values, matrix)) return false;
    if (!this.#isNear(shown.gap, matrix)) return false;
    return (shown.bytes === 0 && shown.numbers === 0) || this.#show(shown);
  }

  #move(name: string, values: Float64Array, matrix: Matrix): boolean {
    const [first, second] = [values[0] ?? 0, values[1] ?? 0];
    if (name === "TD") this.#style = { ...this.#style, leading: -second };
    if (name === '"') this.#style = { ...this.#style, words: first, characters: second };
    if (name === "Tm") this.#setMatrix(first, second, values[2] ?? 0, values[3] ?? 0, values[4] ?? 0, values[5] ?? 0);
    else if (name === "Td" || name === "TD") this.#shift(first, second);
    else this.#shift(0, -this.#style.leading);
    const x = Math.abs(matrix[0] * this.#x + matrix[2] * this.#y + matrix[4]);
    const y = Math.abs(matrix[1] * this.#x + matrix[3] * this.#y + matrix[5]);
    return x <= FARTHEST && y <= FARTHEST;
  }

  #setMatrix(a: number, b: number, c: number, d: number, x: number, y: number): void {
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#d = d;
    this.#x = x;
    this.#y = y;
    this.#off = 0;
    this.#beginLine();
  }

  #shift(x: number, y: number): void {
    const before = this.#distance;
    this.#x += this.#a * x + this.#c * y;
    this.#y += this.#b * x + this.#d * y;
    this.#off += (before + this.#distance) * OFF_BY_MOVE;
    this.#beginLine();
  }

  #beginLine(): void {
    this.#offInLine = 0;
    this.#reach = 0;
  }

  /** How large letters are in the smallest direction, by the content's own measure. */
  get smallest(): number {
    const [ofLetters, ofLines] = [Math.abs(this.#a) + Math.abs(this.#b), Math.abs(this.#c) + Math.abs(this.#d)];
    const { size, scale } = this.#style;
    const turned = Math.abs(this.#a * this.#d - this.#b * this.#c) / Math.max(ofLetters, ofLines);
    return Math.abs(size) * Math.min(1, Math.abs(scale)) * turned;
  }

  /** The same in the largest direction. */
  get largest(): number {
    const [ofLetters, ofLines] = [Math.abs(this.#a) + Math.abs(this.#b), Math.abs(this.#c) + Math.abs(this.#d)];
    const { size, scale } = this.#style;
    return Math.abs(size) * Math.max(ofLetters * Math.abs(scale), ofLines);
  }

  /** Whether spaces are wider, or narrower, than their font says. */
  get hasWordSpaces(): boolean {
    return this.#style.words !== 0;
  }

  get #distance(): number {
    return Math.abs(this.#x) + Math.abs(this.#y);
  }

  /** Text moves by each of its letters, and by what stands between them. */
  #show({ bytes, widest, numbers, gaps }: Shown): boolean {
    const { size, characters, words, scale } = this.#style;
    const [ofLetters, ofLines] = [Math.abs(this.#a) + Math.abs(this.#b), Math.abs(this.#c) + Math.abs(this.#d)];
    const moved = (bytes * widest + gaps / 1_000) * Math.abs(size) + bytes * (Math.abs(characters) + Math.abs(words));
    const reach = moved * Math.abs(scale) * Math.max(ofLetters, ofLines);
    this.#offInLine += (bytes + numbers) * (this.#distance + this.#reach + reach / 2) * OFF_BY_MOVE;
    this.#reach += reach;
    const letter = Math.abs(size) * Math.min(ofLetters, ofLines);
    return letter === 0 || this.#off + this.#offInLine <= MOST_OFF * letter;
  }

  /** Whether what stands between letters keeps them near each other. */
  #isNear(gap: number, matrix: Matrix): boolean {
    const { size, characters, words, scale } = this.#style;
    const widest = Math.max(Math.abs(gap * size) / 1_000, Math.abs(characters), Math.abs(words)) * Math.abs(scale);
    if (widest === 0) return true;
    const ofLine = Math.abs(this.#a) + Math.abs(this.#b) + Math.abs(this.#c) + Math.abs(this.#d);
    const ofPage = Math.abs(matrix[0]) + Math.abs(matrix[1]) + Math.abs(matrix[2]) + Math.abs(matrix[3]);
    return widest * ofLine * ofPage <= WIDEST_GAP;
  }
}
