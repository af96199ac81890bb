import type { DocumentEvent, FileReference } from "@rubrica/events";
import { isPreparationDue } from "../standing/due.ts";
import { requestedDocument } from "./lookup.ts";
import type { Document } from "./state.ts";

/** The bulk call of a document that still is to be prepared; null for any other document. */
export const bulkToPrepare = (document: Document): string | null => {
  const requested = requestedDocument(document);
  return isPreparationDue(requested) ? (requested.bulk?.bulkId ?? null) : null;
};

/** A bulk row's PDF is durable: the document can be signed from now on. Nothing when it was prepared, or given up, before. */
export const prepareDocument = (
  document: Document,
  { file, pageCount }: { file: FileReference; pageCount: number },
): DocumentEvent[] => {
  const bulkId = bulkToPrepare(document);
  return bulkId === null ? [] : [{ type: "DocumentPrepared", data: { bulkId, file, pageCount }, personal: null }];
};

/** A bulk row's PDF can't be made, for good: that ends the document. */
export const failPreparation = (
  document: Document,
  { reason, attempts }: { reason: string; attempts: number },
): DocumentEvent[] => {
  const bulkId = bulkToPrepare(document);
  return bulkId === null ? [] : [{ type: "PreparationFailed", data: { bulkId, reason, attempts }, personal: null }];
};
