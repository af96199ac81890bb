/** Why a DOCX is not taken. */
export type DocxRefusal =
  | "not_docx"
  | "encrypted"
  | "damaged"
  | "too_many_entries"
  | "too_large"
  | "overlapping_entries"
  | "external_entities"
  | "too_complex";

/** The DOCX is not taken, for good. `message` is for whoever sent it, and holds nothing of the document. */
export class DocxRefused extends Error {
  readonly reason: DocxRefusal;

  constructor(reason: DocxRefusal, message: string) {
    super(message);
    this.name = "DocxRefused";
    this.reason = reason;
  }
}
