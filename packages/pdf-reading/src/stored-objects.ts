import { type PDFContext, PDFDict, PDFNull, type PDFObject } from "pdf-lib";
import type { Allowance } from "./allowance.ts";
import { bufferOf } from "./bytes.ts";
import type { Decryption } from "./decryption.ts";
import { Damaged } from "./faults.ts";
import { inflateStructure } from "./inflate.ts";
import { Lexer } from "./lexer.ts";

/** An object as it stands at an offset of a file. */
export interface ObjectInFile {
  number: number;
  /** Of a stream its dictionary alone, since no stream's data is changed here. */
  object: PDFObject;
  isStream: boolean;
  generation: number;
  /** Where it ends; of a stream, where its keyword does. */
  end: number;
  /** Whether its end, or its stream, follows it, and nothing strays in it. */
  isWhole: boolean;
}

/** What an object stream holds. */
export interface ObjectStream {
  data: Uint8Array;
  /** Object number → offset of the object within the data. */
  offsets: ReadonlyMap<number, number>;
  objects: Map<number, PDFObject | Damaged>;
  /** Where objects begin, in order. */
  starts: readonly number[];
  /** Whether all readers decompress it, and it tells of as many objects as it says, each once, in order, up to where they begin. */
  isPlain: boolean;
  /** Numbers of the objects read so far that are not followed by the next object alone, or that hold stray bytes. */
  loose: Set<number>;
}

/** Where an object stream's data stands, and how it is to be read. */
export interface ObjectStreamPlace {
  start: number;
  end: number;
  /** Offset of the first object within the data. */
  first: number;
  /** How many it says it has. */
  count: number;
  filter: string | undefined;
  parameters: PDFDict | undefined;
  /** Whether all readers decompress its data alike. */
  isPlain: boolean;
}

/**
 * The objects of a file by the places where they stand. What was read at a place, and what is wrong with what can't be,
 * is the same for all the revisions that have it there: nothing is read twice.
 */
export class StoredObjects {
  readonly bytes: Buffer;
  /** The context that objects made for this file belong to. */
  readonly context: PDFContext;
  /** What reading this file may cost. */
  readonly allowance: Allowance;
  /** Undefined until it is known; null when nothing is encrypted, or reading takes a password. */
  decryption: Decryption | null | undefined;
  readonly #byOffset = new Map<number, ObjectInFile | Damaged>();
  readonly #objectStreams = new Map<string, ObjectStream | Damaged>();
  #streamEnds: number[] | undefined;

  constructor(bytes: Uint8Array, context: PDFContext, allowance: Allowance) {
    this.bytes = bufferOf(bytes);
    this.context = context;
    this.allowance = allowance;
  }

  /** What stands at an offset. Throws `Damaged`. */
  at(offset: number): ObjectInFile {
    return once(this.#byOffset, offset, () => this.#readAt(offset));
  }

  /** What was read at an offset, if it was. Throws `Damaged` when that could not be read. */
  known(offset: number): ObjectInFile | undefined {
    const known = this.#byOffset.get(offset);
    if (known instanceof Damaged) throw known;
    return known;
  }

  #readAt(offset: number): ObjectInFile {
    const { lexer, number, generation } = this.lexerAt(offset);
    // Some producers write "1 0 obj endobj" for null.
    if (lexer.takeKeyword("endobj"))
      return { number, object: PDFNull, isStream: false, generation, end: lexer.offset, isWhole: true };
    const object = lexer.object();
    const isStream = object instanceof PDFDict && lexer.takeKeyword("stream");
    const plain = this.decryption?.object(object, number, generation) ?? object;
    const end = lexer.offset;
    return {
      number,
      object: plain,
      isStream,
      generation,
      end,
      isWhole: (isStream || lexer.takeKeyword("endobj")) && !lexer.hasStrayed,
    };
  }

  /** A lexer behind the head of an object at an offset. Throws `Damaged` where none stands. */
  lexerAt(offset: number): { lexer: Lexer; number: number; generation: number } {
    const lexer = new Lexer(this.bytes, this.context, offset, this.allowance);
    const [number, generation] = [lexer.takeInteger(), lexer.takeInteger()];
    if (number === undefined || generation === undefined || !lexer.takeKeyword("obj")) {
      throw new Damaged(`no object is at offset ${offset}, where the cross-reference says`);
    }
    return { lexer, number, generation };
  }

  /** What an object stream at a place holds. Throws `Damaged`. */
  objectStream(place: ObjectStreamPlace, read: () => Uint8Array): ObjectStream {
    const { start, end, first, count, filter, parameters } = place;
    return once(this.#objectStreams, `${start} ${end} ${first} ${count} ${filter} ${parameters}`, () => {
      const data = inflateStructure(read(), filter, parameters, this.allowance);
      const lexer = new Lexer(data, this.context, 0, this.allowance);
      const offsets = new Map<number, number>();
      let [pairs, last, isInOrder] = [0, -1, true];
      for (lexer.skipSpace(); lexer.offset < first; lexer.skipSpace()) {
        const [number, offset] = [lexer.takeInteger(), lexer.takeInteger()];
        if (number === undefined || offset === undefined) break;
        this.allowance.list();
        offsets.set(number, first + offset);
        pairs += 1;
        // Some readers end an object where the next one in the list begins, others where it ends.
        isInOrder &&= offset > last;
        last = offset;
      }
      const isAsSaid = pairs === count && offsets.size === count && lexer.offset >= first;
      const isPlain = place.isPlain && isInOrder && isAsSaid;
      const starts = [...new Set(offsets.values())].sort((one, other) => one - other);
      return { data, offsets, isPlain, objects: new Map(), starts, loose: new Set() };
    });
  }

  /** An object that an object stream holds; as for other readers, what it does not hold is null, though it may stand elsewhere in the file. */
  held({ data, offsets, objects, starts, loose }: ObjectStream, number: number, keep: boolean): PDFObject {
    const offset = offsets.get(number);
    if (offset === undefined) return PDFNull;
    const read = () => {
      const lexer = new Lexer(data, this.context, offset, this.allowance);
      const object = lexer.object();
      lexer.skipSpace();
      if (lexer.hasStrayed || lexer.offset < (starts[above(starts, offset)] ?? data.length)) loose.add(number);
      return object;
    };
    return keep || objects.has(number) ? once(objects, number, read) : read();
  }

  /** Where the next `endstream` is. All are looked for at once, lest each of many streams without one looks through the file. */
  streamEndAfter(start: number): number | undefined {
    this.#streamEnds ??= placesOf(this.bytes, "endstream");
    return this.#streamEnds[above(this.#streamEnds, start - 1)];
  }
}

/** The index of the first of some sorted numbers that is above another one. */
const above = (sorted: readonly number[], bound: number): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Reads a thing once: later calls give what was read, or throw the `Damaged` that was thrown. */
export const once = <Key, Value extends object>(
  kept: Map<Key, Value | Damaged>,
  key: Key,
  read: () => Value,
): Value => {
  const known = kept.get(key);
  if (known instanceof Damaged) throw known;
  if (known !== undefined) return known as Value;
  try {
    const value = read();
    kept.set(key, value);
    return value;
  } catch (error) {
    if (error instanceof Damaged) kept.set(key, error);
    throw error;
  }
};

const placesOf = (buffer: Buffer, word: string): number[] => {
  const places: number[] = [];
  for (let at = buffer.indexOf(word); at >= 0; at = buffer.indexOf(word, at + word.length)) places.push(at);
  return places;
};
