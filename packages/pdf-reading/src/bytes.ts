/** A view of the same memory, with Buffer's means of searching. */
export const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A part of a file as text, one character a byte. */
export const latin1 = (bytes: Uint8Array, start = 0, end = bytes.length): string =>
  bufferOf(bytes).toString("latin1", start, end);
