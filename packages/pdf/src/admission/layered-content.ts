import { Allowance } from "@rubrica/pdf-reading/allowance";
import { leftOpen } from "@rubrica/pdf-reading/content";
import { filterOf } from "@rubrica/pdf-reading/cross-reference";
import { Damaged } from "@rubrica/pdf-reading/faults";
import { inflateStructure } from "@rubrica/pdf-reading/inflate";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { contentParts } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { Layers } from "./layers.ts";

/** So much content is looked into; with more of it, and layers that hide something, a file is too complex. */
const MAX_CONTENT_BYTES = 256 * 1024 * 1024;
const key = (name: string) => PDFName.of(name);
const [LENGTH, BBOX, CHAR_PROCS] = ["Length", "BBox", "CharProcs"].map(key) as [PDFName, PDFName, PDFName];

/**
 * Whether a file in which layers hide something has content that readers count to other layers than others do: to one that
 * is written within the content, or to one that a form, a pattern or a glyph begins and does not end, or ends and did
 * not begin. Throws `TooComplex`.
 */
export const hasDoubtfulLayers = ({ file, pages }: OpenDocument): boolean => {
  if (!new Layers(file).mayHide) return false;
  const look = new ContentLook(file);
  const ofPages = new Set(pages.map((page) => contentParts(file, page)));
  if ([...ofPages].some((parts) => look.isDoubtful(parts))) return true;
  return ownContents(file).some((part) => look.isDoubtful([part], true));
};

/** Streams with content that is not a page's: forms, patterns, and the glyphs of fonts. */
const ownContents = (file: PdfFile): PDFRef[] => {
  const found = new Set<PDFRef>();
  const add = (value: PDFObject | undefined) => {
    if (value instanceof PDFRef) found.add(value);
  };
  for (const ref of file.references()) {
    const object = readable(() => file.passing(ref.objectNumber)?.object);
    if (!(object instanceof PDFDict)) continue;
    if (object.has(LENGTH) && object.has(BBOX)) add(ref);
    const glyphs = readable(() => file.resolve(object.get(CHAR_PROCS)));
    if (glyphs instanceof PDFDict) for (const glyph of glyphs.values()) add(glyph);
  }
  return [...found];
};

/** Looks into contents. One that can't be looked into, or breaks the syntax, may hide anything from some readers. */
class ContentLook {
  readonly #file: PdfFile;
  readonly #allowance = new Allowance(0, MAX_CONTENT_BYTES);

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** @param isClosed whether marks have to begin and end within it */
  isDoubtful(parts: readonly PDFObject[], isClosed = false): boolean {
    const streams = readable(() => parts.flatMap((part) => this.#decoded(part)));
    if (streams === undefined) return true;
    const { dubious, hasOwnLayers, openMarks, surplusMarks } = leftOpen(streams);
    return dubious || hasOwnLayers || (isClosed && openMarks + surplusMarks > 0);
  }

  #decoded(part: PDFObject): Uint8Array[] {
    const stream = part instanceof PDFRef ? this.#file.streamData(part.objectNumber) : undefined;
    if (stream === undefined) return [];
    const { filter, parameters } = filterOf(stream.dict);
    if (filter === undefined) this.#allowance.inflated(stream.data.length);
    return [inflateStructure(stream.data, filter, parameters, this.#allowance)];
  }
}

const readable = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
};
