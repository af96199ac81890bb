import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { Damaged, unlessDamaged } from "./faults.ts";
import type { Page } from "./pages.ts";
import type { PdfFile } from "./pdf-file.ts";
import { recovered } from "./recovery.ts";

const key = (name: string) => PDFName.of(name);

/** What leads from an annotation to other things, and draws nothing. */
const leading = new Set(["A", "AA", "Dest", "IRT", "Kids", "P", "Parent", "Popup"].map(key));

/**
 * Makes sure that pages draw nothing that the cross-reference has deleted, or never had, and that still stands in the
 * file: some readers miss it and look for it, others leave it out, so nobody could tell what was signed. Throws
 * {@link Damaged}.
 */
export const assertDrawsNothingDeleted = (file: PdfFile, pages: readonly Page[]): void => {
  const missing = missingIn(file, pages);
  const rebuilt = missing.length > 0 ? unlessDamaged(() => recovered(file.bytes)) : undefined;
  if (missing.some((number) => unlessDamaged(() => rebuilt?.uncached(number)) !== undefined)) {
    throw new Damaged("a page of it draws what was deleted");
  }
};

/** Numbers of the objects that pages need to be drawn, and that the cross-reference does not have. */
const missingIn = (file: PdfFile, pages: readonly Page[]): number[] => {
  const walk = new Walk(file);
  // Pages may share what they have.
  for (const contents of new Set(pages.map(({ dict }) => dict.get(key("Contents"))))) walk.through(contents);
  for (const resources of new Set(pages.map((page) => page.resources))) walk.through(resources);
  for (const list of new Set(pages.map(({ dict }) => file.arrayEntry(dict, "Annots")))) {
    for (let index = 0; index < (list?.size() ?? 0); index += 1) {
      const annotation = walk.objectOf(list?.get(index));
      if (!(annotation instanceof PDFDict)) continue;
      for (const [name, value] of annotation.entries()) if (!leading.has(name)) walk.through(value);
    }
  }
  return walk.missing;
};

/** Goes through objects with all that they refer to, each of them once. */
class Walk {
  readonly missing: number[] = [];
  readonly #file: PdfFile;
  readonly #visited = new Set<number>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  through(root: PDFObject | undefined): void {
    const pending = [root];
    while (pending.length > 0) {
      const object = this.objectOf(pending.pop());
      if (object instanceof PDFArray) {
        for (let index = 0; index < object.size(); index += 1) pending.push(object.get(index));
      } else if (object instanceof PDFDict) {
        for (const value of object.values()) pending.push(value);
      }
    }
  }

  /** An object itself; undefined where it was visited already, or is missing. */
  objectOf(value: PDFObject | undefined): PDFObject | undefined {
    if (!(value instanceof PDFRef)) return value;
    const { objectNumber } = value;
    if (this.#visited.has(objectNumber)) return undefined;
    this.#visited.add(objectNumber);
    const object = unlessDamaged(() => this.#file.uncached(objectNumber)?.object);
    if (object === undefined && !this.#file.crossReference.locations.get(objectNumber)) this.missing.push(objectNumber);
    // An object may be a reference itself.
    return object instanceof PDFRef ? this.objectOf(object) : object;
  }
}
