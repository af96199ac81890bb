import { lookedThrough } from "@rubrica/pdf-admission";
import { looksAsSigned } from "@rubrica/pdf-drawing/placing/as-signed";
import { Damaged, TooComplex } from "@rubrica/pdf-reading/faults";
import { type OpenDocument, openDocument } from "@rubrica/pdf-reading/open";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import { isOnlyArchived } from "./archiving.ts";
import type { Verification } from "./findings.ts";

/**
 * What was found, with what others added to a sealed file in their own way said to be theirs. It is sound where nothing
 * came but validation data, and timestamps over all that nobody sees; where readers agree on the whole file; and where
 * each page looks as it did when it was sealed.
 */
export const withSoundAdditions = async (found: Verification, bytes: Uint8Array): Promise<Verification> => {
  if (found.afterSeal !== "other" || !found.signatures.every(({ changesAfter }) => changesAfter !== "other"))
    return found;
  const seal = found.signatures.findLastIndex(({ kind, trusted }) => kind === "signature" && trusted);
  const later = found.signatures.slice(seal + 1);
  const sealedBytes = found.signatures[seal]?.coveredBytes;
  const areTimestamps = later.every(({ kind, intact }) => kind === "document_timestamp" && intact === true);
  if (sealedBytes === undefined || !areTimestamps) return found;
  const document = await readable(bytes);
  const isSound =
    document !== null &&
    isOnlyArchived(document.file, sealedBytes, new Set(later.map(({ fieldName }) => fieldName))) &&
    (await hasOneReading(document, bytes.subarray(0, sealedBytes))) &&
    (await looksAsSigned(bytes, sealedBytes));
  return isSound ? { ...found, afterSeal: "validation_data_by_others" } : found;
};

/** The file as it is, with nothing mended; null where it can't be read so. */
const readable = async (bytes: Uint8Array): Promise<OpenDocument | null> => {
  try {
    const document = await openDocument(bytes);
    return document.file.bytes.length === bytes.length ? document : null;
  } catch (error) {
    if (error instanceof PdfRefused || error instanceof Damaged || error instanceof TooComplex) return null;
    throw error;
  }
};

/** What was sealed may show something otherwise, as earlier releases took it; what came later may add nothing of the kind. */
const hasOneReading = async (document: OpenDocument, sealed: Uint8Array): Promise<boolean> => {
  const { ambiguity, active } = lookedThrough(document);
  if (ambiguity !== null) return false;
  if (!active.includes("shown_otherwise")) return true;
  const former = await readable(sealed);
  return former !== null && lookedThrough(former).active.includes("shown_otherwise");
};
