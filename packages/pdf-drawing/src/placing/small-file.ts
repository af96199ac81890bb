/** A file of objects, the catalog first, for PDFium to draw something by itself that another file has. */
export const fileOf = (objects: readonly Buffer[]): Uint8Array => {
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  const places: number[] = [];
  let at = 9;
  for (const [index, object] of objects.entries()) {
    places.push(at);
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    parts.push(part);
    at += part.length;
  }
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const [size, free] = [objects.length + 1, "0000000000 65535 f \n"];
  const table = `xref\n0 ${size}\n${free}${rows}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(table)]);
};

/** A stream with entries beside its length. */
export const streamOf = (entries: string, data: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`<<${entries}/Length ${data.length}>>stream\n`), data, Buffer.from("\nendstream")]);
