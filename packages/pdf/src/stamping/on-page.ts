import { deflateSync } from "node:zlib";
import { PDFArray, PDFDict, PDFName, type PDFObject, type PDFRef } from "pdf-lib";
import { STAMP_BOX } from "../placement.ts";
import type { OpenDocument } from "../reading/open.ts";
import { type Page, seenSize } from "../reading/pages.ts";
import type { Revision } from "../reading/revision.ts";

/** A transformation (ISO 32000-2, 8.3.3). */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/**
 * Takes a stamp's own space (points, origin at its bottom left, y upwards) to the user space of a page,
 * so that the stamp's top left corner is at (x, y) from the top left of the page as it is seen, upright.
 */
export function matrixTo(page: Page, x: number, y: number): Matrix {
  const { left, bottom, right, top } = page.box;
  const u = 1 / page.userUnit;
  const [fromLeft, fromTop] = [x * u, (y + STAMP_BOX.height) * u];
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
export function within(page: Page, x: number, y: number): { x: number; y: number } {
  const { width, height } = seenSize(page);
  return {
    x: Math.max(0, Math.min(x, width - STAMP_BOX.width)),
    y: Math.max(0, Math.min(y, height - STAMP_BOX.height)),
  };
}

/** Something to be drawn on a page. */
export interface Drawn {
  form: PDFRef;
  matrix: Matrix;
}

/**
 * Draws forms over a page's content: the content that is there is closed into a graphics state of its
 * own, and the page gets resources of its own, so that nothing that other pages share changes.
 */
export function drawOnPage(document: OpenDocument, revision: Revision, page: Page, drawn: readonly Drawn[]): void {
  const { file } = document;
  const dict = (revision.changed(page.ref) as PDFDict | undefined) ?? page.dict.clone();
  const resources = page.resources?.clone() ?? PDFDict.withContext(revision.context);
  const xObjects = file.dictEntry(resources, "XObject")?.clone() ?? PDFDict.withContext(revision.context);
  const operators = drawn.map(({ form, matrix }) => {
    const name = unusedName(xObjects);
    xObjects.set(name, form);
    return `q ${matrix.map((value) => Math.round(value * 10_000) / 10_000).join(" ")} cm ${name.asString()} Do Q`;
  });
  resources.set(PDFName.of("XObject"), xObjects);
  dict.set(PDFName.of("Resources"), resources);
  dict.set(PDFName.of("Contents"), wrapped(document, revision, dict.get(PDFName.of("Contents")), operators));
  revision.replace(page.ref, dict);
}

function wrapped(
  { file }: OpenDocument,
  revision: Revision,
  contents: PDFObject | undefined,
  operators: readonly string[],
): PDFArray {
  const { context } = revision;
  const before = context.register(context.stream("q\n"));
  const after = context.register(
    context.stream(deflateSync(Buffer.from(`\nQ\n${operators.join("\n")}\n`, "latin1")), { Filter: "FlateDecode" }),
  );
  const resolved = file.resolve(contents);
  const given = resolved instanceof PDFArray ? resolved.asArray() : resolved === undefined ? [] : [contents];
  const all = PDFArray.withContext(context);
  for (const part of [before, ...given, after]) if (part !== undefined) all.push(part);
  return all;
}

function unusedName(dict: PDFDict): PDFName {
  for (let number = 1; ; number += 1) {
    const name = PDFName.of(`RubricaStamp${number}`);
    if (!dict.has(name)) return name;
  }
}
