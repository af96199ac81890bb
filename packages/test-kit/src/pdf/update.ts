/** What an update of an attacker's says beside its objects. */
export interface UpdateOptions {
  /** Entries of the trailer beside Size, Root and Prev. */
  trailer?: string;
  /** Object number → offset, for entries that point at what is there already. */
  offsets?: Record<number, number>;
  /** Numbers of objects that are freed. */
  freed?: readonly number[];
  /** The form of the cross-reference: a table, a hybrid's stream, or none at all. */
  crossReference?: "table" | "hidden" | "none";
  /** Where Prev points; the last section of the file when it is not given. */
  previous?: number;
}

/** Where the newest cross-reference section of a file begins. */
export const startOf = (file: Uint8Array): number =>
  Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(Buffer.from(file).toString("latin1"))?.[1]);

/** Appends an update that is written by hand: object number → what stands between `obj` and `endobj`. */
export const updated = (file: Uint8Array, objects: Record<number, string>, options: UpdateOptions = {}): Buffer => {
  const { trailer = "", offsets = {}, freed = [], crossReference = "table", previous = startOf(file) } = options;
  let added = "\n";
  const entries = new Map(Object.entries(offsets).map(([number, offset]) => [Number(number), offset]));
  for (const [number, body] of Object.entries(objects)) {
    entries.set(Number(number), file.length + added.length);
    added += `${number} 0 obj\n${body}\nendobj\n`;
  }
  if (crossReference === "none") return Buffer.concat([file, Buffer.from(added, "latin1")]);
  const hidden = file.length + added.length;
  if (crossReference === "hidden") added += crossReferenceStream(entries);
  const rows = [...entries].map(([number, offset]) => `${number} 1\n${String(offset).padStart(10, "0")} 00000 n \n`);
  const free = freed.map((number) => `${number} 1\n0000000000 65535 f \n`);
  const table = crossReference === "table" ? [...rows, ...free].join("") : "0 0\n";
  const hybrid = crossReference === "hidden" ? `/XRefStm ${hidden}` : "";
  const start = file.length + added.length;
  added += `xref\n${table}trailer\n<</Size 1000/Root 1 0 R/Prev ${previous}${hybrid}${trailer}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.concat([file, Buffer.from(added, "latin1")]);
};

const crossReferenceStream = (entries: ReadonlyMap<number, number>): string => {
  const rows = [...entries.values()].map((offset) => {
    const row = Buffer.alloc(5);
    row.writeUInt8(1);
    row.writeUInt32BE(offset, 1);
    return row;
  });
  const index = [...entries.keys()].map((number) => `${number} 1`).join(" ");
  const data = Buffer.concat(rows).toString("latin1");
  return `999 0 obj\n<</Type/XRef/W[1 4 0]/Index[${index}]/Size 1000/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj\n`;
};

/** A stream object's body. */
export const streamOf = (data: string, entries = ""): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;

/** The newest object of a number, as it stands in a file that has no object streams. */
export const bodyOf = (file: Uint8Array, number: number): string => {
  const text = Buffer.from(file).toString("latin1");
  const start = text.lastIndexOf(`\n${number} 0 obj\n`) + `\n${number} 0 obj\n`.length;
  return text.slice(start, text.indexOf("\nendobj", start));
};

/** Where the last signature of a file stands: its dictionary's number, and the gap that it leaves out. */
export const lastSignature = (file: Uint8Array): { number: number; gapStart: number; gapEnd: number } => {
  const text = Buffer.from(file).toString("latin1");
  const gapStart = text.lastIndexOf("/Contents<") + "/Contents".length;
  const header = /\n(\d+) 0 obj\n(?:(?!\d+ 0 obj).)*$/s.exec(text.slice(0, gapStart));
  return { number: Number(header?.[1]), gapStart, gapEnd: text.indexOf(">", gapStart) + 1 };
};
