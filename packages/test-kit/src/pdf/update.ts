/** What an update of an attacker's says beside its objects. */
export interface UpdateOptions {
  /** Entries of the trailer beside Size, Root and Prev. */
  trailer?: string;
  /** Object number → offset, for entries that point at what is there already. */
  offsets?: Record<number, number>;
  /** Numbers of objects that are freed. */
  freed?: readonly number[];
  /**
   * The form of the cross-reference: a table, a hybrid's stream, a stream, one with what is no stream in a stream of
   * objects, or none at all.
   */
  crossReference?: "table" | "hidden" | "stream" | "packed" | "none";
  /** Where Prev points, to the section itself too; the last section of the file when it is not given. */
  previous?: number | "itself";
}

/** Where the newest cross-reference section of a file begins. */
export const startOf = (file: Uint8Array): number =>
  Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(Buffer.from(file).toString("latin1"))?.[1]);

/** Appends an update that is written by hand: object number → what stands between `obj` and `endobj`. */
export const updated = (file: Uint8Array, objects: Record<number, string>, options: UpdateOptions = {}): Buffer => {
  const { trailer = "", offsets = {}, freed = [], crossReference = "table", previous = startOf(file) } = options;
  let added = "\n";
  const entries = new Map(Object.entries(offsets).map(([number, offset]) => [Number(number), offset]));
  const packed =
    crossReference === "packed" ? Object.entries(objects).filter(([, body]) => !/\bstream\n/.test(body)) : [];
  const plain: Record<string, string> = { ...objects, ...(packed.length > 0 ? { [PACK]: packOf(packed) } : {}) };
  for (const [number] of packed) delete plain[number];
  for (const [number, body] of Object.entries(plain)) {
    entries.set(Number(number), file.length + added.length);
    added += `${number} 0 obj\n${body}\nendobj\n`;
  }
  if (crossReference === "none") return Buffer.concat([file, Buffer.from(added, "latin1")]);
  const hidden = file.length + added.length;
  const before = previous === "itself" ? hidden : previous;
  if (crossReference === "stream" || crossReference === "packed") {
    const stream = crossReferenceStream(entries, packed, `/Root 1 0 R/Prev ${before}${trailer}`);
    return Buffer.concat([file, Buffer.from(`${added}${stream}startxref\n${hidden}\n%%EOF\n`, "latin1")]);
  }
  if (crossReference === "hidden") added += crossReferenceStream(entries);
  const rows = [...entries].map(([number, offset]) => `${number} 1\n${String(offset).padStart(10, "0")} 00000 n \n`);
  const free = freed.map((number) => `${number} 1\n0000000000 65535 f \n`);
  const table = crossReference === "table" ? [...rows, ...free].join("") : "0 0\n";
  const hybrid = crossReference === "hidden" ? `/XRefStm ${hidden}` : "";
  const start = file.length + added.length;
  added += `xref\n${table}trailer\n<</Size 1000/Root 1 0 R/Prev ${previous === "itself" ? start : previous}${hybrid}${trailer}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.concat([file, Buffer.from(added, "latin1")]);
};

const [PACK, STREAM] = [998, 999];

/** A stream of objects. */
const packOf = (objects: readonly (readonly [number: string, body: string])[]): string => {
  let at = 0;
  const heads = objects.map(([number, body]) => {
    const head = `${number} ${at} `;
    at += body.length + 1;
    return head;
  });
  const first = heads.join("");
  const data = `${first}${objects.map(([, body]) => body).join("\n")}`;
  return streamOf(data, `/Type/ObjStm/N ${objects.length}/First ${first.length}`);
};

const crossReferenceStream = (
  entries: ReadonlyMap<number, number>,
  packed: readonly (readonly [number: string, body: string])[] = [],
  trailer = "",
): string => {
  const rowOf = (type: number, second: number, third: number) => {
    const row = Buffer.alloc(7);
    row.writeUInt8(type);
    row.writeUInt32BE(second, 1);
    row.writeUInt16BE(third, 5);
    return row;
  };
  const rows = [...entries.values()].map((offset) => rowOf(1, offset, 0));
  rows.push(...packed.map((_, index) => rowOf(2, PACK, index)));
  const index = [...entries.keys(), ...packed.map(([number]) => number)].map((number) => `${number} 1`).join(" ");
  const data = Buffer.concat(rows).toString("latin1");
  return `${STREAM} 0 obj\n<</Type/XRef/W[1 4 2]/Index[${index}]/Size 1000${trailer}/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj\n`;
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
