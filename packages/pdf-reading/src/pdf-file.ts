import { PDFArray, PDFContext, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { Allowance } from "./allowance.ts";
import { latin1 } from "./bytes.ts";
import { type CrossReference, readCrossReference } from "./cross-reference.ts";
import { Decryption, decryptedBy } from "./decryption.ts";
import { Damaged, TooComplex, unlessDamaged } from "./faults.ts";
import { isReal } from "./oddities.ts";
import { isPlainlyCompressed } from "./plain-compression.ts";
import { type ObjectInFile, type ObjectStream, once, StoredObjects } from "./stored-objects.ts";
import { dataStart, endsStream, filterOf } from "./structure-streams.ts";

/** Where an object begins that is a dictionary, a list, a text, a name or a truth. */
const SOMETHING = /^\d+ \d+ obj\s*[<[(/tf]/;
const MAX_REFERENCE_HOPS = 32;

/** A stream as it stands in a file. */
export interface StoredStream {
  dict: PDFDict;
  /** As stored, but decrypted. */
  data: Uint8Array;
  /** Whether it ends where its dictionary says; other readers may read on past its end. */
  isAsLongAsSaid: boolean;
}

/** An object that was parsed anew and is not kept. */
export interface UncachedObject {
  object: PDFObject;
  /** Where it ends in the file, with the data of a stream; 0 where it stands in an object stream. */
  end: number;
  /** As in its head; 0 where it stands in an object stream. */
  generation: number;
  /** Of a stream, where its data is; null for all else. */
  data: { start: number; end: number; isAsLongAsSaid: boolean } | null;
  /** Whether nothing else follows it before its end, or its stream, and nothing strays in it. */
  isWhole: boolean;
}

/**
 * A PDF as its cross-reference describes it: objects are read when they are asked for, so that a
 * question about pages costs the same for a file of 100 KB and one of 20 MB.
 * What is encrypted for everybody to open is read as if it were not.
 */
export class PdfFile {
  readonly bytes: Uint8Array;
  readonly crossReference: CrossReference;
  /** `locked` when reading takes a password, or a method that is not known. */
  readonly encryption: "none" | "open" | "locked";
  readonly #objects: StoredObjects;
  readonly #objectStreams = new Map<number, ObjectStream | Damaged>();
  readonly #streams = new Map<number, StoredStream | undefined>();

  /** Opens a file. Throws `Damaged` when its structure is not sound, `TooComplex` when it is endless. */
  static open(bytes: Uint8Array): PdfFile {
    try {
      const context = PDFContext.create();
      const allowance = new Allowance(bytes.length);
      const crossReference = readCrossReference(bytes, context, allowance);
      const file = new PdfFile(new StoredObjects(bytes, context, allowance), crossReference);
      if (!(file.catalog instanceof PDFDict)) throw new Damaged("it has no catalog");
      return file;
    } catch (error) {
      if (error instanceof RangeError) throw new TooComplex("objects are nested too deeply");
      throw error;
    }
  }

  /**
   * For a cross-reference that is known already.
   * @param length how many bytes of the objects' file it is for; all of them when it is not given
   */
  constructor(objects: StoredObjects, crossReference: CrossReference, length = objects.bytes.length) {
    this.bytes = objects.bytes.subarray(0, length);
    this.crossReference = crossReference;
    this.#objects = objects;
    const { trailer } = crossReference;
    const isEncrypted = this.dictEntry(trailer, "Encrypt") !== undefined;
    // What is read until then (the Encrypt dictionary, the file's identifiers) is not encrypted itself.
    if (objects.decryption === undefined) {
      objects.decryption = isEncrypted ? Decryption.forEveryone(trailer, (value) => this.resolve(value)) : null;
    }
    this.encryption = !isEncrypted ? "none" : objects.decryption === null ? "locked" : "open";
  }

  /**
   * This file as it was before updates: its first bytes, with a cross-reference of theirs. What both have is read once.
   * Throws `Damaged` when it was encrypted otherwise.
   */
  before(crossReference: CrossReference, length: number): PdfFile {
    if (decryptedBy(crossReference.trailer) !== decryptedBy(this.crossReference.trailer))
      throw new Damaged("it was encrypted otherwise");
    return new PdfFile(this.#objects, crossReference, length);
  }

  /** Numbers of the objects read so far that are encrypted with a padding, or written, in a way that readers take each in their own. */
  get oddlyEncrypted(): Iterable<number> {
    return this.#objects.decryption?.oddlyEncrypted ?? [];
  }

  /** The context that objects made for this file belong to. */
  get context(): PDFContext {
    return this.#objects.context;
  }

  /** What reading this file may cost. */
  get allowance(): Allowance {
    return this.#objects.allowance;
  }

  /** The document's catalog (ISO 32000-2, 7.7.2). Throws `Damaged` when there is none. */
  get catalog(): PDFDict {
    const catalog = this.resolve(this.catalogRef);
    if (!(catalog instanceof PDFDict)) throw new Damaged("it has no catalog");
    return catalog;
  }

  get catalogRef(): PDFRef {
    const root = this.crossReference.trailer.get(PDFName.of("Root"));
    if (!(root instanceof PDFRef)) throw new Damaged("it has no catalog");
    return root;
  }

  /** Follows references to the object itself; what isn't there is undefined, as is null. Throws `TooComplex` in the end. */
  resolve(value: PDFObject | undefined): PDFObject | undefined {
    this.allowance.ask();
    let current = value;
    for (let hop = 0; current instanceof PDFRef; hop += 1) {
      if (hop > MAX_REFERENCE_HOPS) throw new Damaged("references run in a circle");
      current = this.object(current.objectNumber);
    }
    return current === PDFNull ? undefined : current;
  }

  /** Whether a value is null, or refers to what is null or not there. Throws `TooComplex` in the end. */
  isNothing(value: PDFObject): boolean {
    if (!(value instanceof PDFRef)) return value === PDFNull;
    const location = this.crossReference.locations.get(value.objectNumber);
    if (!location) return true;
    // Most are told from their first byte: reading each of them would take long.
    if (location.kind === "offset" && SOMETHING.test(latin1(this.bytes, location.offset, location.offset + 40)))
      return false;
    return unlessDamaged(() => this.resolve(value)) === undefined;
  }

  /** An entry of a dictionary, with references followed. */
  entry(dict: PDFDict | undefined, name: string): PDFObject | undefined {
    return this.resolve(dict?.get(PDFName.of(name)));
  }

  /** An entry that is a dictionary (a stream's dictionary counts), or undefined. */
  dictEntry(dict: PDFDict | undefined, name: string): PDFDict | undefined {
    const value = this.entry(dict, name);
    return value instanceof PDFDict ? value : undefined;
  }

  /** An entry that is an array, or undefined. */
  arrayEntry(dict: PDFDict | undefined, name: string): PDFArray | undefined {
    const value = this.entry(dict, name);
    return value instanceof PDFArray ? value : undefined;
  }

  /** An entry that is a number, or undefined. */
  numberEntry(dict: PDFDict | undefined, name: string): number | undefined {
    const value = this.entry(dict, name);
    return value instanceof PDFNumber ? value.asNumber() : undefined;
  }

  /** An entry that is a name, without its slash, or undefined. */
  nameEntry(dict: PDFDict | undefined, name: string): string | undefined {
    const value = this.entry(dict, name);
    return value instanceof PDFName ? value.decodeText() : undefined;
  }

  /** All objects that are in use, in the order of their numbers. */
  references(): PDFRef[] {
    return [...this.crossReference.locations]
      .flatMap(([number, location]) =>
        location === null ? [] : [PDFRef.of(number, location.kind === "offset" ? location.generation : 0)],
      )
      .sort((one, other) => one.objectNumber - other.objectNumber);
  }

  /** An object as it stands in the file when it is appended to it; encrypted, where the file is. */
  stored(object: PDFObject, { objectNumber, generationNumber }: PDFRef): PDFObject {
    return this.#objects.decryption?.encrypted(object, objectNumber, generationNumber) ?? object;
  }

  /** An object itself, be it a reference or null; undefined where there is none. */
  object(number: number): PDFObject | undefined {
    const location = this.crossReference.locations.get(number);
    if (location === undefined || location === null) return undefined;
    if (location.kind === "offset") return this.#objectAt(number, location.offset).object;
    return this.#objects.held(this.#objectStream(location.stream), number, true);
  }

  #objectAt(number: number, offset: number): ObjectInFile {
    const standing = this.#objects.at(offset);
    this.#assertIs(number, offset, standing);
    return standing;
  }

  /** Throws `Damaged` if another object was found than was asked for, or if it ends beyond this revision. */
  #assertIs(number: number, offset: number, found: { number: number; end: number }): void {
    if (found.number === number && found.end <= this.bytes.length) return;
    throw new Damaged(`object ${number} is not at offset ${offset}, where the cross-reference says`);
  }

  /** Parses an object without keeping it, for who looks at all of them. Undefined where there is none. */
  uncached(number: number): UncachedObject | undefined {
    const location = this.crossReference.locations.get(number);
    if (location === undefined || location === null) return undefined;
    return this.allowance.withoutKeeping(() => {
      if (location.kind === "offset") return this.#uncachedAt(number, location.offset);
      const stream = this.#objectStream(location.stream);
      const object = this.#objects.held(stream, number, false);
      return { object, end: 0, generation: 0, data: null, isWhole: stream.isPlain && !stream.loose.has(number) };
    });
  }

  /** An object as it stands at an offset, which need not be where the cross-reference has it now. Throws `Damaged`. */
  uncachedAt(number: number, offset: number): UncachedObject {
    return this.allowance.withoutKeeping(() => this.#uncachedAt(number, offset));
  }

  #uncachedAt(number: number, offset: number): UncachedObject {
    const known = this.#objects.known(offset);
    if (known?.isStream === false) return { ...this.#objectAt(number, offset), data: null };
    const { lexer, generation, ...head } = this.#objects.lexerAt(offset);
    this.#assertIs(number, offset, { ...head, end: lexer.offset });
    if (lexer.takeKeyword("endobj"))
      return { object: PDFNull, end: lexer.offset, generation, data: null, isWhole: true };
    const object = lexer.object();
    const data = object instanceof PDFDict && lexer.takeKeyword("stream") ? this.#dataOf(object, lexer.offset) : null;
    return {
      object: this.#objects.decryption?.object(object, number, generation) ?? object,
      end: data?.end ?? lexer.offset,
      generation,
      data,
      isWhole: data !== null || (lexer.takeKeyword("endobj") && !lexer.hasStrayed),
    };
  }

  /** The stream that an object is, or undefined when it is not a stream. */
  streamData(number: number): StoredStream | undefined {
    const location = this.crossReference.locations.get(number);
    if (location?.kind !== "offset") return undefined;
    // What is decrypted takes memory of its own.
    if (this.#objects.decryption) return this.#streamAt(number, location.offset);
    if (!this.#streams.has(number)) this.#streams.set(number, this.#streamAt(number, location.offset));
    return this.#streams.get(number);
  }

  #streamAt(number: number, offset: number): StoredStream | undefined {
    const { lexer, generation, ...head } = this.#objects.lexerAt(offset);
    this.#assertIs(number, offset, { ...head, end: lexer.offset });
    const dict = lexer.object();
    if (!(dict instanceof PDFDict) || !lexer.takeKeyword("stream")) return undefined;
    const { start, end, isAsLongAsSaid } = this.#dataOf(dict, lexer.offset);
    const data = this.bytes.subarray(start, end);
    const { decryption } = this.#objects;
    if (!decryption) return { dict, data, isAsLongAsSaid };
    this.allowance.spend(data.length);
    decryption.object(dict, number, generation);
    return { dict, data: decryption.stream(dict, data, number, generation), isAsLongAsSaid };
  }

  /** Where a stream's data is, after its keyword. */
  #dataOf(dict: PDFDict, afterKeyword: number): { start: number; end: number; isAsLongAsSaid: boolean } {
    const start = dataStart(this.bytes, afterKeyword);
    const length = this.numberEntry(dict, "Length") ?? -1;
    const isAsLongAsSaid = length >= 0 && endsStream(this.bytes, start + length);
    const end = isAsLongAsSaid ? start + length : this.#objects.streamEndAfter(start);
    if (end === undefined || end + "endstream".length > this.bytes.length)
      throw new Damaged(`a stream that begins at offset ${start} does not end`);
    return { start, end, isAsLongAsSaid };
  }

  /** Numbers of the objects that a stream holds, in their order there. Throws `Damaged` when it can't be read. */
  heldBy(streamNumber: number): number[] {
    return [...this.#objectStream(streamNumber).offsets.keys()];
  }

  #objectStream(number: number): ObjectStream {
    return once(this.#objectStreams, number, () => {
      const location = this.crossReference.locations.get(number);
      const standing = location?.kind === "offset" ? this.#objectAt(number, location.offset) : undefined;
      if (!(standing?.isStream && standing.object instanceof PDFDict)) {
        throw new Damaged(`object stream ${number} is missing`);
      }
      const dict = standing.object;
      const place = {
        ...this.#dataOf(dict, standing.end),
        isPlain: isPlainlyCompressed(dict),
        ...filterOf(dict),
        first: this.numberEntry(dict, "First") ?? 0,
        // Poppler takes an integer alone.
        count: isReal(this.entry(dict, "N")) ? Number.NaN : (this.numberEntry(dict, "N") ?? 0),
      };
      return this.#objects.objectStream(place, () => this.streamData(number)?.data ?? new Uint8Array());
    });
  }
}
