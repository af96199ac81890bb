import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, temporaryFolder, toolsMissing } from "@rubrica/test-kit";

/** Whether what looks at reports is not on this machine. Each file asks, so that it is told of each what it wants. */
export const toolsAreMissing = (): boolean => toolsMissing("pdftotext", "pdfsig", "pdfimages", "pdfdetach", "qpdf");

/** What a program prints of a PDF. `{}` stands for the file. */
export const printed = (pdf: Uint8Array, program: string, ...args: string[]): string => {
  using folder = temporaryFolder();
  const path = join(folder.path, "report.pdf");
  writeFileSync(path, pdf);
  return outputOf(program, ...args.map((argument) => (argument === "{}" ? path : argument))).text;
};

/** The text of a PDF, in the order in which it was set, its white space as single spaces. */
export const textOf = (pdf: Uint8Array): string => printed(pdf, "pdftotext", "-raw", "{}", "-").replace(/\s+/g, " ");

/** The text without any white space: for hashes and long words, which may be broken. */
export const denseTextOf = (pdf: Uint8Array): string => textOf(pdf).replaceAll(" ", "");

/** The lines of a PDF as they are seen. */
export const linesOf = (pdf: Uint8Array): string[] =>
  printed(pdf, "pdftotext", "-layout", "{}", "-")
    .split("\n")
    .map((line) => line.trim().replace(/\s{2,}/g, " | "));

/** The n-th of the files that a PDF carries, counting from 1. */
export const attachmentOf = (pdf: Uint8Array, number: number): Buffer => {
  using folder = temporaryFolder();
  const path = join(folder.path, "attachment");
  printed(pdf, "pdfdetach", "-save", String(number), "-o", path, "{}");
  return readFileSync(path);
};
