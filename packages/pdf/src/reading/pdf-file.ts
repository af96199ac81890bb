import { PDFArray, PDFContext, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { Allowance } from "./allowance.ts";
import { bufferOf } from "./bytes.ts";
import {
  type CrossReference,
  dataStart,
  endsStream,
  filterOf,
  type Location,
  readCrossReference,
} from "./cross-reference.ts";
import { Decryption } from "./decryption.ts";
import { Damaged, TooComplex } from "./faults.ts";
import { inflateStructure } from "./inflate.ts";
import { Lexer } from "./lexer.ts";

const MAX_REFERENCE_HOPS = 32;

/** A stream as it stands in a file. */
export interface StoredStream {
  dict: PDFDict;
  /** As stored, but decrypted. */
  data: Uint8Array;
  /** Whether it ends where its dictionary says; other readers may read on past its end. */
  isAsLongAsSaid: boolean;
}

interface ObjectStream {
  data: Uint8Array;
  /** Object number → offset of the object within the data. */
  offsets: Map<number, number>;
}

/**
 * A PDF as its cross-reference describes it: objects are read when they are asked for, so that a
 * question about pages costs the same for a file of 100 KB and one of 20 MB.
 * What is encrypted for everybody to open is read as if it were not.
 */
export class PdfFile {
  readonly bytes: Uint8Array;
  /** The context that objects made for this file belong to. */
  readonly context: PDFContext;
  readonly crossReference: CrossReference;
  /** `locked` when reading takes a password, or a method that is not known. */
  readonly encryption: "none" | "open" | "locked";
  /** What reading this file may cost. */
  readonly allowance: Allowance;
  /** What was read, and what is wrong with what can't be: nothing is tried twice. */
  readonly #objects = new Map<number, PDFObject | Damaged>();
  readonly #objectStreams = new Map<number, ObjectStream | Damaged>();
  readonly #streams = new Map<number, StoredStream | undefined>();
  readonly #decryption: Decryption | null = null;
  /** Where objects end that are no streams. */
  readonly #ends = new Map<number, number>();
  #streamEnds: number[] | undefined;

  /** Opens a file. Throws `Damaged` when its structure is not sound, `TooComplex` when it is endless. */
  static open(bytes: Uint8Array): PdfFile {
    try {
      const context = PDFContext.create();
      const allowance = new Allowance(bytes.length);
      const file = new PdfFile(bytes, context, readCrossReference(bytes, context, allowance), allowance);
      if (!(file.catalog instanceof PDFDict)) throw new Damaged("it has no catalog");
      return file;
    } catch (error) {
      if (error instanceof RangeError) throw new TooComplex("objects are nested too deeply");
      throw error;
    }
  }

  /** For a cross-reference that is known already. */
  constructor(bytes: Uint8Array, context: PDFContext, crossReference: CrossReference, allowance: Allowance) {
    this.bytes = bufferOf(bytes);
    this.allowance = allowance;
    this.context = context;
    this.crossReference = crossReference;
    const { trailer } = crossReference;
    const isEncrypted = this.dictEntry(trailer, "Encrypt") !== undefined;
    // What is read until then (the Encrypt dictionary, the file's identifiers) is not encrypted itself.
    if (isEncrypted) this.#decryption = Decryption.forEveryone(trailer, (value) => this.resolve(value));
    this.encryption = !isEncrypted ? "none" : this.#decryption === null ? "locked" : "open";
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

  /** Follows references to the object itself; what isn't there is undefined, as is null. */
  resolve(value: PDFObject | undefined): PDFObject | undefined {
    let current = value;
    for (let hop = 0; current instanceof PDFRef; hop += 1) {
      if (hop > MAX_REFERENCE_HOPS) throw new Damaged("references run in a circle");
      current = this.#read(current.objectNumber);
    }
    return current === PDFNull ? undefined : current;
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
    return this.#decryption?.encrypted(object, objectNumber, generationNumber) ?? object;
  }

  #read(number: number): PDFObject | undefined {
    const location = this.crossReference.locations.get(number);
    if (location === undefined || location === null) return undefined;
    return once(this.#objects, number, () => this.#readFrom(number, location));
  }

  #readFrom(number: number, location: Location): PDFObject {
    return location.kind === "offset"
      ? this.#readAt(number, location.offset)
      : this.#readCompressed(number, location.stream);
  }

  /**
   * An object that is not kept, for who looks at all of them, and where it ends in the file (with the data of a stream;
   * 0 where it stands in an object stream). Undefined where there is none.
   */
  passing(number: number): { object: PDFObject; end: number } | undefined {
    const location = this.crossReference.locations.get(number);
    if (location === undefined || location === null) return undefined;
    const known = this.#objects.get(number);
    if (known instanceof Damaged) throw known;
    const end = this.#ends.get(number);
    if (known !== undefined && end !== undefined) return { object: known, end };
    return this.allowance.passing(() => {
      if (location.kind === "offset") return this.#passingAt(number, location.offset);
      return { object: known ?? this.#readCompressed(number, location.stream), end: 0 };
    });
  }

  #passingAt(number: number, offset: number): { object: PDFObject; end: number } {
    const { lexer, generation } = this.#lexerAt(number, offset);
    if (lexer.takeKeyword("endobj")) return { object: PDFNull, end: lexer.offset };
    const object = lexer.object();
    const stream = object instanceof PDFDict && lexer.takeKeyword("stream") ? this.#dataOf(object, lexer.offset) : null;
    return {
      object: this.#decryption?.object(object, number, generation) ?? object,
      end: stream?.end ?? lexer.offset,
    };
  }

  #lexerAt(number: number, offset: number): { lexer: Lexer; generation: number } {
    const lexer = new Lexer(this.bytes, this.context, offset, this.allowance);
    const [found, generation] = [lexer.takeInteger(), lexer.takeInteger()];
    if (found !== number || generation === undefined || !lexer.takeKeyword("obj")) {
      throw new Damaged(`object ${number} is not where the cross-reference says`);
    }
    return { lexer, generation };
  }

  /** The object at an offset; of a stream its dictionary alone, since no stream's data is changed here. */
  #readAt(number: number, offset: number): PDFObject {
    const { lexer, generation } = this.#lexerAt(number, offset);
    // Some producers write "1 0 obj endobj" for null.
    if (lexer.takeKeyword("endobj")) return PDFNull;
    const object = lexer.object();
    if (!(object instanceof PDFDict && lexer.takeKeyword("stream"))) this.#ends.set(number, lexer.offset);
    return this.#decryption?.object(object, number, generation) ?? object;
  }

  /** The stream that an object is, or undefined when it is none. */
  streamData(number: number): StoredStream | undefined {
    const location = this.crossReference.locations.get(number);
    if (location?.kind !== "offset") return undefined;
    // What is decrypted takes memory of its own.
    if (this.#decryption !== null) return this.#streamAt(number, location.offset);
    if (!this.#streams.has(number)) this.#streams.set(number, this.#streamAt(number, location.offset));
    return this.#streams.get(number);
  }

  #streamAt(number: number, offset: number): StoredStream | undefined {
    const { lexer, generation } = this.#lexerAt(number, offset);
    const dict = lexer.object();
    if (!(dict instanceof PDFDict) || !lexer.takeKeyword("stream")) return undefined;
    const { start, end, isAsLongAsSaid } = this.#dataOf(dict, lexer.offset);
    const data = this.bytes.subarray(start, end);
    if (this.#decryption === null) return { dict, data, isAsLongAsSaid };
    this.allowance.spend(data.length);
    this.#decryption.object(dict, number, generation);
    return { dict, data: this.#decryption.stream(dict, data, number, generation), isAsLongAsSaid };
  }

  /** Where a stream's data is, after its keyword. */
  #dataOf(dict: PDFDict, afterKeyword: number): { start: number; end: number; isAsLongAsSaid: boolean } {
    const start = dataStart(this.bytes, afterKeyword);
    const length = this.numberEntry(dict, "Length") ?? -1;
    const isAsLongAsSaid = length >= 0 && endsStream(this.bytes, start + length);
    const end = isAsLongAsSaid ? start + length : this.#streamEndAfter(start);
    if (end === undefined) throw new Damaged(`a stream that begins at offset ${start} does not end`);
    return { start, end, isAsLongAsSaid };
  }

  /** Where the next `endstream` is. All are looked for at once, lest each of many streams without one looks through the file. */
  #streamEndAfter(start: number): number | undefined {
    this.#streamEnds ??= placesOf(bufferOf(this.bytes), "endstream");
    let [low, high] = [0, this.#streamEnds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#streamEnds[middle] ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return this.#streamEnds[low];
  }

  #readCompressed(number: number, streamNumber: number): PDFObject {
    const stream = this.#objectStream(streamNumber);
    const offset = stream.offsets.get(number);
    // As for other readers, what an object stream does not hold is null, though it may stand elsewhere in the file.
    if (offset === undefined) return PDFNull;
    return new Lexer(stream.data, this.context, offset, this.allowance).object();
  }

  /** Numbers of the objects that a stream holds, in their order there. Throws `Damaged` when it can't be read. */
  heldBy(streamNumber: number): number[] {
    return [...this.#objectStream(streamNumber).offsets.keys()];
  }

  #objectStream(number: number): ObjectStream {
    return once(this.#objectStreams, number, () => this.#readObjectStream(number));
  }

  #readObjectStream(number: number): ObjectStream {
    const stream = this.streamData(number);
    if (stream === undefined) throw new Damaged(`object stream ${number} is missing`);
    const { filter, parameters } = filterOf(stream.dict);
    const data = inflateStructure(stream.data, filter, parameters, this.allowance);
    const first = this.numberEntry(stream.dict, "First") ?? 0;
    const lexer = new Lexer(data, this.context, 0, this.allowance);
    const offsets = new Map<number, number>();
    while (lexer.offset < first) {
      const [objectNumber, offset] = [lexer.takeInteger(), lexer.takeInteger()];
      if (objectNumber === undefined || offset === undefined) break;
      this.allowance.list();
      offsets.set(objectNumber, first + offset);
    }
    return { data, offsets };
  }
}

/** What is kept of a thing, or read now; what was wrong with it the first time is wrong with it again. */
function once<Value>(kept: Map<number, Value | Damaged>, number: number, read: () => Value): Value {
  const known = kept.get(number);
  if (known instanceof Damaged) throw known;
  if (known !== undefined) return known;
  try {
    const value = read();
    kept.set(number, value);
    return value;
  } catch (error) {
    if (error instanceof Damaged) kept.set(number, error);
    throw error;
  }
}

function placesOf(buffer: Buffer, word: string): number[] {
  const places: number[] = [];
  for (let at = buffer.indexOf(word); at >= 0; at = buffer.indexOf(word, at + word.length)) places.push(at);
  return places;
}
