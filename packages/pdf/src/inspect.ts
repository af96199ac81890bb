import type { Inspection } from "./port.ts";
import { type OpenDocument, openDocument } from "./reading/open.ts";
import { seenSize } from "./reading/pages.ts";
import { shownSignatures } from "./stamping/shown.ts";

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
