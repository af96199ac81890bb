import { PDFArray, type PDFContext, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { names } from "./names.ts";
import type { PdfFile } from "./pdf-file.ts";

const [TYPE, PAGES, PAGE, KIDS, COUNT, PARENT, MEDIA_BOX] = names(
  "Type",
  "Pages",
  "Page",
  "Kids",
  "Count",
  "Parent",
  "MediaBox",
);
/** For the size of a page that says none. */
const LETTER = [0, 0, 612, 792];

/** What pages inherit, and what it is: where it is something else, or nothing, some readers inherit nothing. */
const inheritable = [
  [PDFName.of("Resources"), PDFDict],
  [MEDIA_BOX, PDFArray],
  [PDFName.of("CropBox"), PDFArray],
  [PDFName.of("Rotate"), PDFNumber],
] as const;

/**
 * Whether readers may differ in which pages there are, or in their boxes and resources. That is so where a node of the page
 * tree is not a dictionary, or is met twice; has no `Type`, or one that does not fit whether it has kids; names another
 * parent than the node that lists it; has another number of pages than it says; has an entry that pages inherit, and
 * which is not of its type; or is a page without a size.
 */
export const pageNodeIsDoubtful = (file: PdfFile): boolean =>
  Number.isNaN(pagesIn(file, file.catalog.get(PAGES), undefined, false, new Set()));

/** How many pages a node has; not a number where it is doubtful. Trees are not deep where pages were found. */
const pagesIn = (
  file: PdfFile,
  ref: PDFObject | undefined,
  parent: PDFRef | undefined,
  isSized: boolean,
  seen: Set<PDFRef>,
): number => {
  const node = ref instanceof PDFRef && !seen.has(ref) ? file.resolve(ref) : undefined;
  if (!(ref instanceof PDFRef && node instanceof PDFDict)) return Number.NaN;
  seen.add(ref);
  const kids = file.arrayEntry(node, "Kids");
  if (file.nameEntry(node, "Type") !== (kids === undefined ? "Page" : "Pages")) return Number.NaN;
  if (node.get(PARENT) !== parent) return Number.NaN;
  if (
    inheritable.some(
      ([name, kind]) => node.get(name, true) !== undefined && !(file.resolve(node.get(name)) instanceof kind),
    )
  )
    return Number.NaN;
  const hasSize = isSized || node.has(MEDIA_BOX);
  if (kids === undefined) return node.has(KIDS) || !hasSize ? Number.NaN : 1;
  let pages = 0;
  for (const kid of kids.asArray()) pages += pagesIn(file, kid, ref, hasSize, seen);
  return file.numberEntry(node, "Count") === pages ? pages : Number.NaN;
};

/** Gives each node of a page tree the one kind that it was read as, its own parent, as many pages as it has, and a size, in place. */
export const settlePageNodes = (context: PDFContext, catalog: PDFRef): void => {
  const root = context.lookupMaybe(catalog, PDFDict)?.get(PAGES);
  settleNode(context, root, undefined, false, new Set());
};

/** Returns how many pages it has; undefined where it is not a page node. */
const settleNode = (
  context: PDFContext,
  ref: PDFObject | undefined,
  parent: PDFRef | undefined,
  isSized: boolean,
  seen: Set<PDFRef>,
): number | undefined => {
  const node = ref instanceof PDFRef && !seen.has(ref) ? context.lookup(ref) : undefined;
  if (!(ref instanceof PDFRef && node instanceof PDFDict)) return undefined;
  seen.add(ref);
  if (parent === undefined) node.delete(PARENT);
  else node.set(PARENT, parent);
  for (const [name, kind] of inheritable) if (!(context.lookup(node.get(name)) instanceof kind)) node.delete(name);
  const kids = context.lookup(node.get(KIDS));
  const isPage = context.lookup(node.get(TYPE)) === PAGE || !(kids instanceof PDFArray);
  node.set(TYPE, isPage ? PAGE : PAGES);
  const hasSize = isSized || node.has(MEDIA_BOX);
  if (isPage) {
    if (!hasSize) node.set(MEDIA_BOX, context.obj(LETTER));
    for (const name of [KIDS, COUNT]) node.delete(name);
    return 1;
  }
  const settled = kids.asArray().map((kid) => [kid, settleNode(context, kid, ref, hasSize, seen)] as const);
  const own = settled.filter(([, pages]) => pages !== undefined);
  node.set(COUNT, PDFNumber.of(own.reduce((sum, [, pages]) => sum + (pages ?? 0), 0)));
  if (own.length < settled.length) node.set(KIDS, context.obj(own.map(([kid]) => kid)));
  return own.reduce((sum, [, pages]) => sum + (pages ?? 0), 0);
};
