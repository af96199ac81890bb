import { yieldToOthers } from "@rubrica/runtime";

const DATA_PREFIX = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w=.+-]+)*;base64,/;
const MAX_PREFIX_LENGTH = 200;

/** How many bytes a Base64 text holds, without decoding it. */
const decodedSize = (base64: string): number => {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
};

/** Whether there are characters that Node's decoder takes for Base64's own: those of the URL-safe alphabet, and beyond ASCII. */
const readsOtherwise = (text: string): boolean =>
  text.includes("-") || text.includes("_") || Buffer.byteLength(text) !== text.length;

/** Four characters for three bytes, and an eighth more for line breaks and for slashes that JSON has escaped. */
const BYTES_OF_TEXT = 3 / 2;

/** How many bytes a file takes as Base64 in a JSON body, at most. */
export const fileAsTextBytes = (fileBytes: number): number => Math.ceil(fileBytes * BYTES_OF_TEXT);

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** So much is unwrapped in one iteration of the event loop: some milliseconds of work. */
const SLICE_LENGTH = 1_048_576;

/** A text without its line breaks: Base64 comes in lines of 64 or 76 characters. Slice by slice (see `yieldToOthers`). */
export const unwrapped = async (text: string): Promise<string> => {
  if (!text.includes("\n") && !text.includes("\r")) return text;
  const bytes = Buffer.allocUnsafe(text.length);
  // Beyond ASCII it is no Base64, with line breaks or without.
  if (Buffer.byteLength(text) !== text.length) return text;
  let length = 0;
  for (let at = 0; at < text.length; at += SLICE_LENGTH) {
    await yieldToOthers();
    for (const byte of Buffer.from(text.slice(at, at + SLICE_LENGTH), "latin1")) {
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) bytes[length++] = byte;
    }
  }
  return bytes.toString("latin1", 0, length);
};

/** What became of a Base64 field. */
export type DecodedBase64 = { bytes: Buffer } | { fault: "not_base64" | "too_large" };

/**
 * Decodes strict Base64 (RFC 4648 §4: padded, no foreign characters; see {@link unwrapped}), a `data:` prefix allowed. The size
 * is known before anything is decoded.
 */
export const decodeBase64 = (text: string, maxBytes: number): DecodedBase64 => {
  const prefix = DATA_PREFIX.exec(text.slice(0, MAX_PREFIX_LENGTH))?.[0] ?? "";
  const base64 = text.slice(prefix.length);
  if (base64.length === 0 || base64.length % 4 !== 0 || readsOtherwise(base64)) return { fault: "not_base64" };
  const sizeBytes = decodedSize(base64);
  if (sizeBytes > maxBytes) return { fault: "too_large" };
  const bytes = Buffer.from(base64, "base64");
  // Any other character is passed over, or ends it: fewer bytes come out. A pattern would take ten times as long.
  return bytes.length === sizeBytes ? { bytes } : { fault: "not_base64" };
};
