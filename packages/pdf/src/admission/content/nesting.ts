import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";

/**
 * How contents lie within each other: forms, patterns, masks and glyphs, by the names that they use. Each reader gives up
 * at another depth (PDFium beyond forty, MuPDF beyond sixty), or draws what lies within itself once more than others do.
 */

/** Honest files have few levels. */
const MAX_DEPTH = 28;
/** PDFium draws no glyphs that are drawn by glyphs. */
const MAX_GLYPHS = 1;
/** So often contents without resources of their own may ask those of all others. */
const MAX_LOOKUPS = 1_000_000;

/** What a content uses of its resources: names of each category. */
export type Uses = ReadonlyMap<string, ReadonlySet<string>>;

interface Node {
  isGlyph: boolean;
  uses: Uses;
  /** Undefined where it uses those of whoever uses it. */
  resources: PDFDict | undefined;
}

interface Height {
  contents: number;
  glyphs: number;
}

const TOO_HIGH: Height = { contents: Number.POSITIVE_INFINITY, glyphs: 0 };

export class Nesting {
  readonly #file: PdfFile;
  readonly #nodes = new Map<number, Node>();
  readonly #resources = new Set<PDFDict>();
  readonly #heights = new Map<number, Height>();
  readonly #asked = new Map<string, readonly number[]>();
  #lookups = 0;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Takes resources that contents without any may find names in. */
  addResources(resources: PDFDict): void {
    this.#resources.add(resources);
  }

  /** Takes a form, a pattern or a glyph. */
  add(number: number, node: Node): void {
    if (node.isGlyph || node.uses.size > 0) this.#nodes.set(number, node);
  }

  /** Whether some content lies deeper than all readers draw it, or within itself. Throws `TooComplex`. */
  isTooDeep(): boolean {
    return [...this.#nodes.keys()].some((number) => {
      const { contents, glyphs } = this.#heightOf(number, new Set());
      return contents > MAX_DEPTH || glyphs > MAX_GLYPHS;
    });
  }

  #heightOf(number: number, above: Set<number>): Height {
    const known = this.#heights.get(number);
    if (known !== undefined) return known;
    const node = this.#nodes.get(number);
    if (node === undefined) return { contents: 1, glyphs: 0 };
    if (above.has(number) || above.size >= MAX_DEPTH) return TOO_HIGH;
    above.add(number);
    let [contents, glyphs] = [0, 0];
    for (const used of this.#usedBy(node)) {
      const height = this.#heightOf(used, above);
      contents = Math.max(contents, height.contents);
      glyphs = Math.max(glyphs, height.glyphs);
    }
    above.delete(number);
    const height = { contents: contents + 1, glyphs: glyphs + (node.isGlyph ? 1 : 0) };
    this.#heights.set(number, height);
    return height;
  }

  *#usedBy({ uses, resources }: Node): Generator<number> {
    for (const [category, names] of uses)
      for (const name of names)
        yield* resources ? this.#named(resources, category, name) : this.#namedAnywhere(category, name);
  }

  #namedAnywhere(category: string, name: string): readonly number[] {
    const key = `${category}/${name}`;
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    this.#lookups += this.#resources.size;
    if (this.#lookups > MAX_LOOKUPS) throw new TooComplex("too many of its contents have no resources of their own");
    const found = [...this.#resources].flatMap((resources) => this.#named(resources, category, name));
    this.#asked.set(key, found);
    return found;
  }

  #named(resources: PDFDict, category: string, name: string): number[] {
    const given = this.#file.dictEntry(resources, category)?.get(PDFName.of(name));
    if (category === "XObject" || category === "Pattern") return numbersOf([given]);
    const object = this.#file.resolve(given);
    if (!(object instanceof PDFDict)) return [];
    if (category === "ExtGState") return numbersOf([this.#file.dictEntry(object, "SMask")?.get(PDFName.of("G"))]);
    return numbersOf(this.#file.dictEntry(object, "CharProcs")?.values() ?? []);
  }
}

const numbersOf = (values: readonly (PDFObject | undefined)[]): number[] =>
  values.flatMap((value) => (value instanceof PDFRef ? [value.objectNumber] : []));
