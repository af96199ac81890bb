import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, type PDFObject, PDFRef } from "pdf-lib";
import type { Content } from "./contents.ts";

const [PATTERN_TYPE, TYPE, OCG, OCMD] = names("PatternType", "Type", "OCG", "OCMD");
const LAYERS: readonly (PDFObject | undefined)[] = [OCG, OCMD];
/** What draws by resources of its own. */
const DRAWN = ["XObject", "Font", "Pattern"];

/**
 * What belongs to a layer, and is a part of a pattern, a glyph, an annotation or a soft mask: PDFium draws it there, whether
 * the layer is on or off, and pdf.js leaves out of account that a mask is of a layer itself.
 */
export class LayeredParts {
  readonly #file: PdfFile;
  /** Resources by which nothing is drawn that belongs to a layer. */
  readonly #layerless = new Set<PDFDict>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Whether a content is one of these and draws such a part, or draws through a mask that has one. */
  isIn({ kind, parts: [part], resources, isAppearance }: Content): boolean {
    if (resources === undefined) return false;
    const object = part instanceof PDFRef ? this.#file.uncached(part.objectNumber)?.object : undefined;
    const form = object instanceof PDFDict ? object : undefined;
    if (isAppearance && this.#file.entry(form, "OC") !== undefined) return true;
    const isInner = kind === "glyph" || isAppearance || form?.has(PATTERN_TYPE) === true;
    return (isInner && this.#drawsLayered(resources)) || this.#masksOf(resources).some((mask) => this.#isLayered(mask));
  }

  #masksOf(resources: PDFDict): PDFDict[] {
    return this.#dictsIn(resources, "ExtGState")
      .map((state) => this.#file.dictEntry(this.#file.dictEntry(state, "SMask"), "G"))
      .filter((group) => group !== undefined);
  }

  #isLayered(drawn: PDFDict): boolean {
    const within = this.#file.dictEntry(drawn, "Resources");
    return this.#file.entry(drawn, "OC") !== undefined || (within !== undefined && this.#drawsLayered(within));
  }

  /** Whether something is drawn by these resources that belongs to a layer, be it within a form, a glyph, a pattern or a mask. */
  #drawsLayered(resources: PDFDict): boolean {
    const left = [resources];
    for (let own = left.pop(); own !== undefined; own = left.pop()) {
      if (this.#layerless.has(own)) continue;
      this.#layerless.add(own);
      if (this.#dictsIn(own, "Properties").some((list) => LAYERS.includes(this.#file.resolve(list.get(TYPE)))))
        return true;
      const drawn = [...DRAWN.flatMap((kind) => this.#dictsIn(own, kind)), ...this.#masksOf(own)];
      for (const one of drawn) {
        if (this.#file.entry(one, "OC") !== undefined) return true;
        const within = this.#file.dictEntry(one, "Resources");
        if (within !== undefined) left.push(within);
      }
    }
    return false;
  }

  /** What resources have of a kind, by whatever names. */
  #dictsIn(resources: PDFDict, kind: string): PDFDict[] {
    const all = this.#file.dictEntry(resources, kind)?.values() ?? [];
    return all.map((given) => this.#file.resolve(given)).filter((one) => one instanceof PDFDict);
  }
}
