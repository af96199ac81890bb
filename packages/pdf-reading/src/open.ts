import { type PDFObject, PDFRef } from "pdf-lib";
import { joined, latin1 } from "./bytes.ts";
import { Damaged, TooComplex } from "./faults.ts";
import { assertFieldsCanBeWalked } from "./field-tree.ts";
import { repairPageTree } from "./page-tree.ts";
import { contentParts, type Page, pagesOf } from "./pages.ts";
import { PdfFile } from "./pdf-file.ts";
import { recovered } from "./recovery.ts";
import { PdfRefused } from "./refused.ts";
import { Revision } from "./revision.ts";
import { rewrittenFile } from "./rewritten.ts";
import { type CarriedSignature, carriedSignatures, claimsPastEnd, permittedChanges } from "./signatures.ts";

/** How far into a file its header may stand, as readers allow. */
const HEADER_WITHIN_BYTES = 1_024;
/** How far from a file's end its `startxref` may stand for the file to count as complete. */
const TRAILER_WITHIN_BYTES = 4_096;

/** A document that may be stamped and sealed. */
export interface OpenDocument {
  file: PdfFile;
  pages: Page[];
  signatures: CarriedSignature[];
}

/**
 * Opens a document for inspection, stamping and sealing. One whose structure is sound is taken as it is, and will
 * only ever be appended to. Where the cross-reference or the page tree is wrong, what is right is appended too. What
 * is encrypted for everybody to open is written anew, unless it is signed: then what is appended is encrypted as
 * well; and what stands before the header is left out. Throws {@link PdfRefused}.
 */
export const openDocument = async (bytes: Uint8Array): Promise<OpenDocument> => {
  const headerAt = latin1(bytes, 0, HEADER_WITHIN_BYTES).indexOf("%PDF-");
  if (headerAt < 0) throw new PdfRefused("not_a_pdf");
  try {
    return openAsItIs(bytes, headerAt) ?? (await openMended(bytes, headerAt));
  } catch (error) {
    throw refusalOf(error);
  }
};

/** A refusal for what is wrong with a document; all else is given back as it is. */
export const refusalOf = (error: unknown): unknown => {
  if (error instanceof TooComplex || error instanceof RangeError)
    return new PdfRefused("too_complex", { cause: error });
  if (error instanceof Damaged) return new PdfRefused("broken", { cause: error });
  return error;
};

/** The document, if nothing of it needs to be mended. */
const openAsItIs = (bytes: Uint8Array, headerAt: number): OpenDocument | null => {
  try {
    const document = ready(PdfFile.open(bytes));
    if (document.file.encryption === "open" && document.signatures.length === 0) return null;
    // Readers count offsets from the header on; what is signed was signed with what stands before it.
    return headerAt === 0 || document.signatures.length > 0 ? document : null;
  } catch (error) {
    // A file that was cut off is refused, not mended: nobody knows what is missing.
    if (error instanceof Damaged && isComplete(bytes)) return null;
    throw error;
  }
};

const openMended = async (bytes: Uint8Array, headerAt: number): Promise<OpenDocument> => {
  const fromHeader = bytes.subarray(headerAt);
  const document = await openRepaired(fromHeader);
  if (headerAt > 0 && document.signatures.length > 0) throw new Damaged("signed together with what stands before it");
  return document;
};

const openRepaired = async (bytes: Uint8Array): Promise<OpenDocument> => {
  try {
    return await repaired(PdfFile.open(bytes));
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
  }
  return repaired(recovered(bytes));
};

const repaired = async (file: PdfFile): Promise<OpenDocument> => {
  const isSigned = carriedSignatures(file).length > 0;
  if (file.encryption === "locked") throw new PdfRefused("encrypted");
  if (file.encryption === "open" && !isSigned) {
    return repaired(PdfFile.open(await rewrittenFile(file)));
  }
  const revision = new Revision(file);
  repairPageTree(file, revision);
  if (isSigned && !revision.isEmpty) throw new Damaged("its page tree is broken, and signed");
  if (revision.isEmpty && file.crossReference.startOffset !== null) return ready(file);
  return ready(PdfFile.open(joined(revision.write())));
};

/** Reads all that is going to be touched, so that nothing is found broken once a document was taken. */
const ready = (file: PdfFile): OpenDocument => {
  if (file.encryption === "locked") throw new PdfRefused("encrypted");
  assertFieldsCanBeWalked(file);
  const signatures = carriedSignatures(file);
  if (permittedChanges(signatures) === 1) throw new PdfRefused("changes_forbidden");
  // Whatever would be appended to mend it would be taken for what was signed.
  if (claimsPastEnd(file)) {
    throw new PdfRefused("broken", { cause: new Damaged("a signature claims bytes past its end") });
  }
  const pages = pagesOf(file);
  const seen = new Set<readonly PDFObject[]>();
  for (const page of pages) {
    file.arrayEntry(page.dict, "Annots");
    file.dictEntry(page.resources, "XObject");
    const parts = contentParts(file, page);
    if (seen.has(parts)) continue;
    seen.add(parts);
    for (const part of parts) if (part instanceof PDFRef) file.streamData(part.objectNumber);
  }
  return { file, pages, signatures };
};

const isComplete = (bytes: Uint8Array): boolean => {
  const end = latin1(bytes.subarray(-TRAILER_WITHIN_BYTES));
  return end.includes("startxref") || end.includes("%%EOF");
};
