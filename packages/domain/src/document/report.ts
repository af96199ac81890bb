import type { DocumentEvent } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { isReportDue } from "../standing/due.ts";
import { concludedDocument } from "./lookup.ts";
import type { Document } from "./state.ts";

/**
 * The legal report could be built, once, after the document's end, its seal and, for as long as it is waited for, the
 * identity provider's evidence. Of an erased one it is not told.
 * @throws {DomainError} document_open
 */
export const recordReport = (document: Document, { sizeBytes }: { sizeBytes: number }): DocumentEvent[] => {
  const ended = concludedDocument(document);
  if (ended.reported || ended.erasure !== "none") return [];
  if (!isReportDue(ended)) throw new DomainError("document_open", "its seal or evidence is awaited");
  return [{ type: "ReportGenerated", data: { sizeBytes }, personal: null }];
};
