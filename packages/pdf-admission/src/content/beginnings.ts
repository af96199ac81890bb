import { type Begun, Setting } from "./begun-with.ts";
import type { NamedBy } from "./named-contents.ts";
import { Manner } from "./used.ts";

/** Whether readers begin what is used by a content with the same settings: they do with those that are as on a new page. */

const { width, dashes, ends, corners, miter, fill, stroke, fillPattern, strokePattern } = Setting;
const { mode, characters, words, scale, rise, leading, outline, color } = Setting;
const [LINES, PATTERNS] = [width | dashes | ends | corners | miter, fillPattern | strokePattern];
const TEXT = mode | characters | words | scale | rise | leading;
/** By what something is used as: settings of its user that only some readers begin it with. */
const doubtful: Readonly<Record<string, number>> = {
  // PDFium does not; Poppler draws cells of patterns that a form begins with by what its user sets, and prints no glyphs
  // that are contents by lines around them.
  XObject: scale | rise | leading | PATTERNS | outline,
  // PDFium does not, nor does Poppler on screen; MuPDF takes those of when something is drawn through it.
  ExtGState: LINES | fill | stroke | PATTERNS | TEXT,
  // Poppler does, MuPDF with colors and the other pattern.
  Pattern: dashes | fill | stroke | PATTERNS | TEXT,
  // PDFium does not, nor does Poppler in print; both draw lines in the color of areas.
  Font: LINES | TEXT | color,
};

interface Beginning {
  begun: Begun;
  /** In which manners it draws forms, by their names. */
  drawn: ReadonlyMap<string, number>;
}

export class Beginnings<Node extends Beginning> {
  readonly #nodes: ReadonlyMap<number, Node>;
  readonly #namedBy: NamedBy<Node>;
  readonly #isGroup: (number: number) => boolean;
  readonly #begun = new Map<number, number>();
  readonly #needs = new Map<number, number>();
  readonly #needsOfAll = new Map<readonly number[], number>();
  readonly #begunOfAll = new Map<readonly number[], number>();
  readonly #ever = new Map<number, number>();

  /**
   * @param nodes forms, patterns, masks and glyphs, by their numbers, of which none lies within itself
   * @param namedBy which objects a content means by a name
   * @param isGroup whether a form is a group: Poppler begins none with its user's lines on screen
   */
  constructor(nodes: ReadonlyMap<number, Node>, namedBy: NamedBy<Node>, isGroup: (number: number) => boolean) {
    this.#nodes = nodes;
    this.#namedBy = namedBy;
    this.#isGroup = isGroup;
  }

  areAgreed(pages: readonly Node[]): boolean {
    return [...pages, ...this.#nodes.values()].every((node) => this.#isAgreed(node, 0));
  }

  /** @param begun settings that a content is begun with, other than those of a new page */
  #isAgreed(node: Node, begun: number): boolean {
    for (const [category, names] of node.begun.given)
      for (const [name, given] of names) {
        const altered =
          given.altered | (begun & given.unset) | (category === "ExtGState" ? this.#throughMasks(node) : 0);
        if (altered === 0) continue;
        const used = this.#namedBy(node, category, name);
        const isGroup = category === "XObject" && used.some(this.#isGroup);
        const doubts = altered & ((doubtful[category] ?? 0) | (isGroup ? LINES : 0));
        if ((this.#needsOfEach(used) & doubts) !== 0 || !this.#beginEach(used, altered)) return false;
      }
    return true;
  }

  /** MuPDF draws masks with what a form sets that is drawn through them, too. */
  #throughMasks(node: Node): number {
    let ever = 0;
    for (const [name, manner] of node.drawn)
      if ((manner & Manner.masked) !== 0)
        for (const number of this.#namedBy(node, "XObject", name)) ever |= this.#everIn(number);
    return ever;
  }

  /** What a form sets at any time, itself or by others that it draws. */
  #everIn(number: number): number {
    const node = this.#nodes.get(number);
    if (node === undefined) return 0;
    const known = this.#ever.get(number);
    if (known !== undefined) return known;
    let ever = node.begun.everAltered;
    for (const name of node.begun.given.get("XObject")?.keys() ?? [])
      for (const used of this.#namedBy(node, "XObject", name)) ever |= this.#everIn(used);
    this.#ever.set(number, ever);
    return ever;
  }

  /** Once for each list, since many contents show text in a font of many glyphs. */
  #beginEach(numbers: readonly number[], altered: number): boolean {
    const known = this.#begunOfAll.get(numbers) ?? 0;
    if (numbers.length > 1 && (known | altered) === known) return true;
    if (numbers.length > 1) this.#begunOfAll.set(numbers, known | altered);
    return numbers.every((number) => this.#begin(number, altered));
  }

  #begin(number: number, altered: number): boolean {
    const [node, known] = [this.#nodes.get(number), this.#begun.get(number) ?? 0];
    if (node === undefined || (known | altered) === known) return true;
    this.#begun.set(number, known | altered);
    return this.#isAgreed(node, known | altered);
  }

  #needsOfEach(numbers: readonly number[]): number {
    if (numbers.length === 1) return this.#needsOf(numbers[0] as number);
    const known = this.#needsOfAll.get(numbers) ?? numbers.reduce((needs, one) => needs | this.#needsOf(one), 0);
    this.#needsOfAll.set(numbers, known);
    return known;
  }

  /** Settings that a content, or what it uses, draws with as it was begun. */
  #needsOf(number: number): number {
    const node = this.#nodes.get(number);
    if (node === undefined) return 0;
    const known = this.#needs.get(number);
    if (known !== undefined) return known;
    let needs = node.begun.relied;
    for (const [category, names] of node.begun.given)
      for (const [name, { unset }] of names)
        if (unset !== 0) needs |= this.#needsOfEach(this.#namedBy(node, category, name)) & unset;
    this.#needs.set(number, needs);
    return needs;
  }
}
