import { TooComplex } from "@rubrica/pdf-reading/faults";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, type PDFObject } from "pdf-lib";

/**
 * Fonts that a form names and lacks: readers look for them elsewhere, each at another place, take their own, or show nothing.
 * Most take the one that the page has by that name.
 */

/** So many resources are asked for the names that forms lack. */
const MAX_LOOKUPS = 1_000_000;

const [RESOURCES, FONT] = names("Resources", "Font");

/** Finds fonts for forms that lack some, among all resources of a file. */
export class GivenFonts {
  readonly #file: PdfFile;
  readonly #all: ReadonlySet<PDFDict>;
  readonly #known = new Map<string, PDFObject | null>();
  #lookups = 0;

  constructor(file: PdfFile, all: ReadonlySet<PDFDict>) {
    this.#file = file;
    this.#all = all;
  }

  /** Resources with a font for each name; null where the file has several by one of them. Throws `TooComplex`. */
  within(resources: PDFDict, names: Iterable<string>): PDFDict | null {
    const given = resources.clone();
    const fonts = this.#file.dictEntry(resources, "Font")?.clone() ?? PDFDict.withContext(this.#file.context);
    for (const name of names) {
      const font = this.#named(name);
      if (font === null) return null;
      fonts.set(PDFName.of(name), font);
    }
    given.set(FONT, fonts);
    return given;
  }

  /** The font that the file has by a name, or else one that all readers have. */
  #named(name: string): PDFObject | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    this.#lookups += this.#all.size;
    if (this.#lookups > MAX_LOOKUPS) throw new TooComplex("too many of its forms lack their fonts");
    const found = new Set<PDFObject>();
    for (const resources of this.#all) {
      const font = this.#file.dictEntry(resources, "Font")?.get(PDFName.of(name));
      if (font !== undefined) found.add(font);
    }
    const [first = this.#file.context.obj(ANYWHERE)] = found;
    const areOne = found.size <= 1 || new Set([...found].map(String)).size === 1;
    const font = areOne ? first : null;
    this.#known.set(name, font);
    return font;
  }
}

const ANYWHERE = { Type: "Font", Subtype: "Type1", BaseFont: "Helvetica", Encoding: "WinAnsiEncoding" };

/** Gives a form other resources. */
export const setResources = (form: PDFObject, resources: PDFDict | undefined): void => {
  if (resources !== undefined && form instanceof PDFDict) form.set(RESOURCES, resources);
};
