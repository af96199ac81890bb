// DOCX templates: read within bounds, filled, and converted by an office program in a process of its own.
// It must not know who signs what: it is given variables, and gives a PDF.

export { type ConverterOptions, openConverter } from "./conversion/open.ts";
export { ConversionFailed, type ConversionFailure, type DocxConverter } from "./conversion/port.ts";
export { type DocxRefusal, DocxRefused } from "./refused.ts";
export type { Variables } from "./template/fill.ts";
export { type DocxTemplates, openDocxTemplates } from "./template/templates.ts";
