import { PDFDocument, PDFName } from "pdf-lib";
import type { CarriedSignature } from "../port.ts";
import { PdfRefused } from "../port.ts";
import { latin1 } from "./bytes.ts";
import { Damaged, TooComplex } from "./faults.ts";
import { type Page, pagesOf } from "./pages.ts";
import { PdfFile } from "./pdf-file.ts";
import { carriedSignatures, claimsPastEnd, permittedChanges } from "./signatures.ts";

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
 * Opens a document for inspection, stamping and sealing.
 * One whose structure is sound is taken as it is, and will only ever be appended to. One whose
 * cross-reference is wrong, or that is encrypted without a password, is written anew first.
 * Throws {@link PdfRefused}.
 */
export async function openDocument(bytes: Uint8Array): Promise<OpenDocument> {
  const head = latin1(bytes, 0, HEADER_WITHIN_BYTES);
  if (!head.includes("%PDF-")) throw new PdfRefused("not_a_pdf");
  try {
    return await openSound(bytes);
  } catch (error) {
    throw refusalOf(error);
  }
}

async function openSound(bytes: Uint8Array): Promise<OpenDocument> {
  const asItIs = tryOpen(bytes);
  if (asItIs instanceof Damaged) {
    if (!isComplete(bytes)) throw asItIs;
    return complete(PdfFile.open(await rewrite(bytes)));
  }
  if (asItIs.crossReference.trailer.has(PDFName.of("Encrypt"))) {
    const decrypted = complete(PdfFile.open(await rewrite(bytes)));
    // Written anew, another's signature would be void, and appending would need the file's key.
    if (decrypted.signatures.length > 0) throw new PdfRefused("encrypted");
    return decrypted;
  }
  return complete(asItIs);
}

/** The file, or the damage that it has. All pages count, so that none is found broken later. */
function tryOpen(bytes: Uint8Array): PdfFile | Damaged {
  try {
    const file = PdfFile.open(bytes);
    pagesOf(file);
    return file;
  } catch (error) {
    if (error instanceof Damaged) return error;
    throw error;
  }
}

function complete(file: PdfFile): OpenDocument {
  const signatures = carriedSignatures(file);
  if (permittedChanges(signatures) === 1) throw new PdfRefused("changes_forbidden");
  if (claimsPastEnd(file)) throw new Damaged("a signature claims bytes past its end");
  return { file, pages: pagesOf(file), signatures };
}

/** A file that was cut off is refused, not mended: nobody knows what is missing. */
function isComplete(bytes: Uint8Array): boolean {
  return latin1(bytes.subarray(-TRAILER_WITHIN_BYTES)).includes("startxref");
}

/** The same document written anew, decrypted if it opens without a password. */
async function rewrite(bytes: Uint8Array): Promise<Uint8Array> {
  let document: PDFDocument;
  try {
    document = await PDFDocument.load(bytes, { password: "", updateMetadata: false, preserveXFA: true });
  } catch (error) {
    if (error instanceof RangeError) throw new TooComplex("objects are nested too deeply");
    if (error instanceof Error && /password|encrypt/i.test(error.message))
      throw new PdfRefused("encrypted", { cause: error });
    throw new Damaged("it can't be mended", { cause: error });
  }
  return document.save({ updateFieldAppearances: false, addDefaultPage: false });
}

function refusalOf(error: unknown): unknown {
  if (error instanceof PdfRefused) return error;
  if (error instanceof TooComplex || error instanceof RangeError)
    return new PdfRefused("too_complex", { cause: error });
  if (error instanceof Damaged) return new PdfRefused("broken", { cause: error });
  return new PdfRefused("broken", { cause: error });
}
