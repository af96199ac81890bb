import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";

/** So many steps of calculators, and samples, are gone through for one file; honest ones have 400,000 at most. */
const MAX_STEPS = 6_000_000;
const efforts = new WeakMap<PdfFile, number>();

/** Throws `TooComplex` where the functions of a file take too long. */
export const spend = (file: PdfFile, steps: number): void => {
  const effort = (efforts.get(file) ?? 0) + steps;
  if (effort > MAX_STEPS) throw new TooComplex("its functions of colors take too long");
  efforts.set(file, effort);
};
