import { type OpenDocument, openDocument } from "@rubrica/pdf-reading/open";
import { type PageSize, seenSize } from "@rubrica/pdf-reading/pages";
import type { CarriedSignature } from "@rubrica/pdf-reading/signatures";
import { type ShownSignature, shownSignatures } from "./stamping/shown.ts";

/** What is known of a document that was accepted. */
export interface Inspection {
  pageCount: number;
  /** Sizes as seen (rotation and crop box applied), in points. */
  pages: readonly PageSize[];
  signatures: readonly CarriedSignature[];
  /** Where signatures are seen already, stamps of this service's former seals among them. */
  shownSignatures: readonly ShownSignature[];
}

/** What is known of a document, or `PdfRefused` when it can't be taken. */
export const inspect = async (bytes: Uint8Array): Promise<Inspection> => inspected(await openDocument(bytes));

/** What is known of a document that was opened. */
export const inspected = (document: OpenDocument): Inspection => {
  const { pages, signatures } = document;
  return {
    pageCount: pages.length,
    pages: pages.map(seenSize),
    signatures,
    shownSignatures: shownSignatures(document),
  };
};
