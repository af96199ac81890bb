import type { DocumentEvent, FileReference } from "@rubrica/events";
import { requestedDocument } from "./lookup.ts";
import type { Document } from "./state.ts";

/** A bulk row's PDF is durable: the document can be signed from now on. Nothing when it was prepared, or given up, before. */
export const prepareDocument = (
  document: Document,
  { file, pageCount }: { file: FileReference; pageCount: number },
): DocumentEvent[] =>
  requestedDocument(document).status === "preparing"
    ? [{ type: "DocumentPrepared", data: { file, pageCount }, personal: null }]
    : [];

/** A bulk row's PDF can't be made, for good: that ends the document. */
export const failPreparation = (
  document: Document,
  { reason, attempts }: { reason: string; attempts: number },
): DocumentEvent[] =>
  requestedDocument(document).status === "preparing"
    ? [{ type: "PreparationFailed", data: { reason, attempts }, personal: null }]
    : [];
