import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict } from "pdf-lib";
import type { NamedBy } from "./named-contents.ts";
import type { Uses } from "./used.ts";

interface Drawn {
  /** Whether it is a glyph in colors of its own. */
  isColored: boolean;
  /** Whether it is one that draws more than once. */
  isRepeated: boolean;
  uses: Uses;
  /** What it uses while that is seen through. */
  clear: ReadonlyMap<string, ReadonlySet<string>>;
  resources: PDFDict | undefined;
}

/**
 * Glyphs in colors of their own, or that draw more than once, drawn as if they could be seen through: pdf.js and PDFium draw
 * them as they are, or see each of their areas by itself. What a form draws that is a group is not: it is seen through as a
 * whole.
 */
export class ClearGlyphs<Node extends Drawn> {
  readonly #file: PdfFile;
  readonly #nodes: ReadonlyMap<number, Node>;
  readonly #namedBy: NamedBy<Node>;
  readonly #known = new Map<readonly number[], boolean>();

  constructor(file: PdfFile, nodes: ReadonlyMap<number, Node>, namedBy: NamedBy<Node>) {
    this.#file = file;
    this.#nodes = nodes;
    this.#namedBy = namedBy;
  }

  /** Whether pages, or what is drawn on them, have such. */
  areAmong(pages: readonly Node[]): boolean {
    if (![...this.#nodes.values()].some((node) => node.isColored || node.isRepeated)) return false;
    const seen = new Set<Node>();
    const isSo = (node: Node, names: (category: string) => Iterable<string>): boolean => {
      const used = (category: string) => [...names(category)].map((name) => this.#namedBy(node, category, name));
      if (used("Font").some((glyphs) => this.#areSo(glyphs))) return true;
      return used("XObject")
        .flat()
        .some((number) => {
          const form = this.#nodes.get(number);
          if (form === undefined || seen.has(form) || this.#isGroup(number)) return false;
          seen.add(form);
          return isSo(form, (category) => form.uses.get(category)?.keys() ?? []);
        });
    };
    return [...pages, ...this.#nodes.values()].some((node) => isSo(node, (category) => node.clear.get(category) ?? []));
  }

  #areSo(glyphs: readonly number[]): boolean {
    const isSo = (glyph: number) => (this.#nodes.get(glyph)?.isColored || this.#nodes.get(glyph)?.isRepeated) === true;
    const known = this.#known.get(glyphs) ?? glyphs.some(isSo);
    this.#known.set(glyphs, known);
    return known;
  }

  #isGroup(number: number): boolean {
    const form = this.#file.uncached(number)?.object;
    const group = form instanceof PDFDict ? this.#file.dictEntry(form, "Group") : undefined;
    return this.#file.nameEntry(group, "S") === "Transparency";
  }
}
