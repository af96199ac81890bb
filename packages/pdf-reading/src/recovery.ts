import { PDFContext, PDFDict, PDFName, PDFNumber, PDFRef } from "pdf-lib";
import { Allowance } from "./allowance.ts";
import { bufferOf, latin1 } from "./bytes.ts";
import { type CrossReference, sizeOf } from "./cross-reference.ts";
import { Damaged, TooComplex, unlessDamaged } from "./faults.ts";
import { Lexer } from "./lexer.ts";
import { PdfFile } from "./pdf-file.ts";
import { HIGHEST_OBJECT_NUMBER, MAX_OBJECTS, noSections } from "./section-reader.ts";
import { StoredObjects } from "./stored-objects.ts";
import { dataStart, endsStream } from "./structure-streams.ts";

const key = (name: string) => PDFName.of(name);
/** How far before `obj` its two numbers are looked for. */
const LONGEST_NUMBERS = 40;
/** What two bytes of a cross-reference stream hold. */
const MAX_INDEX = 65_535;

/**
 * Opens a file whose cross-reference is wrong: its objects are looked for from the first byte to the last, as
 * readers do. Of several with one number the last counts. Throws {@link Damaged} when no catalog is found, and
 * {@link TooComplex}.
 */
export const recovered = (bytes: Uint8Array): PdfFile => {
  try {
    const context = PDFContext.create();
    const allowance = new Allowance(bytes.length);
    const scan = new Scan(bytes, context, allowance);
    const { locations, trailers, objectStreams } = scan.run();
    const trailer = merged(trailers, context);
    const sections = { ...noSections(), trailers };
    const crossReference: CrossReference = { locations, trailer, size: 0, startOffset: null, kind: "table", sections };
    const file = new PdfFile(new StoredObjects(bytes, context, allowance), crossReference);
    for (const number of objectStreams) noteContents(file, number);
    crossReference.size = sizeOf(locations, trailer);
    const roots = trailers.map((one) => one.get(key("Root"))).filter((root) => root instanceof PDFRef);
    const root = [...file.references(), ...roots].reverse().find((ref) => isCatalog(file, ref));
    if (root === undefined) throw new Damaged("it has no catalog");
    trailer.set(key("Root"), root);
    return file;
  } catch (error) {
    if (error instanceof RangeError) throw new TooComplex("objects are nested too deeply");
    throw error;
  }
};

/** Walks over a file's bytes and notes the objects and trailers that stand there by themselves. */
class Scan {
  readonly #bytes: Uint8Array;
  readonly #context: PDFContext;
  readonly #locations: CrossReference["locations"] = new Map();
  readonly #trailers: PDFDict[] = [];
  readonly #objectStreams = new Set<number>();

  readonly #allowance: Allowance;
  readonly #nextStreamEnd: (from: number) => number;

  constructor(bytes: Uint8Array, context: PDFContext, allowance: Allowance) {
    this.#bytes = bytes;
    this.#context = context;
    this.#allowance = allowance;
    this.#nextStreamEnd = finder(bufferOf(bytes), "endstream");
  }

  /** All in the order of the file. */
  run(): { locations: CrossReference["locations"]; trailers: PDFDict[]; objectStreams: Iterable<number> } {
    const buffer = bufferOf(this.#bytes);
    const nextObject = finder(buffer, "obj");
    const nextTrailer = finder(buffer, "trailer");
    for (let at = 0; ; ) {
      const [object, trailer] = [nextObject(at), nextTrailer(at)];
      if (object === trailer) break;
      at = trailer < object ? this.#trailer(trailer + "trailer".length) : this.#object(object);
    }
    return { locations: this.#locations, trailers: this.#trailers, objectStreams: this.#objectStreams };
  }

  /** Each of these returns where to look on. */
  #trailer(at: number): number {
    const lexer = new Lexer(this.#bytes, this.#context, at, this.#allowance);
    const dict = unlessDamaged(() => lexer.dictionary());
    if (dict === undefined) return at;
    this.#trailers.push(dict);
    return lexer.offset;
  }

  #object(keywordAt: number): number {
    const head = headBefore(this.#bytes, keywordAt);
    const bodyAt = keywordAt + "obj".length;
    if (head === undefined) return bodyAt;
    const { number, ...place } = head;
    if (this.#locations.size >= MAX_OBJECTS) throw new TooComplex("it has too many objects");
    this.#locations.set(number, { kind: "offset", ...place });
    this.#objectStreams.delete(number);
    const lexer = new Lexer(this.#bytes, this.#context, bodyAt, this.#allowance);
    const body = this.#allowance.withoutKeeping(() => unlessDamaged(() => lexer.object()));
    if (!(body instanceof PDFDict)) return body === undefined ? bodyAt : lexer.offset;
    if (!lexer.takeKeyword("stream")) return lexer.offset;
    const type = body.get(key("Type"));
    // Read once more, since this one is kept.
    if (type === key("XRef")) this.#trailer(bodyAt);
    if (type === key("ObjStm")) this.#objectStreams.add(number);
    return this.#afterData(body, dataStart(this.#bytes, lexer.offset));
  }

  #afterData(dict: PDFDict, start: number): number {
    const length = dict.get(key("Length"));
    const stated = length instanceof PDFNumber ? start + length.asNumber() : -1;
    if (stated >= start && endsStream(this.#bytes, stated)) return stated;
    const end = this.#nextStreamEnd(start);
    return Number.isFinite(end) ? end : start;
  }
}

/**
 * Whether objects stand in a file beside those that are known; readers that look for objects by themselves find them.
 * @param known where known objects begin and end
 */
export const hasFurtherObjects = (
  bytes: Uint8Array,
  known: readonly (readonly [start: number, end: number])[],
): boolean => {
  const buffer = bufferOf(bytes);
  const sorted = [...known].sort(([one], [other]) => one - other);
  const nextObject = finder(buffer, "obj");
  let [index, end] = [0, 0];
  for (let at = nextObject(0); Number.isFinite(at); at = nextObject(Math.max(at + 3, end))) {
    for (; index < sorted.length && (sorted[index]?.[0] ?? 0) <= at; index += 1) {
      end = Math.max(end, sorted[index]?.[1] ?? 0);
    }
    if (at >= end && headBefore(bytes, at) !== undefined) return true;
  }
  return false;
};

/** Finds a word from an offset on (infinity where there is none); for rising offsets, looks at each byte once. */
const finder = (buffer: Buffer, word: string): ((from: number) => number) => {
  let found = -1;
  return (from) => {
    if (found >= from) return found;
    const next = buffer.indexOf(word, from);
    found = next < 0 ? Number.POSITIVE_INFINITY : next;
    return found;
  };
};

/** The numbers before `obj`, if it is the keyword and not the end of another word. */
const headBefore = (
  bytes: Uint8Array,
  at: number,
): { number: number; generation: number; offset: number } | undefined => {
  const start = Math.max(0, at - LONGEST_NUMBERS);
  const found = /(?:^|[^\d.+-])(\d{1,10})[\s\0]+(\d{1,5})[\s\0]*$/.exec(latin1(bytes, start, at));
  if (found === null) return undefined;
  const [whole, number = "", generation = ""] = found;
  if (Number(number) < 1 || Number(number) > HIGHEST_OBJECT_NUMBER) return undefined;
  if (Number(generation) > MAX_INDEX) return undefined;
  return {
    number: Number(number),
    generation: Number(generation),
    offset: start + found.index + whole.indexOf(number),
  };
};

/** What trailers say together; of several the last one counts. */
const merged = (trailers: readonly PDFDict[], context: PDFContext): PDFDict => {
  const trailer = PDFDict.withContext(context);
  for (const one of trailers) {
    for (const name of ["Info", "ID", "Encrypt"]) {
      const value = one.get(key(name));
      if (value !== undefined) trailer.set(key(name), value);
    }
  }
  return trailer;
};

/** Notes what an object stream holds, unless the file has it by itself further on. */
const noteContents = (file: PdfFile, number: number): void => {
  const { locations } = file.crossReference;
  const own = locations.get(number);
  for (const [index, held] of (unlessDamaged(() => file.heldBy(number)) ?? []).entries()) {
    const other = locations.get(held);
    const isNewer = other?.kind === "offset" && own?.kind === "offset" && other.offset > own.offset;
    if (isNewer || held < 1 || held > HIGHEST_OBJECT_NUMBER || index > MAX_INDEX) continue;
    locations.set(held, { kind: "compressed", stream: number, index });
    file.crossReference.kind = "stream";
  }
};

/** Whether an object can be a document's catalog: with pages, and not called something else. */
const isCatalog = (file: PdfFile, ref: PDFRef): boolean => {
  const isFound = unlessDamaged(() => {
    const dict = file.uncached(ref.objectNumber)?.object;
    if (!(dict instanceof PDFDict) || (file.nameEntry(dict, "Type") ?? "Catalog") !== "Catalog") return false;
    return file.dictEntry(dict, "Pages") !== undefined;
  });
  return isFound === true;
};
