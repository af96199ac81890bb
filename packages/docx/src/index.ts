export { type ConverterOptions, openConverter } from "./conversion/open.ts";
export { ConversionFailed, type ConversionFailure, type DocxConverter } from "./conversion/port.ts";
export { type DocxRefusal, DocxRefused } from "./refused.ts";
export type { Variables } from "./template/fill.ts";
export { type DocxTemplates, openDocxTemplates } from "./template/templates.ts";
