import { DocxRefused, damaged } from "../refused.ts";

/** What programs write. */
const KNOWN_ENCODINGS = /^(utf-?8|utf-?16|us-ascii|iso-8859-1|windows-125\d)$/i;
const ENCODING = /^\uFEFF?<\?xml[^>]*?encoding\s*=\s*["']([^"']*)/;
const DECLARATION_BYTES = 200;

/**
 * An XML part as text: its encoding is told by its first bytes (XML 1.0, appendix F), else by its declaration.
 * @throws {DocxRefused} for an encoding that no program writes, and for bytes that are not of their encoding.
 */
export const textOfXml = (bytes: Buffer): string => {
  const start = bytes.subarray(0, 2).toString("hex");
  if (start === "fffe" || start === "3c00") return decode(bytes, "utf-16le");
  if (start === "feff" || start === "003c") return decode(bytes, "utf-16be");
  const declared = ENCODING.exec(bytes.toString("latin1", 0, DECLARATION_BYTES).replace(/^\u00ef\u00bb\u00bf/, ""));
  const encoding = declared?.[1]?.toLowerCase() ?? "utf-8";
  if (!KNOWN_ENCODINGS.test(encoding)) throw new DocxRefused("damaged", "the file's text is in an unknown encoding");
  // A declaration of UTF-16 over single bytes is wrong, and read as what the bytes are.
  return decode(bytes, encoding.startsWith("utf") ? "utf-8" : encoding);
};

const decode = (bytes: Buffer, encoding: string): string => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw damaged("its text is not in the encoding that it names");
  }
};
