import { createHash } from "node:crypto";
import type { Placement } from "@rubrica/events";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { type Page, seenSize } from "@rubrica/pdf-reading/pages";
import type { Revision } from "@rubrica/pdf-reading/revision";
import { permittedChanges } from "@rubrica/pdf-reading/signatures";
import type { PDFRef } from "pdf-lib";
import { commonArea, pageIndexesOf, stampScale } from "../placement.ts";
import { FontSubsets } from "../text/index.ts";
import { addStampAnnotation } from "./annotation.ts";
import { Annotations } from "./annotations.ts";
import type { Stamp } from "./box.ts";
import { embedBox, layOut, type StampBox } from "./box.ts";
import { Contents } from "./contents.ts";
import { type Matrix, matrixTo, PageDrawer, within } from "./on-page.ts";

/** Where a signature field is seen. */
export interface Appearance {
  page: Page;
  /** Takes the appearance's space to the page's. */
  matrix: Matrix;
  form: PDFRef;
}

/** A stamp, as it is drawn at its place. */
export interface LaidOut {
  placement: Placement;
  box: StampBox;
  fonts: ReadonlyMap<string, PDFRef>;
}

/** Draws stamps into the content of a document's pages. Not for a document that carries signatures. */
export const stampPages = async (
  document: OpenDocument,
  revision: Revision,
  stamps: readonly Stamp[],
): Promise<void> => {
  drawStamps(document, revision, await boxesOf(document, revision, stamps));
};

/**
 * Draws what is laid out into the content of a document's pages. Not for a document that carries signatures: strict
 * validators count a change of a page's content against them. On a page whose content readers may give
 * up on, and where annotations lie over their places, stamps are locked annotations instead, above all others.
 */
export const drawStamps = (document: OpenDocument, revision: Revision, boxes: readonly LaidOut[]): void => {
  const byPage = new Map<Page, { laidOut: LaidOut; matrix: Matrix }[]>();
  for (const laidOut of boxes) {
    for (const { page, matrix } of placesOf(document, laidOut.placement)) {
      const places = byPage.get(page) ?? [];
      places.push({ laidOut, matrix });
      byPage.set(page, places);
    }
  }
  const contents = new Contents(document.file);
  const annotations = new Annotations(document.file);
  const drawer = new PageDrawer(document, revision);
  const forms = new Forms(revision);
  for (const [page, places] of byPage) {
    const content = contents.leftOpenOf(page);
    const isAbove = places.map(({ matrix }) => content.dubious || annotations.cover(page, matrix));
    const drawn = places
      .filter((_, index) => !isAbove[index])
      .map(({ laidOut, matrix }) => ({ form: forms.upright(laidOut), matrix }));
    if (drawn.length > 0) drawer.draw(page, drawn, content);
    for (const { laidOut, matrix } of places.filter((_, index) => isAbove[index])) {
      addStampAnnotation(document, revision, page, forms.turned(laidOut, matrix), matrix);
    }
  }
};

/** The forms that stamps are drawn with, each written once. */
class Forms {
  readonly #revision: Revision;
  readonly #written = new Map<LaidOut, Map<string, PDFRef>>();

  constructor(revision: Revision) {
    this.#revision = revision;
  }

  upright(laidOut: LaidOut): PDFRef {
    return this.#form(laidOut, [1, 0, 0, 1, 0, 0]);
  }

  /** A stamp as an appearance: turned as the page is, its place being given by the annotation's rectangle. */
  turned(laidOut: LaidOut, [a, b, c, d]: Matrix): PDFRef {
    return this.#form(laidOut, [a, b, c, d, 0, 0]);
  }

  #form(laidOut: LaidOut, matrix: Matrix): PDFRef {
    const written = this.#written.get(laidOut) ?? new Map<string, PDFRef>();
    this.#written.set(laidOut, written);
    const key = matrix.join(" ");
    const form = written.get(key) ?? embedBox(this.#revision.context, laidOut.box, laidOut.fonts, matrix);
    written.set(key, form);
    return form;
  }
}

/**
 * After a certification, validators take new visible fields for an attack on it ("sneaky signatures"), even where it
 * permits notes. The signers are then named in the seals alone.
 */
export const mayShowFields = ({ signatures }: OpenDocument): boolean => permittedChanges(signatures) === null;

/** One stamp as the appearances of a signature field, one for each page that it goes on. */
export const stampAppearances = async (
  document: OpenDocument,
  revision: Revision,
  stamp: Stamp,
): Promise<Appearance[]> => {
  const [laidOut] = await boxesOf(document, revision, [stamp]);
  return laidOut === undefined ? [] : appearancesOf(document, revision, laidOut);
};

/** What is laid out, as the appearances of a signature field. */
export const appearancesOf = (document: OpenDocument, revision: Revision, laidOut: LaidOut): Appearance[] => {
  const forms = new Forms(revision);
  return placesOf(document, laidOut.placement).map(({ page, matrix }) => ({
    page,
    matrix,
    form: forms.turned(laidOut, matrix),
  }));
};

const boxesOf = async (document: OpenDocument, { context }: Revision, stamps: readonly Stamp[]): Promise<LaidOut[]> => {
  const subsets = new FontSubsets(subsetTag(document, stamps));
  const boxes: { placement: Placement; box: StampBox }[] = [];
  for (const stamp of stamps) {
    boxes.push({ placement: stamp.placement, box: await layOut(stamp, context, subsets) });
  }
  const fonts = await subsets.embed(context);
  return boxes.map((laidOut) => ({ ...laidOut, fonts }));
};

const placesOf = (document: OpenDocument, placement: Placement): { page: Page; matrix: Matrix }[] => {
  const pages = pageIndexesOf(placement.pages, document.pages.length).flatMap((index) => document.pages[index] ?? []);
  const scale = stampScale(commonArea(pages.map(seenSize)));
  return pages.map((page) => {
    const { x, y } = within(page, placement.x, placement.y, scale);
    return { page, matrix: matrixTo(page, x, y, scale) };
  });
};

/** Six capital letters out of what is stamped where. */
const subsetTag = (document: OpenDocument, stamps: readonly Stamp[]): string => {
  const names = stamps.map(({ name, idNumber, signedAt }) => [name, idNumber, signedAt]);
  const hash = createHash("sha256")
    .update(JSON.stringify([document.file.bytes.length, names]))
    .digest();
  return Array.from(hash.subarray(0, 6), (byte) => String.fromCharCode(65 + (byte % 26))).join("");
};
