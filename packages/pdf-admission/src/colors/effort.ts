import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";

/** So many steps of calculators, samples and pieces of data are gone through for one file; honest ones have 400,000 at most. */
const MAX_STEPS = 6_000_000;
const efforts = new WeakMap<PdfFile, number>();

/** Throws `TooComplex` where the colors of a file take too long. */
export const spend = (file: PdfFile, steps: number): void => {
  const effort = (efforts.get(file) ?? 0) + steps;
  if (effort > MAX_STEPS) throw new TooComplex("its functions and tables of colors take too long");
  efforts.set(file, effort);
};
