/** A view of the same memory, with Buffer's means of searching. */
export const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A part of a file as text, one character a byte. */
export const latin1 = (bytes: Uint8Array, start = 0, end = bytes.length): string =>
  bufferOf(bytes).toString("latin1", start, end);

/**
 * A file that was updated, as two parts: a copy of megabytes takes longer than all else that an update does. Whoever needs
 * it in one joins it ({@link joined}).
 */
export interface Updated {
  /** The file as it was. */
  base: Uint8Array;
  /** What follows. */
  added: Uint8Array;
}

/** The whole file. */
export const joined = ({ base, added }: Updated): Uint8Array => whole([base, added]);

/** One array of its own memory, so that it can be handed to another thread without a copy. */
export const whole = (parts: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
};
