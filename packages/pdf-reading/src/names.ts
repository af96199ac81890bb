import { PDFName } from "pdf-lib";

/** The names of PDF that have these texts, in their order. */
export const names = <const Texts extends readonly string[]>(...texts: Texts) =>
  texts.map((text) => PDFName.of(text)) as unknown as { readonly [Index in keyof Texts]: PDFName };
