import { Damaged } from "@rubrica/pdf-reading/faults";
import type { Box, Page } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type PDFArray, PDFDict } from "pdf-lib";
import { boxFrom, rectangleOf, seenBox } from "./annotation.ts";
import type { Matrix } from "./on-page.ts";

/** Looks at annotations of a file, for all stamps and pages together; pages may share theirs. */
const MAX_LOOKS = 5_000_000;
/** What covers nothing: popups are seen when somebody opens them, links have a border at most. */
const UNCOVERING = new Set(["Popup", "Link"]);

/** The annotations of a file's pages, which readers draw above the pages' contents. */
export class Annotations {
  readonly #file: PdfFile;
  readonly #boxes = new Map<PDFArray, readonly Box[] | undefined>();
  #left = MAX_LOOKS;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Whether a stamp in a page's content may lie under an annotation: so it counts where there are more than are looked at. */
  cover(page: Page, matrix: Matrix): boolean {
    const list = this.#file.arrayEntry(page.dict, "Annots");
    if (list === undefined) return false;
    const boxes = this.#boxes.has(list) ? this.#boxes.get(list) : this.#boxesOf(list);
    this.#boxes.set(list, boxes);
    const [stamp] = boxFrom(rectangleOf(matrix));
    this.#left -= boxes?.length ?? 0;
    return boxes === undefined || this.#left < 0 || (stamp !== undefined && boxes.some((box) => meet(box, stamp)));
  }

  #boxesOf(list: PDFArray): readonly Box[] | undefined {
    this.#left -= list.size();
    return this.#left < 0 ? undefined : list.asArray().flatMap((item) => this.#boxOf(item));
  }

  #boxOf(item: Parameters<PdfFile["resolve"]>[0]): Box[] {
    try {
      const annotation = this.#file.resolve(item);
      if (!(annotation instanceof PDFDict)) return [];
      return UNCOVERING.has(this.#file.nameEntry(annotation, "Subtype") ?? "") ? [] : seenBox(this.#file, annotation);
    } catch (error) {
      if (error instanceof Damaged) return [];
      throw error;
    }
  }
}

const meet = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.bottom < other.top && other.bottom < one.top;
