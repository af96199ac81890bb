import { deflateSync } from "node:zlib";
import { PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { STAMP_BOX } from "../placement.ts";
import { type LeftOpen, leftOpen } from "../reading/content.ts";
import { filterOf } from "../reading/cross-reference.ts";
import { Damaged, TooComplex } from "../reading/faults.ts";
import { inflateStructure } from "../reading/inflate.ts";
import type { OpenDocument } from "../reading/open.ts";
import { contentParts, type Page, seenSize } from "../reading/pages.ts";
import type { PdfFile } from "../reading/pdf-file.ts";
import type { Revision } from "../reading/revision.ts";

/** Content beyond this is not looked into. */
const MAX_CONTENT_BYTES = 16 * 1024 * 1024;
/** What stamps are called among a page's resources, before their number. */
export const STAMP_NAME = "RubricaStamp";

/** A transformation (ISO 32000-2, 8.3.3). */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/**
 * Takes a stamp's own space (points, origin at its bottom left, y upwards) to the user space of a page, at a scale,
 * so that the stamp's top left corner is at (x, y) from the top left of the page as it is seen, upright.
 */
export function matrixTo(page: Page, x: number, y: number, scale: number): Matrix {
  const { left, bottom, right, top } = page.box;
  const unit = 1 / page.userUnit;
  const [fromLeft, fromTop] = [x * unit, (y + STAMP_BOX.height * scale) * unit];
  const u = unit * scale;
  switch (page.rotation) {
    case 0:
      return [u, 0, 0, u, left + fromLeft, top - fromTop];
    case 90:
      return [0, u, -u, 0, left + fromTop, bottom + fromLeft];
    case 180:
      return [-u, 0, 0, -u, right - fromLeft, bottom + fromTop];
    case 270:
      return [0, -u, u, 0, right - fromTop, top - fromLeft];
  }
}

/** Keeps a stamp on a page that turned out smaller than its placement supposes. */
export function within(page: Page, x: number, y: number, scale: number): { x: number; y: number } {
  const { width, height } = seenSize(page);
  return {
    x: Math.max(0, Math.min(x, width - STAMP_BOX.width * scale)),
    y: Math.max(0, Math.min(y, height - STAMP_BOX.height * scale)),
  };
}

/** Something to be drawn on a page. */
export interface Drawn {
  form: PDFRef;
  matrix: Matrix;
}

/** What a page's content leaves open, as far as it can be read; one that is larger than may be counts as dubious. */
export function contentOf(
  document: OpenDocument,
  page: Page,
  maxBytes = MAX_CONTENT_BYTES,
): LeftOpen & { sizeBytes: number } {
  const { file } = document;
  const left = leftOpenOf(document, page, Math.min(maxBytes, MAX_CONTENT_BYTES));
  // Where a part of it is no stream, or not as long as it says, some readers stop there.
  return contentParts(file, page).every((part) => isSoundStream(file, part)) ? left : { ...left, dubious: true };
}

function leftOpenOf(document: OpenDocument, page: Page, maxBytes: number): LeftOpen & { sizeBytes: number } {
  try {
    const streams = decodedContent(document, page, maxBytes);
    return { ...leftOpen(streams), sizeBytes: streams.reduce((sum, { length }) => sum + length, 0) };
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    return { ...leftOpen([]), dubious: true, sizeBytes: maxBytes };
  }
}

const isSoundStream = (file: PdfFile, part: PDFObject): boolean =>
  part instanceof PDFRef && file.streamData(part.objectNumber)?.isAsLongAsSaid === true;

/**
 * Draws forms over a page's content: the content that is there is closed into a graphics state of its
 * own, and the page gets resources of its own, so that nothing that other pages share changes.
 */
export function drawOnPage(
  document: OpenDocument,
  revision: Revision,
  page: Page,
  drawn: readonly Drawn[],
  content: LeftOpen,
): void {
  const { file } = document;
  const { context } = revision;
  const dict = (revision.changed(page.ref) as PDFDict | undefined) ?? page.dict.clone();
  const resources = page.resources?.clone() ?? PDFDict.withContext(context);
  const xObjects = file.dictEntry(resources, "XObject")?.clone() ?? PDFDict.withContext(context);
  const operators = drawn.map(({ form, matrix }) => {
    const name = unusedName(xObjects);
    xObjects.set(name, form);
    return `q ${matrix.map((value) => Math.round(value * 10_000) / 10_000).join(" ")} cm ${name.asString()} Do Q`;
  });
  resources.set(PDFName.of("XObject"), xObjects);
  dict.set(PDFName.of("Resources"), resources);
  const opening = "q\n".repeat(1 + content.surplusRestores);
  const closing = `\n${content.inText ? "ET\n" : ""}${"Q\n".repeat(1 + content.openSaves)}${operators.join("\n")}\n`;
  const before = context.register(context.stream(opening));
  const after = context.register(
    context.stream(deflateSync(Buffer.from(closing, "latin1")), { Filter: "FlateDecode" }),
  );
  dict.set(PDFName.of("Contents"), context.obj([before, ...contentParts(file, page), after]));
  revision.replace(page.ref, dict);
}

/**
 * A page's decoded content streams, where it is plain or compressed in the usual way; the rest is trusted to be
 * balanced. Throws `TooComplex` past a limit.
 */
export function decodedContent({ file }: OpenDocument, page: Page, maxBytes = MAX_CONTENT_BYTES): Uint8Array[] {
  const streams: Uint8Array[] = [];
  let left = maxBytes;
  for (const part of contentParts(file, page)) {
    const stream = part instanceof PDFRef ? file.streamData(part.objectNumber) : undefined;
    if (stream === undefined) continue;
    try {
      const { filter, parameters } = filterOf(stream.dict);
      const data = inflateStructure(stream.data, filter, parameters, Math.max(1, left));
      left -= data.length;
      if (left < 0) throw new TooComplex("a page's content is too large");
      streams.push(data);
    } catch (error) {
      if (error instanceof Damaged) return [];
      throw error;
    }
  }
  return streams;
}

function unusedName(dict: PDFDict): PDFName {
  for (let number = 1; ; number += 1) {
    const name = PDFName.of(`${STAMP_NAME}${number}`);
    if (!dict.has(name)) return name;
  }
}
