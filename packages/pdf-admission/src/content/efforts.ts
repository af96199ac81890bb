import type { PDFDict } from "pdf-lib";
import type { NamedBy } from "./named-contents.ts";
import type { Uses } from "./used.ts";

/**
 * How many operators a reader may go through for a page: the most of honest files are 320,000. Drawing a form takes as long
 * as many others; of a font's glyphs few are those with the most. pdf.js takes seconds for it.
 */
const [MAX_EFFORT, EFFORT_OF_FORM, SHARE_OF_GLYPHS] = [10_000_000, 100, 0.1];

interface Drawn {
  uses: Uses;
  operators: number;
  resources: PDFDict | undefined;
}

/** How many operators readers go through to draw contents, with all that lies in them. */
export class Efforts<Node extends Drawn> {
  readonly #nodes: ReadonlyMap<number, Node>;
  readonly #namedBy: NamedBy<Node>;
  readonly #known = new Map<number, number>();
  readonly #mosts = new Map<readonly number[], number>();

  /** @param nodes forms, patterns and glyphs, none of which lies within itself */
  constructor(nodes: ReadonlyMap<number, Node>, namedBy: NamedBy<Node>) {
    this.#nodes = nodes;
    this.#namedBy = namedBy;
  }

  /** Whether readers take minutes for some page or form. */
  areTooMuch(pages: readonly Node[]): boolean {
    return (
      pages.some((page) => this.#of(page) > MAX_EFFORT) ||
      [...this.#nodes.keys()].some((one) => this.#at(one) > MAX_EFFORT)
    );
  }

  #at(number: number): number {
    const node = this.#nodes.get(number);
    const effort = this.#known.get(number) ?? (node ? this.#of(node) : 0);
    this.#known.set(number, effort);
    return effort;
  }

  #of(node: Node): number {
    let effort = node.operators;
    for (const [category, names] of node.uses)
      for (const [name, times] of names) {
        const used = this.#namedBy(node, category, name);
        const most = this.#mostOf(used);
        effort +=
          times *
          (category === "Font"
            ? most * SHARE_OF_GLYPHS
            : most + (used.some((one) => this.#nodes.has(one)) ? EFFORT_OF_FORM : 0));
      }
    return effort;
  }

  /** Once for each list, since pages share fonts of many glyphs. */
  #mostOf(numbers: readonly number[]): number {
    if (numbers.length === 1) return this.#at(numbers[0] as number);
    const known = this.#mosts.get(numbers) ?? numbers.reduce((most, one) => Math.max(most, this.#at(one)), 0);
    this.#mosts.set(numbers, known);
    return known;
  }
}
