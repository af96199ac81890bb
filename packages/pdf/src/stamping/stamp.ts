import { createHash } from "node:crypto";
import type { PDFRef } from "pdf-lib";
import { commonArea, pageIndexesOf, stampScale } from "../placement.ts";
import type { Stamp } from "../port.ts";
import type { OpenDocument } from "../reading/open.ts";
import { type Page, seenSize } from "../reading/pages.ts";
import type { Revision } from "../reading/revision.ts";
import type { Appearance } from "../sealing/field.ts";
import { FontSubsets } from "../text/index.ts";
import { addStampAnnotation } from "./annotation.ts";
import { embedBox, layOut, type StampBox } from "./box.ts";
import { contentOf, drawOnPage, type Matrix, matrixTo, within } from "./on-page.ts";

/** So much content of all stamped pages together is looked into: a second's work. */
const MAX_CONTENTS_BYTES = 32 * 1024 * 1024;

/**
 * Draws stamps into the content of a document's pages. Not for a document that carries signatures: strict
 * validators count a change of a page's content against them. On a page whose content readers may give
 * up on, stamps are locked annotations instead.
 */
export async function stampPages(document: OpenDocument, revision: Revision, stamps: readonly Stamp[]): Promise<void> {
  const byPage = new Map<Page, { laidOut: LaidOut; matrix: Matrix }[]>();
  for (const laidOut of await boxesOf(document, revision, stamps)) {
    for (const { page, matrix } of placesOf(document, laidOut.stamp)) {
      byPage.set(page, [...(byPage.get(page) ?? []), { laidOut, matrix }]);
    }
  }
  const forms = new Map<LaidOut, PDFRef>();
  const formOf = (laidOut: LaidOut): PDFRef => {
    const form = forms.get(laidOut) ?? embedBox(revision.context, laidOut.box, laidOut.fonts);
    forms.set(laidOut, form);
    return form;
  };
  let unseenBytes = MAX_CONTENTS_BYTES;
  for (const [page, places] of byPage) {
    const content = contentOf(document, page, unseenBytes);
    unseenBytes -= content.sizeBytes;
    if (content.dubious) {
      for (const { laidOut, matrix } of places) {
        addStampAnnotation(document, revision, page, turnedForm(revision, laidOut, matrix), matrix);
      }
    } else {
      const drawn = places.map(({ laidOut, matrix }) => ({ form: formOf(laidOut), matrix }));
      drawOnPage(document, revision, page, drawn, content);
    }
  }
}

/** A stamp as an appearance: turned as the page is, its place being given by the annotation's rectangle. */
function turnedForm({ context }: Revision, { box, fonts }: LaidOut, [a, b, c, d]: Matrix): PDFRef {
  return embedBox(context, box, fonts, [a, b, c, d, 0, 0]);
}

/** One stamp as the appearances of a signature field, one for each page that it goes on. */
export async function stampAppearances(
  document: OpenDocument,
  revision: Revision,
  stamp: Stamp,
): Promise<Appearance[]> {
  const [laidOut] = await boxesOf(document, revision, [stamp]);
  if (laidOut === undefined) return [];
  return placesOf(document, stamp).map(({ page, matrix }) => ({
    page,
    matrix,
    form: turnedForm(revision, laidOut, matrix),
  }));
}

interface LaidOut {
  stamp: Stamp;
  box: StampBox;
  fonts: ReadonlyMap<string, PDFRef>;
}

async function boxesOf(document: OpenDocument, { context }: Revision, stamps: readonly Stamp[]): Promise<LaidOut[]> {
  const subsets = new FontSubsets(subsetTag(document, stamps));
  const boxes: { stamp: Stamp; box: StampBox }[] = [];
  for (const stamp of stamps) boxes.push({ stamp, box: await layOut(stamp, context, subsets) });
  const fonts = await subsets.embed(context);
  return boxes.map((laidOut) => ({ ...laidOut, fonts }));
}

function placesOf(document: OpenDocument, { placement }: Stamp): { page: Page; matrix: Matrix }[] {
  const pages = pageIndexesOf(placement.pages, document.pages.length).flatMap((index) => document.pages[index] ?? []);
  const scale = stampScale(commonArea(pages.map(seenSize)));
  return pages.map((page) => {
    const { x, y } = within(page, placement.x, placement.y, scale);
    return { page, matrix: matrixTo(page, x, y, scale) };
  });
}

/** Six capital letters out of what is stamped where. */
function subsetTag(document: OpenDocument, stamps: readonly Stamp[]): string {
  const names = stamps.map(({ name, idNumber, signedAt }) => [name, idNumber, signedAt]);
  const hash = createHash("sha256")
    .update(JSON.stringify([document.file.bytes.length, names]))
    .digest();
  return Array.from(hash.subarray(0, 6), (byte) => String.fromCharCode(65 + (byte % 26))).join("");
}
