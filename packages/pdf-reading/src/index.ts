// PDF files as they are: their objects, pages, annotations, fields and revisions read, mended, and appended to.
// It must not know what is drawn on them, sealed or judged: those come to its parts by their paths.

export type { PageSize } from "./pages.ts";
export { PdfRefused, type RefusalReason } from "./refused.ts";
export type { CarriedSignature } from "./signatures.ts";
