/** What a byte is: 1 for white space, 2 for a delimiter (ISO 32000-2, 7.2.3), 0 for all else. */
const classes = new Uint8Array(256);
for (const byte of [0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20]) classes[byte] = 1;
for (const character of "()<>[]{}/%") classes[character.charCodeAt(0)] = 2;

/** Whether a byte ends a PDF name, number or keyword. */
export const endsToken = (byte: number): boolean => (classes[byte] ?? 0) !== 0;

/** Whether a byte is PDF white space (table 1). */
export const isWhitespace = (byte: number): boolean => classes[byte] === 1;

export const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** Some readers cut longer ones off, as they are written; honest ones are whole sentences at times, in escapes. */
const LONGEST_NAME = 254;

/**
 * Whether readers take a name, as it is written, for different ones: it has a NUL (some end it there), an escape without two
 * digits, or a byte that PDFium takes for white space, or is too long.
 */
export const isOddName = (raw: string): boolean =>
  raw.length > LONGEST_NAME || /#(?![\dA-Fa-f]{2})|#00|[\x80\xff]/.test(raw);
