import { pdfDocEncodingDecode } from "pdf-lib";

/** Marks of what a text string is encoded in (ISO 32000-2, 7.9.2.2). */
const encodings = [
  ["utf-16be", [0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-8", [0xef, 0xbb, 0xbf]],
] as const;
/** In front of text: its language, between two of these (7.9.2.3). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const LANGUAGE = /\u001b[A-Za-z]{2,5}\u001b/g;
/** More bytes at once are too many arguments for what decodes them. */
const PIECE_BYTES = 16_384;

/** The text of a string's bytes, by the mark that they begin with; without one, by PDFDocEncoding. */
export const decodedText = (bytes: Uint8Array): string => {
  const encoding = encodings.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (encoding !== undefined) return new TextDecoder(encoding[0]).decode(bytes).replace(LANGUAGE, "");
  let text = "";
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    text += pdfDocEncodingDecode(bytes.subarray(start, start + PIECE_BYTES));
  }
  return text;
};
