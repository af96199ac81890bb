import { isAmbiguous } from "@rubrica/pdf-reading/oddities";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFRef } from "pdf-lib";

/** Whether an object is written in a way that readers take each in their own: what it says is then not known. */
export const isDoubtful = (file: PdfFile, number: number): boolean => {
  const uncached = file.uncached(number);
  return (
    uncached !== undefined && (!uncached.isWhole || uncached.object instanceof PDFRef || isAmbiguous(uncached.object))
  );
};
