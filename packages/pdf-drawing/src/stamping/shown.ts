import { latin1 } from "@rubrica/pdf-reading/bytes";
import { unlessUnreadable } from "@rubrica/pdf-reading/faults";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { type Box, contentParts, type Page, type Rectangle, seenRectangle } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { signatureFieldsOf } from "@rubrica/pdf-reading/signatures";
import { type PDFArray, PDFDict, type PDFObject } from "pdf-lib";
import { boxFrom, rectangleOf, seenBox } from "./annotation.ts";
import { Contents } from "./contents.ts";
import { type Matrix, STAMP_NAME } from "./on-page.ts";

/** Annotations beyond these are not looked at, from the last page on. */
const MAX_ANNOTATIONS = 5_000;
const MAX_SHOWN = 1_000;
const DRAWN_STAMP = new RegExp(`q ((?:-?[\\d.]+ ){6})cm /${STAMP_NAME}\\d+ Do Q`, "g");

/** The place of a signature on a page (from 1). */
export interface ShownSignature extends Rectangle {
  page: number;
}

/**
 * Where signatures are seen in a document that carries some: the fields of those that are signed, stamp annotations,
 * and the stamps that this service drew into pages before an earlier seal. The last pages come first.
 */
export const shownSignatures = (document: OpenDocument): ShownSignature[] => {
  if (document.signatures.length === 0) return [];
  const { file, pages } = document;
  const signed = signedWidgets(document);
  const shown: ShownSignature[] = [];
  const stamps = new DrawnStamps(document);
  let annotationsLeft = MAX_ANNOTATIONS;
  for (const [index, page] of [...pages.entries()].reverse()) {
    const annotations = firstOf(file.arrayEntry(page.dict, "Annots"), annotationsLeft);
    annotationsLeft -= annotations.length;
    const boxes = [...stamps.on(page), ...annotations.flatMap((item) => signatureBox(document, item, signed))];
    shown.push(...boxes.map((box) => ({ page: index + 1, ...seenRectangle(page, box) })));
    if (shown.length >= MAX_SHOWN) break;
  }
  return shown.slice(0, MAX_SHOWN);
};

/** The annotations of signed fields: a field may be merged with its only one, or have several. */
const signedWidgets = ({ file }: OpenDocument): Set<PDFDict> => {
  const widgets = new Set<PDFDict>();
  for (const { dict, value } of signatureFieldsOf(file)) {
    if (value === undefined) continue;
    widgets.add(dict);
    for (const kid of firstOf(file.arrayEntry(dict, "Kids"), MAX_SHOWN)) {
      const widget = file.resolve(kid);
      if (widget instanceof PDFDict) widgets.add(widget);
    }
  }
  return widgets;
};

/** The rectangle of an annotation on its page; none when it is no signature's, or isn't seen. */
const signatureBox = ({ file }: OpenDocument, item: PDFObject, signed: ReadonlySet<PDFDict>): Box[] => {
  const annotation = unlessUnreadable(() => file.resolve(item));
  if (!(annotation instanceof PDFDict)) return [];
  if (!signed.has(annotation) && file.nameEntry(annotation, "Subtype") !== "Stamp") return [];
  return seenBox(file, annotation);
};

/** The stamps that this service drew into pages' contents; where pages share resources or contents, looked for once. */
class DrawnStamps {
  readonly #file: PdfFile;
  readonly #contents: Contents;
  readonly #named = new Map<PDFDict, boolean>();
  readonly #boxes = new Map<readonly PDFObject[], Box[]>();

  constructor({ file }: OpenDocument) {
    this.#file = file;
    this.#contents = new Contents(file);
  }

  on(page: Page): Box[] {
    const xObjects = this.#file.dictEntry(page.resources, "XObject");
    if (xObjects === undefined || !this.#namesStamps(xObjects)) return [];
    const parts = contentParts(this.#file, page);
    const known = this.#boxes.get(parts) ?? this.#boxesIn(parts);
    this.#boxes.set(parts, known);
    return known;
  }

  #namesStamps(xObjects: PDFDict): boolean {
    const known = this.#named.get(xObjects) ?? xObjects.keys().some((name) => name.decodeText().startsWith(STAMP_NAME));
    this.#named.set(xObjects, known);
    return known;
  }

  #boxesIn(parts: readonly PDFObject[]): Box[] {
    // A stamp stands in a part of its own, whatever can be read of the others.
    const streams = parts.flatMap((part) => unlessUnreadable(() => this.#contents.decoded([part])) ?? []);
    const content = streams.map((stream) => latin1(stream)).join("\n");
    const boxes: Box[] = [];
    for (const [, numbers = ""] of content.matchAll(DRAWN_STAMP)) {
      boxes.push(...boxFrom(rectangleOf(numbers.trim().split(" ").map(Number) as unknown as Matrix)));
      if (boxes.length >= MAX_SHOWN) break;
    }
    return boxes;
  }
}

/** The first items of a list, without a copy of all of it. */
const firstOf = (list: PDFArray | undefined, count: number): PDFObject[] =>
  Array.from({ length: Math.min(list?.size() ?? 0, count) }, (_, index) => list?.get(index)).filter(
    (item) => item !== undefined,
  );
