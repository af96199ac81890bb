import { type PDFArray, PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { Damaged, TooComplex } from "./faults.ts";
import type { PdfFile } from "./pdf-file.ts";
import type { Revision } from "./revision.ts";

/** The most that a page tree may have. */
export const MAX_PAGES = 10_000;
export const MAX_TREE_DEPTH = 100;
/** All copies of pages that stand in a tree more than once. */
const MAX_COPIED_BYTES = 4 * 1024 * 1024;

const key = (name: string) => PDFName.of(name);

/**
 * The kids of a page tree's node; undefined when it is a page itself. What calls itself a page is one even where
 * it has kids, as for other readers.
 */
export const kidsOf = (file: PdfFile, node: PDFDict): PDFArray | undefined =>
  file.nameEntry(node, "Type") === "Page" ? undefined : file.arrayEntry(node, "Kids");

/**
 * Gives pages that stand in the tree more than once objects of their own, in a revision, so that each can be changed
 * alone. Throws `Damaged` where a page is missing of a file whose cross-reference is wrong: it may have been cut off.
 */
export const repairPageTree = (file: PdfFile, revision: Revision): void => {
  const root = file.catalog.get(key("Pages"));
  if (!(root instanceof PDFRef)) throw new Damaged("it has no page tree");
  new Tree(file, revision).own(root, undefined, 0);
};

class Tree {
  readonly #file: PdfFile;
  readonly #revision: Revision;
  readonly #seen = new Set<PDFRef>();
  readonly #ancestors = new Set<PDFRef>();
  #visits = 0;
  #copiedBytes = 0;

  constructor(file: PdfFile, revision: Revision) {
    this.#file = file;
    this.#revision = revision;
  }

  /** The reference of a node, or that of a copy where it needs one. */
  own(given: PDFRef, parent: PDFRef | undefined, depth: number): PDFRef {
    this.#visits += 1;
    if (depth > MAX_TREE_DEPTH) throw new TooComplex("its page tree is nested too deeply");
    if (this.#visits > 2 * MAX_PAGES) throw new TooComplex("it has too many pages");
    if (this.#ancestors.has(given)) throw new Damaged("its page tree runs in a circle");
    const node = this.#file.resolve(given);
    if (!(node instanceof PDFDict)) {
      if (this.#file.crossReference.startOffset === null) throw new Damaged("a page of it is missing");
      return given;
    }
    const isFirst = !this.#seen.has(given);
    this.#seen.add(given);
    const copy = isFirst ? undefined : this.#copyOf(node);
    const ref = copy === undefined ? given : this.#revision.add(copy);
    if (parent !== undefined) copy?.set(key("Parent"), parent);
    this.#ancestors.add(given);
    const kids = kidsOf(this.#file, node)?.asArray() ?? [];
    const owned = kids.map((kid) => this.own(referenceTo(kid), ref, depth + 1));
    this.#ancestors.delete(given);
    if (owned.every((kid, index) => kid === kids[index])) return ref;
    const changed = copy ?? this.#copyOf(node);
    changed.set(key("Kids"), this.#revision.context.obj(owned));
    if (isFirst) this.#revision.replace(ref, changed);
    return ref;
  }

  #copyOf(node: PDFDict): PDFDict {
    this.#copiedBytes += node.sizeInBytes();
    if (this.#copiedBytes > MAX_COPIED_BYTES) throw new TooComplex("too much of its page tree would have to be copied");
    return node.clone();
  }
}

/** Of a page that is no object of its own some readers show nothing: nobody could tell what was signed. */
export const referenceTo = (kid: PDFObject): PDFRef => {
  if (!(kid instanceof PDFRef)) throw new Damaged("a page of it is no object of its own");
  return kid;
};
