/** Why a document is refused. */
export type RefusalReason =
  | "not_a_pdf"
  | "encrypted"
  | "dynamic_form"
  | "broken"
  | "ambiguous"
  | "shown_otherwise"
  | "too_complex"
  | "changes_forbidden"
  | "grows_too_far"
  | "drawing_unreadable";

const sentences: Record<RefusalReason, string> = {
  not_a_pdf: "The document is not a PDF.",
  encrypted: "The document is encrypted: it can't be opened without a password or a key.",
  dynamic_form:
    "The document is a dynamic XFA form: its pages say nothing of what it shows. Print it to a PDF, and send that one.",
  broken: "The document is a broken PDF: it can't be read in full.",
  ambiguous:
    "The document is ambiguous: readers disagree on what it shows, and it can't be written anew without breaking its signatures.",
  shown_otherwise:
    "The document shows something else on paper, after a click or in another reader than on screen, and that can't be taken out, at least not without breaking its signatures.",
  too_complex: "The document is too complex: reading it takes more time or memory than a document may take.",
  changes_forbidden: "The document forbids changes: it was certified or locked by a signature that permits none.",
  grows_too_far: "The document is too complex: its signatures would make it grow too far.",
  drawing_unreadable: "The drawing is neither a readable PNG nor a readable JPEG.",
};

/** The document (or a drawing) is not taken, for a reason that is the sender's to mend. */
export class PdfRefused extends Error {
  override name = "PdfRefused";
  readonly reason: RefusalReason;

  /** `message` is a clear English sentence for the sender; `cause` is for the log. */
  constructor(reason: RefusalReason, options?: { cause?: unknown }) {
    super(sentences[reason], options);
    this.reason = reason;
  }
}
