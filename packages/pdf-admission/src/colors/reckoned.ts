import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import type { PDFDict, PDFObject } from "pdf-lib";
import type { Limits } from "./values.ts";

/** Functions as they are reckoned. */

/** A function that can be reckoned by the letter of the standard. */
export interface Reckoned {
  /** Whether all readers do, too. */
  isPlain: boolean;
  /** Undefined where nothing comes out, as in a division by zero. */
  at(inputs: readonly number[]): readonly number[] | undefined;
}

/** What goes into a function, what may come out, and whether it may jump: colors of single places may not. */
export interface Use {
  inputs: readonly Limits[];
  outputs: readonly Limits[];
  mayJump: boolean;
}

/** A function as it stands in a file, and how it is used. */
export interface Given {
  dict: PDFDict;
  given: PDFObject | undefined;
  file: PdfFile;
  domain: readonly Limits[];
  ranges: readonly Limits[] | null;
  use: Use;
  depth: number;
}
