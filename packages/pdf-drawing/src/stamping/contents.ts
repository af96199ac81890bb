import { Allowance } from "@rubrica/pdf-reading/allowance";
import { type LeftOpen, leftOpen } from "@rubrica/pdf-reading/content";
import { Damaged, TooComplex } from "@rubrica/pdf-reading/faults";
import { inflateStructure } from "@rubrica/pdf-reading/inflate";
import { contentParts, type Page } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { filterOf } from "@rubrica/pdf-reading/structure-streams";
import { type PDFObject, PDFRef } from "pdf-lib";

/** So much content of all pages together is looked into: a second's work. */
const MAX_CONTENT_BYTES = 32 * 1024 * 1024;

/** The contents of a file's pages; those that pages share are looked into once. */
export class Contents {
  readonly #file: PdfFile;
  readonly #allowance = new Allowance(0, MAX_CONTENT_BYTES);
  readonly #leftOpen = new Map<readonly PDFObject[], LeftOpen>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** What a page's content leaves open, as far as it can be read; one that is too large to look into counts as dubious. */
  leftOpenOf(page: Page): LeftOpen {
    const parts = contentParts(this.#file, page);
    const known = this.#leftOpen.get(parts) ?? this.#judged(parts);
    this.#leftOpen.set(parts, known);
    return known;
  }

  #judged(parts: readonly PDFObject[]): LeftOpen {
    const left = this.#leftOpenBy(parts);
    // Where a part of it is no stream, or not as long as it says, some readers stop there.
    const isSound = parts.every((part) => isSoundStream(this.#file, part));
    return isSound ? left : { ...left, dubious: true };
  }

  #leftOpenBy(parts: readonly PDFObject[]): LeftOpen {
    try {
      return leftOpen(this.decoded(parts));
    } catch (error) {
      if (!(error instanceof TooComplex)) throw error;
      return { ...leftOpen([]), dubious: true };
    }
  }

  /**
   * The decoded streams of a page's content, where it is plain or compressed in the usual way; the rest is trusted to be
   * balanced. Throws `TooComplex` past a limit for all that is asked for.
   */
  decoded(parts: readonly PDFObject[]): Uint8Array[] {
    const streams: Uint8Array[] = [];
    for (const part of parts) {
      const stream = part instanceof PDFRef ? this.#file.streamData(part.objectNumber) : undefined;
      if (stream === undefined) continue;
      try {
        const { filter, parameters } = filterOf(stream.dict);
        if (filter === undefined) this.#allowance.inflated(stream.data.length);
        streams.push(inflateStructure(stream.data, filter, parameters, this.#allowance));
      } catch (error) {
        if (error instanceof Damaged) return [];
        throw error;
      }
    }
    return streams;
  }
}

const isSoundStream = (file: PdfFile, part: PDFObject): boolean =>
  part instanceof PDFRef && file.streamData(part.objectNumber)?.isAsLongAsSaid === true;
