import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { Damaged, TooComplex } from "./faults.ts";
import { kidsOf, MAX_PAGES, MAX_TREE_DEPTH, referenceTo } from "./page-tree.ts";
import type { PdfFile } from "./pdf-file.ts";

/** A box beyond it is no box: pages are up to 14,400 units large (ISO 32000-1, annex C). */
const MAX_COORDINATE = 10_000_000;
const PAGES = PDFName.of("Pages");
const CONTENTS = PDFName.of("Contents");
const LETTER: Box = { left: 0, bottom: 0, right: 612, top: 792 };

/** A rectangle in a page's own coordinates (user space units, y upwards). */
export interface Box {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

/** Points from the top left corner of a page as seen. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Size of a page as seen, in points (1/72 inch). */
export interface PageSize {
  width: number;
  height: number;
}

/** A page with all that it inherits (ISO 32000-2, 7.7.3.4). */
export interface Page {
  ref: PDFRef;
  dict: PDFDict;
  /** What is seen of the page: its crop box within its media box. */
  box: Box;
  /** Degrees clockwise at which the page is shown. */
  rotation: 0 | 90 | 180 | 270;
  /** Points per user space unit. */
  userUnit: number;
  resources: PDFDict | undefined;
}

interface Inherited {
  mediaBox: Box | undefined;
  cropBox: Box | undefined;
  rotation: number;
  resources: PDFDict | undefined;
}

/** All pages in their order. Throws `Damaged` when there are none, `TooComplex` past a limit. */
export const pagesOf = (file: PdfFile): Page[] => {
  const pages: Page[] = [];
  const visited = new Set<PDFRef>();
  const visit = (ref: PDFRef, inherited: Inherited, depth: number): void => {
    if (visited.has(ref)) throw new Damaged("a page stands in its tree twice");
    visited.add(ref);
    if (depth > MAX_TREE_DEPTH) throw new TooComplex("its page tree is nested too deeply");
    if (pages.length >= MAX_PAGES || visited.size > 2 * MAX_PAGES) throw new TooComplex("it has too many pages");
    const dict = file.resolve(ref);
    if (!(dict instanceof PDFDict)) return;
    const own = inherit(file, dict, inherited);
    const kids = kidsOf(file, dict);
    if (kids === undefined) {
      const type = file.nameEntry(dict, "Type");
      const isStream = type !== "Page" && file.streamData(ref.objectNumber) !== undefined;
      if (isStream) throw new Damaged("its page tree holds what is no page");
      // Taken for a page it would be an empty one, in the place of all that readers can't find.
      if (type === "Pages" && !dict.has(CONTENTS)) throw new Damaged("its page tree has a node without pages");
      pages.push(pageFrom(file, ref, dict, own));
      return;
    }
    for (const kid of kids.asArray()) visit(referenceTo(kid), own, depth + 1);
  };
  const root = file.catalog.get(PAGES);
  if (!(root instanceof PDFRef)) throw new Damaged("it has no page tree");
  visit(root, { mediaBox: undefined, cropBox: undefined, rotation: 0, resources: undefined }, 0);
  if (pages.length === 0) throw new Damaged("it has no pages");
  return pages;
};

/** Content that pages share is one to look at. */
const partsOf = new WeakMap<PDFObject, readonly PDFObject[]>();

/**
 * The parts of a page's content, in their order: references to streams, where they are what they should be. It is the
 * same list for pages with the same content.
 */
export const contentParts = (file: PdfFile, page: Page): readonly PDFObject[] => {
  const contents = page.dict.get(CONTENTS);
  const resolved = file.resolve(contents);
  if (contents === undefined || resolved === undefined) return [];
  const known = partsOf.get(resolved) ?? (resolved instanceof PDFArray ? resolved.asArray() : [contents]);
  partsOf.set(resolved, known);
  return known;
};

/** A page's size as it is seen, in points. */
export const seenSize = (page: Page): { width: number; height: number } => {
  const width = (page.box.right - page.box.left) * page.userUnit;
  const height = (page.box.top - page.box.bottom) * page.userUnit;
  return page.rotation % 180 === 0 ? { width, height } : { width: height, height: width };
};

/** A box of a page as it is seen: points from the page's top left corner. */
export const seenRectangle = ({ box: page, rotation, userUnit }: Page, box: Box): Rectangle => {
  const [fromLeft, fromTop] = {
    0: [box.left - page.left, page.top - box.top],
    90: [box.bottom - page.bottom, box.left - page.left],
    180: [page.right - box.right, box.bottom - page.bottom],
    270: [page.top - box.top, page.right - box.right],
  }[rotation] as [number, number];
  const [across, up] = [box.right - box.left, box.top - box.bottom];
  const [width, height] = rotation % 180 === 0 ? [across, up] : [up, across];
  return { x: fromLeft * userUnit, y: fromTop * userUnit, width: width * userUnit, height: height * userUnit };
};

const inherit = (file: PdfFile, dict: PDFDict, inherited: Inherited): Inherited => ({
  mediaBox: boxOf(file, dict, "MediaBox") ?? inherited.mediaBox,
  cropBox: boxOf(file, dict, "CropBox") ?? inherited.cropBox,
  rotation: file.numberEntry(dict, "Rotate") ?? inherited.rotation,
  resources: file.dictEntry(dict, "Resources") ?? inherited.resources,
});

const pageFrom = (file: PdfFile, ref: PDFRef, dict: PDFDict, inherited: Inherited): Page => {
  const mediaBox = inherited.mediaBox ?? LETTER;
  const userUnit = file.numberEntry(dict, "UserUnit") ?? 1;
  const quarters = inherited.rotation / 90;
  // Other angles than the permitted ones count as none, as for other readers.
  const rotation = Number.isInteger(quarters) ? (((quarters % 4) + 4) % 4) * 90 : 0;
  return {
    ref,
    dict,
    box: inherited.cropBox === undefined ? mediaBox : (intersection(mediaBox, inherited.cropBox) ?? mediaBox),
    rotation: rotation as Page["rotation"],
    userUnit: userUnit > 0 && userUnit <= 1_000 ? userUnit : 1,
    resources: inherited.resources,
  };
};

/** The first four numbers of a list; not a number where there is none. */
export const cornersOf = (file: PdfFile, list: PDFArray): [number, number, number, number] => {
  const corner = (index: number): number => {
    const value = index < list.size() ? file.resolve(list.get(index)) : undefined;
    return value instanceof PDFNumber ? value.asNumber() : Number.NaN;
  };
  return [corner(0), corner(1), corner(2), corner(3)];
};

/** A box in its normal form, or undefined when it is not a box or has no area. */
const boxOf = (file: PdfFile, dict: PDFDict, name: string): Box | undefined => {
  const array = file.entry(dict, name);
  if (!(array instanceof PDFArray) || array.size() < 4) return undefined;
  const [x1, y1, x2, y2] = cornersOf(file, array);
  const box = { left: Math.min(x1, x2), bottom: Math.min(y1, y2), right: Math.max(x1, x2), top: Math.max(y1, y2) };
  const isBounded = Object.values(box).every((value) => Math.abs(value) <= MAX_COORDINATE);
  return isBounded && box.right > box.left && box.top > box.bottom ? box : undefined;
};

const intersection = (one: Box, other: Box): Box | undefined => {
  const box = {
    left: Math.max(one.left, other.left),
    bottom: Math.max(one.bottom, other.bottom),
    right: Math.min(one.right, other.right),
    top: Math.min(one.top, other.top),
  };
  return box.right > box.left && box.top > box.bottom ? box : undefined;
};
