import { createHash } from "node:crypto";
import { PDFArray, PDFContext, PDFHexString, PDFName, type PDFObject, PDFRef, PDFString } from "pdf-lib";
import { type Updated, whole } from "./bytes.ts";
import type { PdfFile } from "./pdf-file.ts";
import type { Location } from "./section-reader.ts";

const encode = (text: string): Buffer => Buffer.from(text, "latin1");

/** An update of a file, and where each of its objects begins in the whole file. */
export interface WrittenRevision extends Updated {
  offsetOf(ref: PDFRef): number;
}

/**
 * Changes to a file that are appended to it (ISO 32000-2, 7.5.6): what was there stays a prefix, byte
 * for byte, so signatures that it carries stay valid and the document that was sent can be cut out of
 * the sealed one.
 */
export class Revision {
  /** Objects made by pdf-lib for this revision go here; all that it holds is written. */
  readonly context: PDFContext;
  readonly #file: PdfFile;
  readonly #verbatim = new Map<PDFRef, Buffer>();

  constructor(file: PdfFile) {
    this.#file = file;
    this.context = PDFContext.create();
    this.context.largestObjectNumber = file.crossReference.size - 1;
  }

  /** Adds a new object. */
  add(object: PDFObject): PDFRef {
    return this.context.register(object);
  }

  /**
   * Adds a new object that is given as it shall stand in the file, without `obj` and `endobj`.
   * @param source gives it, with each string as it is stored in this object
   */
  addVerbatim(source: (stored: (string: PDFObject) => PDFObject) => string): PDFRef {
    const ref = this.context.nextRef();
    this.#verbatim.set(ref, encode(source((string) => this.#file.stored(string, ref))));
    return ref;
  }

  /** Puts another object in the place of one that the file has. */
  replace(ref: PDFRef, object: PDFObject): void {
    this.context.assign(ref, object);
  }

  /** Whether nothing was added or changed yet. */
  get isEmpty(): boolean {
    return this.context.enumerateIndirectObjects().length === 0 && this.#verbatim.size === 0;
  }

  /** The object as this revision has it, if it changes it. */
  changed(ref: PDFRef): PDFObject | undefined {
    return this.context.lookup(ref);
  }

  /** The file with this revision appended. */
  write(): WrittenRevision {
    const { bytes: base } = this.#file;
    const parts: Uint8Array[] = [];
    let offset = base.length;
    const push = (part: Uint8Array) => {
      parts.push(part);
      offset += part.length;
    };
    const last = base[base.length - 1];
    if (last !== 0x0a && last !== 0x0d) push(encode("\n"));
    const offsets = new Map<PDFRef, number>();
    for (const [ref, body] of this.#bodies()) {
      offsets.set(ref, offset);
      push(encode(`${ref.objectNumber} ${ref.generationNumber} obj\n`));
      push(body);
      push(encode("\nendobj\n"));
    }
    const id = this.#fileIdentifier(parts);
    push(
      this.#file.crossReference.kind === "table" ? this.#table(offsets, offset, id) : this.#stream(offsets, offset, id),
    );
    return {
      base,
      added: whole(parts),
      offsetOf: (ref) => {
        const found = offsets.get(ref);
        if (found === undefined) throw new Error(`object ${ref.tag} is not of this revision`);
        return found;
      },
    };
  }

  *#bodies(): Generator<[PDFRef, Uint8Array]> {
    const objects: [PDFRef, Uint8Array][] = this.context.enumerateIndirectObjects().map(([ref, plain]) => {
      const object = this.#file.stored(plain, ref);
      const body = new Uint8Array(object.sizeInBytes());
      object.copyBytesInto(body, 0);
      return [ref, body];
    });
    yield* [...objects, ...this.#verbatim].sort(([a], [b]) => a.objectNumber - b.objectNumber);
  }

  /** The first identifier is the document's and stays; the second is this revision's (ISO 32000-2, 14.4). */
  #fileIdentifier(changes: readonly Uint8Array[]): string {
    const hash = createHash("sha256").update(`${this.#file.bytes.length}`);
    for (const part of changes) hash.update(part);
    const own = `<${hash.digest("hex").slice(0, 32)}>`;
    const given = this.#file.arrayEntry(this.#file.crossReference.trailer, "ID");
    const first = given instanceof PDFArray && given.size() > 0 ? this.#file.resolve(given.get(0)) : undefined;
    const permanent = first instanceof PDFString || first instanceof PDFHexString ? first.toString() : own;
    return `[${permanent}${own}]`;
  }

  #trailerEntries(size: number, id: string): string {
    const { trailer, startOffset } = this.#file.crossReference;
    const info = trailer.get(PDFName.of("Info"));
    const infoEntry = info instanceof PDFRef ? `/Info ${info.tag}` : "";
    const encrypt = trailer.get(PDFName.of("Encrypt"));
    const encryptEntry = encrypt === undefined ? "" : `/Encrypt ${encrypt}`;
    const previous = startOffset === null ? "" : `/Prev ${startOffset}`;
    return `/Size ${size}/Root ${this.#file.catalogRef.tag}${infoEntry}${encryptEntry}/ID${id}${previous}`;
  }

  /** What the new section says: of the new objects alone, or of all where the sections of the file are wrong. */
  #entries(offsets: ReadonlyMap<PDFRef, number>): Map<number, Location | null> {
    const { startOffset, locations } = this.#file.crossReference;
    const entries = startOffset === null ? new Map([[0, null], ...locations]) : new Map<number, Location | null>();
    for (const [ref, offset] of offsets) {
      entries.set(ref.objectNumber, { kind: "offset", offset, generation: ref.generationNumber });
    }
    return entries;
  }

  #table(offsets: ReadonlyMap<PDFRef, number>, start: number, id: string): Buffer {
    const sections = runs(this.#entries(offsets)).map((run) => {
      const rows = run.map(([, location]) => {
        const [offset, generation] = location?.kind === "offset" ? [location.offset, location.generation] : [0, 65_535];
        const digits = `${String(offset).padStart(10, "0")} ${String(generation).padStart(5, "0")}`;
        return `${digits} ${location === null ? "f" : "n"} \n`;
      });
      return `${run[0]?.[0] ?? 0} ${run.length}\n${rows.join("")}`;
    });
    const size = this.context.largestObjectNumber + 1;
    return encode(
      `xref\n${sections.join("")}trailer\n<<${this.#trailerEntries(size, id)}>>\nstartxref\n${start}\n%%EOF\n`,
    );
  }

  #stream(objectOffsets: ReadonlyMap<PDFRef, number>, start: number, id: string): Buffer {
    const own = this.context.nextRef();
    const sections = runs(this.#entries(new Map([...objectOffsets, [own, start]])));
    const rows = sections.flat();
    const data = Buffer.alloc(rows.length * 7);
    for (const [index, [, location]] of rows.entries()) {
      const [type, second, third] = row(location);
      data.writeUInt8(type, index * 7);
      data.writeUInt32BE(second, index * 7 + 1);
      data.writeUInt16BE(third, index * 7 + 5);
    }
    const index = sections.map((run) => `${run[0]?.[0] ?? 0} ${run.length}`).join(" ");
    const entries = this.#trailerEntries(this.context.largestObjectNumber + 1, id);
    return Buffer.concat([
      encode(
        `${own.objectNumber} 0 obj\n<</Type/XRef/W[1 4 2]/Index[${index}]${entries}/Length ${data.length}>>\nstream\n`,
      ),
      data,
      encode(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`),
    ]);
  }
}

/** An entry of a cross-reference stream (ISO 32000-2, table 18). */
const row = (location: Location | null): [type: number, second: number, third: number] => {
  if (location === null) return [0, 0, 65_535];
  return location.kind === "offset" ? [1, location.offset, location.generation] : [2, location.stream, location.index];
};

type Entry = readonly [number: number, location: Location | null];

/** Entries in ascending order, parted into runs of consecutive object numbers. */
const runs = (entries: ReadonlyMap<number, Location | null>): Entry[][] => {
  const sections: Entry[][] = [];
  for (const entry of [...entries].sort(([a], [b]) => a - b)) {
    const current = sections.at(-1);
    if (current !== undefined && current.at(-1)?.[0] === entry[0] - 1) current.push(entry);
    else sections.push([entry]);
  }
  return sections;
};
