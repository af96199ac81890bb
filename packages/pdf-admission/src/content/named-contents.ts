import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";

/** So often contents without resources of their own may ask those of all others … */
const MAX_LOOKUPS = 1_000_000;
/** … and be given something that these name. */
const MAX_GIVEN = 10_000_000;

/** The numbers of what a content uses by a name of its resources: forms, patterns, masks, or a font's glyphs. */
export type NamedBy<Node> = (node: Node, category: string, name: string) => readonly number[];

/**
 * Finds the contents that others use by the names in their resources. One without resources uses those of whoever uses it:
 * what anybody's have by that name.
 */
export class NamedContents {
  readonly #file: PdfFile;
  readonly #resources = new Set<PDFDict>();
  readonly #glyphs = new Map<PDFDict, readonly number[]>();
  readonly #asked = new Map<string, readonly number[]>();
  #lookups = 0;
  #given = 0;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Takes resources that contents without any may find names in. */
  add(resources: PDFDict): void {
    this.#resources.add(resources);
  }

  /** All of them, to go through once. Throws `TooComplex` when that is done too often. */
  everybodys(): ReadonlySet<PDFDict> {
    this.#lookups += this.#resources.size;
    if (this.#lookups > MAX_LOOKUPS) throw new TooComplex("too many of its contents have no resources of their own");
    return this.#resources;
  }

  /** The numbers of forms, patterns, masks, or of a font's glyphs, by a name; the same list where it is asked again. */
  by(resources: PDFDict | undefined, category: string, name: string): readonly number[] {
    return resources ? this.#in(resources, category, name) : this.#inAny(category, name);
  }

  #inAny(category: string, name: string): readonly number[] {
    const key = `${category}/${name}`;
    const known = this.#asked.get(key);
    if (known !== undefined) {
      this.#given += known.length;
      if (this.#given > MAX_GIVEN) throw new TooComplex("its contents without resources find too much by their names");
      return known;
    }
    // Once each: many pages may have the same by a name.
    const found = [...new Set([...this.everybodys()].flatMap((resources) => this.#in(resources, category, name)))];
    this.#asked.set(key, found);
    return found;
  }

  #in(resources: PDFDict, category: string, name: string): readonly number[] {
    const given = this.#file.dictEntry(resources, category)?.get(PDFName.of(name));
    if (category === "XObject" || category === "Pattern") return numbersOf([given]);
    const object = this.#file.resolve(given);
    if (!(object instanceof PDFDict)) return [];
    if (category === "ExtGState") return numbersOf([this.#file.dictEntry(object, "SMask")?.get(PDFName.of("G"))]);
    const procedures = this.#file.dictEntry(object, "CharProcs");
    if (procedures === undefined) return [];
    const glyphs = this.#glyphs.get(procedures) ?? numbersOf(procedures.values());
    this.#glyphs.set(procedures, glyphs);
    return glyphs;
  }
}

const numbersOf = (values: readonly (PDFObject | undefined)[]): number[] =>
  values.flatMap((value) => (value instanceof PDFRef ? [value.objectNumber] : []));
