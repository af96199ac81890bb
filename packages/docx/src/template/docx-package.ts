import { isUtf8 } from "node:buffer";
import { DocxRefused } from "../refused.ts";
import { readZip } from "./zip.ts";

/** All XML parts together: what a template engine and an office engine take in one piece. */
const MAX_XML_BYTES = 32 * 1024 * 1024;

/** Content types of a main part: document or template, with macros or without (macros never run here). */
const MAIN_CONTENT_TYPE =
  /application\/vnd\.(openxmlformats-officedocument\.wordprocessingml\.(document|template)|ms-word\.(document\.macroEnabled|template\.macroEnabledTemplate))\.main\+xml/;

/** What programs write. An office engine knows more, in which a document type could hide from the search for it. */
const KNOWN_ENCODINGS = /^(utf-?8|utf-?16|us-ascii|iso-8859-1|windows-125\d)$/i;

/** First bytes of an OLE2 file: an old .doc, or a .docx that is protected with a password. */
const OLE2_MAGIC = Buffer.from("d0cf11e0a1b11ae1", "hex");

/** The parts of a DOCX, inflated, by name, after everything that could burst or call outside was refused. @throws {DocxRefused} */
export function openDocxPackage(docx: Uint8Array): Map<string, Buffer> {
  if (OLE2_MAGIC.equals(docx.subarray(0, OLE2_MAGIC.length))) {
    throw new DocxRefused("encrypted", "the file is protected with a password, or an old .doc");
  }
  if (docx[0] !== 0x50 || docx[1] !== 0x4b) throw new DocxRefused("not_docx", "the file is no DOCX");
  const parts = readZip(docx);
  const contentTypes = parts.get("[Content_Types].xml");
  if (!contentTypes || !MAIN_CONTENT_TYPE.test(decode(contentTypes))) {
    throw new DocxRefused("not_docx", "the file is no DOCX");
  }
  normalizeXml(parts);
  return parts;
}

/** Whether a part is read as XML by anyone. */
export const isXml = (name: string): boolean => /\.(xml|rels|vml)$/i.test(name);

/** Checks the XML parts, and makes them all UTF-8. */
function normalizeXml(parts: Map<string, Buffer>): void {
  let xmlBytes = 0;
  for (const [name, bytes] of parts) {
    if (!isXml(name)) continue;
    xmlBytes += bytes.length;
    if (xmlBytes > MAX_XML_BYTES) {
      throw new DocxRefused("too_large", `the file holds more than ${MAX_XML_BYTES / 1024 / 1024} MB of text`);
    }
    const text = decode(bytes);
    if (text.includes("<!DOCTYPE") || text.includes("<!ENTITY")) {
      throw new DocxRefused("external_entities", "the file declares a document type or entities, which no DOCX does");
    }
    if (!isUtf8(bytes) || encodingOf(text) !== "utf-8") parts.set(name, Buffer.from(text.replace(ENCODING, "$1UTF-8")));
  }
}

const ENCODING = /(^\uFEFF?<\?xml[^>]*?encoding\s*=\s*["'])([^"']*)/;

const encodingOf = (text: string): string => ENCODING.exec(text)?.[2]?.toLowerCase() ?? "utf-8";

/** By its first bytes (XML 1.0, appendix F), else by its declaration. */
function decode(bytes: Buffer): string {
  const start = bytes.subarray(0, 2).toString("hex");
  if (start === "fffe" || start === "3c00") return new TextDecoder("utf-16le").decode(bytes);
  if (start === "feff" || start === "003c") return new TextDecoder("utf-16be").decode(bytes);
  const encoding = encodingOf(bytes.toString("latin1", 0, 200).replace(/^\u00ef\u00bb\u00bf/, ""));
  if (!KNOWN_ENCODINGS.test(encoding)) throw new DocxRefused("damaged", "the file's text is in an unknown encoding");
  // A declaration of UTF-16 over single bytes is wrong, and read as what the bytes are.
  return new TextDecoder(encoding.startsWith("utf") ? "utf-8" : encoding).decode(bytes);
}
