import { textOf } from "@rubrica/pdf-reading/signatures";
import type { PDFObject } from "pdf-lib";

/**
 * Whether two texts say the same, however they are encoded: programs write what a file says of itself anew in their own way.
 * What is no text, or not whole, says nothing.
 */
export const saysTheSame = (one: PDFObject | undefined, other: PDFObject | undefined): boolean => {
  const [said, saidNow] = [one, other].map(textOf);
  return said !== undefined && said === saidNow && !said.includes("\uFFFD");
};
