/** Why a DOCX is not taken. */
export type DocxRefusal =
  | "not_docx"
  | "encrypted"
  | "damaged"
  | "too_many_entries"
  | "too_large"
  | "overlapping_entries"
  | "external_entities"
  | "too_complex"
  | "outside_reference"
  | "active_content"
  | "unknown_content";

/** The DOCX is not taken, for good. `message` is for whoever sent it, and holds nothing of the document. */
export class DocxRefused extends Error {
  readonly reason: DocxRefusal;

  constructor(reason: DocxRefusal, message: string) {
    super(message);
    this.name = "DocxRefused";
    this.reason = reason;
  }
}

/** Its parts are not what a DOCX is made of. */
export const damaged = (what: string): DocxRefused => new DocxRefused("damaged", `the file is damaged: ${what}`);

/** It would be completed from elsewhere: from the disk, the network or another program. */
export const outsideReference = (what: string): DocxRefused =>
  new DocxRefused("outside_reference", `the file refers to what lies outside of it: ${what}`);

/** It holds something that acts. */
export const activeContent = (what: string): DocxRefused =>
  new DocxRefused("active_content", `the file holds ${what}, which is not taken`);

/** It shows something that can't be shown safely, or at all. */
export const unknownContent = (what: string): DocxRefused =>
  new DocxRefused("unknown_content", `the file holds ${what}, which can't be shown`);
