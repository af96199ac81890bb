/** Larger drawings are refused before they are looked at. */
export const MAX_DRAWING_BYTES = 1_048_576;
const PREFIX = /^data:image\/(?:png|jpeg);base64,/;

/** The bytes of a `garabato` (data URI of a PNG or JPEG, Base64), or undefined when it is not one. */
export const drawingBytes = (dataUri: string): Buffer | undefined => {
  const prefix = PREFIX.exec(dataUri)?.[0];
  if (prefix === undefined || dataUri.length > prefix.length + (MAX_DRAWING_BYTES / 3) * 4 + 4) return undefined;
  const base64 = dataUri.slice(prefix.length);
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString("base64") === base64 && bytes.length > 0 ? bytes : undefined;
};
