import Docxtemplater from "docxtemplater";
import PizZip from "pizzip";
import { readDocx } from "../contents/read-docx.ts";
import { DocxRefused } from "../refused.ts";

/** A filled template. */
export interface FilledTemplate {
  docx: Uint8Array;
  /** Names between braces that stay as they stand, since no variable has them; the first of them. */
  unmatched: readonly string[];
}

/** Names that are told at most, and their length: braces may stand for something else. */
const MAX_UNMATCHED = 20;
const MAX_UNMATCHED_LENGTH = 60;

/** A row's values by the variables' names. */
export type Variables = Readonly<Record<string, string | number | boolean | null>>;

/** Filled parts together; a template that repeats a long value many times ends here. */
const MAX_FILLED_BYTES = 32 * 1024 * 1024;

const TEMPLATE_LANGUAGE: ReadonlySet<string> = new Set(["LoopModule", "RawXmlModule"]);

/** What the engine knows of a file type; its types leave this out. */
interface FileTypeConfig {
  baseModules: (() => { name: string })[];
}

/**
 * Fills a template by the specification's five rules (4.8): `{name}` between braces, exact and case-sensitive (but for
 * blanks around it, and composed and decomposed accents are one), found over Word's runs; an unknown one stays as it
 * stands, and so does all that a template engine would take for a loop, a condition or raw XML.
 *
 * The file is read first (see `contents/read-docx.ts`), and what is filled is what was written anew from it.
 *
 * Values are text: line breaks become line breaks, characters that XML cannot hold are dropped, null is empty.
 * @throws {DocxRefused}
 */
export const fill = (docx: Uint8Array, variables: Variables): FilledTemplate => {
  const { parts, endnotes } = readDocx(docx);
  const zip = new PizZip();
  for (const [name, bytes] of parts) zip.file(name, bytes);
  const unmatched = render(zip, textsOf(variables), endnotes);
  checkFilled(zip);
  const filled = zip.generate({ type: "uint8array", compression: "DEFLATE", compressionOptions: { level: 1 } });
  return { docx: filled, unmatched };
};

const render = (zip: PizZip, texts: Map<string, string>, endnotes: readonly string[]): string[] => {
  const { docx } = (Docxtemplater as unknown as { FileTypeConfig: { docx: () => FileTypeConfig } }).FileTypeConfig;
  const standard = docx();
  // The modules of loops and of raw XML would throw on what has to stay plain text.
  const baseModules = standard.baseModules.filter((make) => !TEMPLATE_LANGUAGE.has(make().name));
  const unmatched = new Set<string>();
  let insertedLength = 0;
  // Past the bound nothing more is put in, and the document is refused: what comes out would only be thrown away.
  const insert = (name: string): string | undefined => {
    const text = texts.get(name);
    const isTold = text === undefined && name !== "" && name.length <= MAX_UNMATCHED_LENGTH;
    if (isTold && unmatched.size < MAX_UNMATCHED) unmatched.add(name);
    insertedLength += text?.length ?? 0;
    return insertedLength > MAX_FILLED_BYTES ? "" : text;
  };
  try {
    new Docxtemplater(zip, {
      fileTypeConfig: { ...standard, baseModules, getTemplatedFiles: () => [...endnotes] },
      syntax: { allowUnopenedTag: true, allowUnclosedTag: true, changeDelimiterPrefix: null },
      linebreaks: true,
      parser: (tag) => ({ get: () => insert(normalized(tag)) }),
      nullGetter: ({ value }) => `{${value}}`,
    }).render();
  } catch {
    // The engine's errors quote the document.
    throw new DocxRefused("damaged", "the file is damaged: its text cannot be read");
  }
  if (insertedLength > MAX_FILLED_BYTES) throw tooLarge();
  return [...unmatched];
};

const normalized = (name: string): string => name.trim().normalize("NFC");

/** By normalized name; where two names are one but for accents, the one given last wins. */
const textsOf = (variables: Variables): Map<string, string> =>
  new Map(Object.entries(variables).map(([name, value]) => [normalized(name), textOf(value)]));

/** A value as text that XML 1.0 can hold (2.2 Characters). */
const textOf = (value: Variables[string]): string =>
  String(value ?? "")
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "");

const checkFilled = (zip: PizZip): void => {
  let filledBytes = 0;
  for (const [name, file] of Object.entries(zip.files)) {
    if (name.endsWith(".xml")) filledBytes += Buffer.byteLength(file.asText());
    if (filledBytes > MAX_FILLED_BYTES) throw tooLarge();
  }
};

const tooLarge = (): DocxRefused =>
  new DocxRefused("too_large", `the filled file holds more than ${MAX_FILLED_BYTES / 1024 / 1024} MB of text`);
