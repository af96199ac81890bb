const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;
const DATA_PREFIX = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w=.+-]+)*;base64,/;
const MAX_PREFIX_LENGTH = 200;

/** How many bytes a Base64 text holds, without decoding it. */
const decodedSize = (base64: string): number => {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
};

/** What became of a Base64 field. */
export type DecodedBase64 = { bytes: Buffer } | { fault: "not_base64" | "too_large" };

/**
 * Decodes strict Base64 (RFC 4648 §4: padded, no line breaks, no foreign characters), a `data:` prefix allowed. The size
 * is known before anything is decoded.
 */
export const decodeBase64 = (text: string, maxBytes: number): DecodedBase64 => {
  const prefix = DATA_PREFIX.exec(text.slice(0, MAX_PREFIX_LENGTH))?.[0] ?? "";
  const base64 = text.slice(prefix.length);
  if (base64.length === 0 || base64.length % 4 !== 0 || !ALPHABET.test(base64)) return { fault: "not_base64" };
  if (decodedSize(base64) > maxBytes) return { fault: "too_large" };
  return { bytes: Buffer.from(base64, "base64") };
};
