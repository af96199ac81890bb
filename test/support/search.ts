import { readFileSync } from "node:fs";
import { allUnder, unlessGone } from "@rubrica/test-kit";

/** A text as bytes may hold it: plain, UTF-16 of both orders, and Base64 wherever in a stream it begins. */
export const formsOf = (text: string): Buffer[] => {
  const utf8 = Buffer.from(text, "utf8");
  const little = Buffer.from(text, "utf16le");
  const base64 = [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), utf8]).toString("base64");
    // The first and last characters also hold bits of what stands beside it.
    return shifted.slice(offset === 0 ? 0 : offset + 1, -4);
  });
  const base64url = base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  const texts = [text, utf8.toString("hex"), encodeURIComponent(text), ...base64, ...base64url];
  return [utf8, little, Buffer.from(little).swap16(), ...texts.map((form) => Buffer.from(form))];
};

/** Whether the bytes hold the text in any form. */
export const isIn = (bytes: Buffer, text: string): boolean => formsOf(text).some((form) => bytes.includes(form));

/** Every file of the folder and those below. */
export const filesUnder = (folder: string): string[] =>
  allUnder(folder).flatMap(({ path, stats }) => (stats.isFile() ? [path] : []));

/** The files of the folder and those below that hold these bytes. */
export const filesWith = (folder: string, bytes: Buffer): string[] =>
  filesUnder(folder).filter((path) => unlessGone(() => readFileSync(path))?.includes(bytes));

/** Where which of the texts lie, by the names of the files. */
export const findings = (folder: string, texts: Readonly<Record<string, string>>): string[] =>
  filesUnder(folder).flatMap((path) => {
    const bytes = unlessGone(() => readFileSync(path));
    if (!bytes) return [];
    return Object.entries(texts).flatMap(([what, text]) => (isIn(bytes, text) ? [`${what} in ${path}`] : []));
  });
