import { PDFArray, type PDFContext, PDFDict, PDFName, PDFRef } from "pdf-lib";
import type { PdfFile } from "./pdf-file.ts";

const [TYPE, PAGES, PAGE, KIDS, COUNT] = ["Type", "Pages", "Page", "Kids", "Count"].map((name) => PDFName.of(name)) as [
  PDFName,
  PDFName,
  PDFName,
  PDFName,
  PDFName,
];

/** Whether a node of the page tree calls itself a page and has kids, or has no kind, or another: readers go by one or the other. */
export const pageNodeIsDoubtful = (file: PdfFile): boolean => {
  const seen = new Set<PDFRef>();
  const left = [file.catalog.get(PAGES)];
  while (left.length > 0) {
    const ref = left.pop();
    if (!(ref instanceof PDFRef) || seen.has(ref)) continue;
    seen.add(ref);
    const node = file.resolve(ref);
    if (!(node instanceof PDFDict)) continue;
    const kids = file.arrayEntry(node, "Kids");
    if (file.nameEntry(node, "Type") !== (kids === undefined ? "Page" : "Pages")) return true;
    if (kids === undefined && node.has(KIDS)) return true;
    left.push(...(kids?.asArray() ?? []));
  }
  return false;
};

/** Gives each node of a page tree the one kind that it was read as, in place. */
export const settlePageNodes = (context: PDFContext, catalog: PDFRef): void => {
  const root = context.lookupMaybe(catalog, PDFDict)?.get(PAGES);
  const seen = new Set<PDFRef>();
  const left = [root];
  while (left.length > 0) {
    const ref = left.pop();
    if (!(ref instanceof PDFRef) || seen.has(ref)) continue;
    seen.add(ref);
    const node = context.lookup(ref);
    if (!(node instanceof PDFDict)) continue;
    const kids = context.lookup(node.get(KIDS));
    const isPage = context.lookup(node.get(TYPE)) === PAGE || !(kids instanceof PDFArray);
    node.set(TYPE, isPage ? PAGE : PAGES);
    if (!isPage) left.push(...kids.asArray());
    else for (const name of [KIDS, COUNT]) node.delete(name);
  }
};
