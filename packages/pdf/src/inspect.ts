import type { Inspection } from "./port.ts";
import { openDocument } from "./reading/open.ts";
import { seenSize } from "./reading/pages.ts";
import { shownSignatures } from "./stamping/shown.ts";

/** What is known of a document, or `PdfRefused` when it can't be taken. */
export async function inspect(bytes: Uint8Array): Promise<Inspection> {
  const document = await openDocument(bytes);
  const { pages, signatures } = document;
  return {
    pageCount: pages.length,
    pages: pages.map(seenSize),
    signatures,
    shownSignatures: shownSignatures(document),
  };
}
