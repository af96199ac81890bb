import type { Operator } from "@rubrica/pdf-reading/content-operators";

/** Lines that are no longer than a point: with round or square ends some readers draw a dot, others nothing (ISO 32000-2, 8.5.3.2). */

/** The largest miter limit: pdf.js draws no corners that are sharper than some 90 times a line's width. */
export const SHARPEST = 60;
const [BUTT, ROUND] = [0, 1];
/** Poppler prints no shorter ones with square ends. */
const SHORTEST = 0.001;

/** Text rendering modes that draw lines around letters (9.3.6). */
const OUTLINED: readonly (number | undefined)[] = [1, 2];
const BOTH = 2;

interface Pen {
  /** How wide lines are, and what they end in; null where that is as who uses the content has it. */
  width: number | null;
  cap: number | null;
  /** Whether dashes have no length; undefined where they are as who uses the content has them. */
  hasDots: boolean | undefined;
  /** Whether text is drawn by lines around it. */
  isOutlined: boolean;
  /** Whether it is by its areas, too; undefined where that is as who uses the content has it. */
  isBoth: boolean | undefined;
}

/** Follows the parts of a path, and what their lines end in. */
export class Strokes {
  #pen: Pen;
  readonly #saved: Pen[] = [];
  #start: readonly [x: number, y: number] = [0, 0];
  /** Whether the last part has a line, and whether one of its lines goes anywhere. */
  #hasLine = false;
  #goes = true;
  /** Whether some part of the path is a dot. */
  #hasDot = false;

  /** @param isPage in others, lines may end in what whoever uses it set */
  constructor(isPage: boolean) {
    this.#pen = {
      width: isPage ? 1 : null,
      cap: isPage ? BUTT : null,
      hasDots: isPage ? false : undefined,
      isOutlined: false,
      isBoth: isPage ? false : undefined,
    };
  }

  get isOutlined(): boolean {
    return this.#pen.isOutlined;
  }

  /** Whether text is drawn by its areas and the lines around them at once. */
  get isBoth(): boolean | undefined {
    return this.#pen.isBoth;
  }

  /** How wide lines are; null where that is as who uses the content has it. */
  get width(): number | null {
    return this.#pen.width;
  }

  /** How wide lines are, as a graphics state sets it. */
  setWidth(width: number | undefined): void {
    if (width !== undefined) this.#pen = { ...this.#pen, width };
  }

  /** The same of what they end in. */
  setCap(cap: number | undefined): void {
    if (cap !== undefined) this.#pen = { ...this.#pen, cap };
  }

  setDashes(dashes: { hasDots: boolean } | undefined): void {
    if (dashes !== undefined) this.#pen = { ...this.#pen, hasDots: dashes.hasDots };
  }

  /** Whether lines may be of dots with square ends, which Poppler does not draw on screen. */
  get areOfSquares(): boolean {
    return this.#pen.hasDots === true && this.#pen.cap !== BUTT && this.#pen.cap !== ROUND;
  }

  /** Whether they are where dashes of who uses the content have no length. */
  get maySquareDots(): boolean {
    return this.#pen.hasDots === undefined && this.#pen.cap !== null && this.#pen.cap > ROUND;
  }

  /** Takes an operator, with what is known of its list; whether all readers draw it alike. */
  goOn({ name, kind }: Operator, values: Float64Array, list: { hasDots: boolean }): boolean {
    if (kind === "save") this.#saved.push(this.#pen);
    else if (kind === "restore") this.#pen = this.#saved.pop() ?? this.#pen;
    else if (name === "w") this.setWidth(values[0]);
    else if (name === "J") this.setCap(values[0]);
    else if (name === "d") this.setDashes(list);
    else if (name === "Tr")
      this.#pen = { ...this.#pen, isOutlined: OUTLINED.includes(values[0]), isBoth: values[0] === BOTH };
    else if (kind === "begin_path") this.#begin(name, values);
    else if (kind === "path") this.#lead(name, values);
    else if (kind === "paint") return this.#paint(name);
    return true;
  }

  #begin(name: string, [x = 0, y = 0, width = 0, height = 0]: Float64Array): void {
    this.#end();
    this.#start = [x, y];
    if (name === "re") this.#hasDot ||= width === 0 || height === 0;
  }

  #lead(name: string, values: Float64Array): void {
    this.#hasLine = true;
    const count = name === "h" ? 0 : name === "l" ? 2 : name === "c" ? 6 : 4;
    for (let index = 0; index < count; index += 1)
      if (Math.abs((values[index] ?? 0) - (this.#start[index % 2] ?? 0)) >= SHORTEST) this.#goes = true;
  }

  #end(): void {
    if (this.#hasLine && !this.#goes) this.#hasDot = true;
    this.#hasLine = false;
    this.#goes = false;
  }

  #paint(name: string): boolean {
    this.#end();
    const isDotted = this.#hasDot && this.#pen.cap !== BUTT && /[sSbB]/.test(name);
    this.#hasDot = false;
    return !isDotted;
  }
}
