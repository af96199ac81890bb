import { deflateSync } from "node:zlib";
import type { LeftOpen } from "@rubrica/pdf-reading/content";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { contentParts, type Page, seenSize } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import type { Revision } from "@rubrica/pdf-reading/revision";
import { PDFDict, PDFName, type PDFObject, type PDFRef } from "pdf-lib";
import { STAMP_BOX } from "../placement.ts";

/** What stamps are called among a page's resources, before their number. */
export const STAMP_NAME = "RubricaStamp";

/** A transformation (ISO 32000-2, 8.3.3). */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/**
 * Takes a stamp's own space (points, origin at its bottom left, y upwards) to the user space of a page, at a scale,
 * so that the stamp's top left corner is at (x, y) from the top left of the page as it is seen, upright.
 */
export const matrixTo = (page: Page, x: number, y: number, scale: number): Matrix => {
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
};

/** Keeps a stamp on a page that turned out smaller than its placement supposes. */
export const within = (page: Page, x: number, y: number, scale: number): { x: number; y: number } => {
  const { width, height } = seenSize(page);
  return {
    x: Math.max(0, Math.min(x, width - STAMP_BOX.width * scale)),
    y: Math.max(0, Math.min(y, height - STAMP_BOX.height * scale)),
  };
};

/** Something to be drawn on a page. */
export interface Drawn {
  form: PDFRef;
  matrix: Matrix;
}

/** The resources of pages with a stamp, which pages that share resources share again. */
interface StampedResources {
  ref: PDFRef;
  /** What the forms are called there. */
  names: readonly PDFName[];
}

/**
 * Draws forms over the contents of pages: what is there is closed into a graphics state of its own, and resources and
 * contents are written anew beside the old ones. What pages shared they share still, so that the file grows with its
 * pages, and not with their product.
 */
export class PageDrawer {
  readonly #file: PdfFile;
  readonly #revision: Revision;
  readonly #streams = new Map<string, PDFRef>();
  readonly #xObjects = new Shared<StampedResources>();
  readonly #resources = new Shared<StampedResources>();
  readonly #contents = new Shared<PDFRef>();

  constructor({ file }: OpenDocument, revision: Revision) {
    this.#file = file;
    this.#revision = revision;
  }

  /** @param content what the page's content leaves open */
  draw(page: Page, drawn: readonly Drawn[], content: LeftOpen): void {
    const dict = (this.#revision.changed(page.ref) as PDFDict | undefined) ?? page.dict.clone();
    const { ref, names } = this.#resourcesWith(
      page.resources,
      drawn.map(({ form }) => form),
    );
    const operators = drawn.map(({ matrix }, index) => {
      const numbers = matrix.map((value) => Math.round(value * 10_000) / 10_000).join(" ");
      return `q ${numbers} cm ${names[index]?.asString()} Do Q`;
    });
    const before = this.#stream("q\n".repeat(1 + content.surplusRestores));
    const ending = `\n${content.inText ? "ET\n" : ""}${"EMC\n".repeat(content.openMarks)}${"Q\n".repeat(1 + content.openSaves)}`;
    const after = this.#stream(`${ending}${operators.join("\n")}\n`);
    dict.set(PDFName.of("Resources"), ref);
    dict.set(PDFName.of("Contents"), this.#contentsOf(contentParts(this.#file, page), before, after));
    this.#revision.replace(page.ref, dict);
  }

  #contentsOf(parts: readonly PDFObject[], before: PDFRef, after: PDFRef): PDFRef {
    const { context } = this.#revision;
    return this.#contents.of(parts, `${before.tag} ${after.tag}`, () =>
      context.register(context.obj([before, ...parts, after])),
    );
  }

  #stream(operators: string): PDFRef {
    const { context } = this.#revision;
    const isShort = operators.length < 30;
    const known =
      this.#streams.get(operators) ??
      context.register(
        isShort
          ? context.stream(operators)
          : context.stream(deflateSync(Buffer.from(operators, "latin1")), { Filter: "FlateDecode" }),
      );
    this.#streams.set(operators, known);
    return known;
  }

  #resourcesWith(given: PDFDict | undefined, forms: readonly PDFRef[]): StampedResources {
    const { context } = this.#revision;
    return this.#resources.of(given, tagsOf(forms), () => {
      const resources = given?.clone() ?? PDFDict.withContext(context);
      const { ref, names } = this.#xObjectsWith(this.#file.dictEntry(given, "XObject"), forms);
      resources.set(PDFName.of("XObject"), ref);
      return { ref: context.register(resources), names };
    });
  }

  #xObjectsWith(given: PDFDict | undefined, forms: readonly PDFRef[]): StampedResources {
    const { context } = this.#revision;
    return this.#xObjects.of(given, tagsOf(forms), () => {
      const xObjects = given?.clone() ?? PDFDict.withContext(context);
      const names: PDFName[] = [];
      let number = 0;
      for (const form of forms) {
        let name: PDFName;
        do {
          number += 1;
          name = PDFName.of(`${STAMP_NAME}${number}`);
        } while (xObjects.has(name));
        xObjects.set(name, form);
        names.push(name);
      }
      return { ref: context.register(xObjects), names };
    });
  }
}

const tagsOf = (forms: readonly PDFRef[]): string => forms.map(({ tag }) => tag).join(" ");

/** What was made of something in some way, to be taken again where the same is wanted. */
class Shared<Made> {
  readonly #made = new Map<unknown, Map<string, Made>>();

  of(given: unknown, way: string, make: () => Made): Made {
    const ways = this.#made.get(given) ?? new Map<string, Made>();
    this.#made.set(given, ways);
    const known = ways.get(way) ?? make();
    ways.set(way, known);
    return known;
  }
}
