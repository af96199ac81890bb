import { deflateSync } from "node:zlib";
import {
  PDFArray,
  PDFContext,
  PDFDict,
  PDFHeader,
  PDFName,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFStreamWriter,
  PDFWriter,
} from "pdf-lib";
import { asciiHex } from "./ascii-hex.ts";
import { latin1 } from "./bytes.ts";
import { Damaged, TooComplex } from "./faults.ts";
import { settlePageNodes } from "./page-nodes.ts";
import type { PdfFile } from "./pdf-file.ts";
import { endsTwice } from "./stream-end.ts";

const key = (name: string) => PDFName.of(name);
const OBJECTS_PER_TICK = 1_000;

/** What is done to a file as it is written anew. */
export interface Changes {
  /** To each object, in place; of a stream, to its dictionary. */
  change(object: PDFObject, number: number, isStream: boolean): void;
  /** Once all of them are changed: further objects come in here. */
  complete(context: PDFContext): Promise<void>;
  /** Streams by their numbers, decoded, that are written in the place of those of the file. */
  contents: ReadonlyMap<number, Uint8Array>;
  /** The same of what is compressed in Flate. */
  compressed: ReadonlyMap<number, Uint8Array>;
}

/**
 * A file written anew, with what its cross-reference has and nothing else, so that every reader finds the same: with
 * one generation, a length for each stream that no part of its data ends, and a table where there was one. One that
 * is encrypted for everybody to open is not encrypted any more: what is appended to it later needs no key then.
 * Objects that can't be read are left out, as readers do.
 * @param changes what is done to it. What nothing refers to in the end is left out as well
 */
export const rewrittenFile = async (file: PdfFile, changes?: Changes): Promise<Uint8Array> => {
  const context = PDFContext.create();
  context.header = versionOf(file);
  const { trailer } = file.crossReference;
  const aliases = new Map<PDFRef, PDFRef>();
  const encrypt = trailer.get(key("Encrypt"));
  let left = file.bytes.length;
  for (const ref of file.references()) {
    if (ref === encrypt) continue;
    left -= copy(file, ref, context, aliases, compressedFor(ref.objectNumber, changes));
    if (left < 0) throw new TooComplex("its streams lie within each other");
  }
  const settled = (ref: PDFRef): PDFRef => aliases.get(ofOneGeneration(ref)) ?? ofOneGeneration(ref);
  if (aliases.size > 0)
    for (const [, object] of context.enumerateIndirectObjects()) settleReferences(dictionaryOf(object), settled);
  const root = settled(file.catalogRef);
  const infoEntry = trailer.get(key("Info"));
  const info = infoEntry instanceof PDFRef ? settled(infoEntry) : infoEntry;
  if (changes !== undefined) {
    for (const [ref, object] of context.enumerateIndirectObjects())
      changes.change(dictionaryOf(object), ref.objectNumber, object instanceof PDFRawStream);
    await changes.complete(context);
  }
  dropUnreferenced(context, [root, info]);
  settlePageNodes(context, root);
  context.largestObjectNumber = context
    .enumerateIndirectObjects()
    .reduce((highest, [ref]) => Math.max(highest, ref.objectNumber), 0);
  const identifiers = trailer.get(key("ID"));
  context.trailerInfo = {
    Root: root,
    ...(info === undefined ? {} : { Info: info }),
    ...(identifiers === undefined ? {} : { ID: identifiers }),
  };
  const writer = file.crossReference.kind === "table" ? PDFWriter : PDFStreamWriter;
  return writer.forContext(context, OBJECTS_PER_TICK).serializeToBuffer();
};

const compressedFor = (number: number, changes: Changes | undefined): Uint8Array | undefined => {
  const content = changes?.contents.get(number);
  return content === undefined ? changes?.compressed.get(number) : deflateSync(content);
};

const dictionaryOf = (object: PDFObject): PDFObject => (object instanceof PDFRawStream ? object.dict : object);

const dropUnreferenced = (context: PDFContext, roots: readonly (PDFObject | undefined)[]): void => {
  const reached = new Set<PDFRef>();
  const left = roots.filter((root) => root !== undefined);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next instanceof PDFRef) {
      if (reached.has(next)) continue;
      reached.add(next);
      const object = context.lookup(next);
      if (object !== undefined) left.push(dictionaryOf(object));
    } else if (next instanceof PDFArray) {
      for (let index = 0; index < next.size(); index += 1) left.push(next.get(index));
    } else if (next instanceof PDFDict) {
      for (const value of next.values()) left.push(value);
    }
  }
  for (const [ref] of context.enumerateIndirectObjects()) if (!reached.has(ref)) context.delete(ref);
};

/**
 * Copies an object; returns how many bytes of the file its stream has taken.
 * @param aliases takes an object that is only a reference, which is not copied: who refers to it is to refer to what it leads to
 */
const copy = (
  file: PdfFile,
  ref: PDFRef,
  context: PDFContext,
  aliases: Map<PDFRef, PDFRef>,
  compressed: Uint8Array | undefined,
): number => {
  try {
    const stream = file.streamData(ref.objectNumber);
    const object = stream === undefined ? file.resolve(ref) : undivided(copied(stream, compressed));
    if (object === undefined) return 0;
    if (object instanceof PDFRawStream && isOfTheStructure(object.dict)) object.dict.delete(key("Type"));
    const target = stream === undefined ? targetOf(file, ref) : ref;
    if (target !== ref) {
      aliases.set(ofOneGeneration(ref), ofOneGeneration(target));
      return 0;
    }
    settleReferences(dictionaryOf(object), ofOneGeneration);
    context.assign(PDFRef.of(ref.objectNumber), object);
    return stream?.data.length ?? 0;
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    return 0;
  }
};

const copied = ({ dict, data }: { dict: PDFDict; data: Uint8Array }, compressed: Uint8Array | undefined) => {
  if (compressed === undefined) return withoutCryptFilter(dict, data);
  dict.delete(key("DecodeParms"));
  dict.set(key("Filter"), key("FlateDecode"));
  return PDFRawStream.of(dict, compressed);
};

/** Objects are found by their numbers alone. */
const ofOneGeneration = ({ objectNumber }: PDFRef): PDFRef => PDFRef.of(objectNumber);

/** Where an object is that only references may lead to; they do not run in a circle. */
const targetOf = (file: PdfFile, ref: PDFRef): PDFRef => {
  let [target, next] = [ref, file.object(ref.objectNumber)];
  for (; next instanceof PDFRef; next = file.object(target.objectNumber)) target = next;
  return target;
};

/** Has all references within an object be settled ones, in place. */
const settleReferences = (object: PDFObject, settled: (ref: PDFRef) => PDFRef): void => {
  const left = [object];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next instanceof PDFArray) {
      for (let index = 0; index < next.size(); index += 1) {
        const item = next.get(index);
        if (!(item instanceof PDFRef)) left.push(item);
        else if (settled(item) !== item) next.set(index, settled(item));
      }
    } else if (next instanceof PDFDict) {
      for (const [name, value] of next.entries()) {
        if (!(value instanceof PDFRef)) left.push(value);
        else if (settled(value) !== value) next.set(name, settled(value));
      }
    }
  }
};

/** A stream whose data holds what ends a stream is written in ASCIIHex: readers that look for the end find it there. */
const undivided = (stream: PDFRawStream): PDFRawStream => {
  const { dict, contents } = stream;
  if (!endsTwice(dict, contents)) return stream;
  const listed = (name: string): PDFObject[] => {
    const value = dict.get(key(name));
    return value instanceof PDFArray ? value.asArray() : value === undefined ? [] : [value];
  };
  const [filters, parameters] = [listed("Filter"), listed("DecodeParms")];
  dict.set(key("Filter"), dict.context.obj([key("ASCIIHexDecode"), ...filters]));
  if (parameters.length > 0) dict.set(key("DecodeParms"), dict.context.obj([null, ...parameters]));
  return PDFRawStream.of(dict, asciiHex(contents));
};

/** Cross-reference and object streams: what they hold is written in others. Where something refers to one, it is but called so. */
const isOfTheStructure = (dict: PDFDict): boolean => {
  const type = dict.get(key("Type"));
  return type === key("XRef") || type === key("ObjStm");
};

/** A crypt filter (ISO 32000-2, 7.4.10) has no meaning where nothing is encrypted; it is always the first filter. */
const withoutCryptFilter = (dict: PDFDict, data: Uint8Array): PDFRawStream => {
  const filter = dict.get(key("Filter"));
  const parameters = dict.get(key("DecodeParms"));
  if (filter === key("Crypt")) {
    dict.delete(key("Filter"));
    dict.delete(key("DecodeParms"));
  } else if (filter instanceof PDFArray && filter.asArray()[0] === key("Crypt")) {
    filter.remove(0);
    if (parameters instanceof PDFArray) parameters.remove(0);
  }
  return PDFRawStream.of(dict, data);
};

const versionOf = (file: PdfFile): PDFHeader => {
  const stated = /%PDF-(\d)\.(\d)/.exec(latin1(file.bytes, 0, 20));
  const [major, minor] = [Number(stated?.[1] ?? 1), Number(stated?.[2] ?? 7)];
  if (file.crossReference.kind === "table") return PDFHeader.forVersion(major, minor);
  // Object streams, which are written, came with 1.5.
  return major >= 2 ? PDFHeader.forVersion(major, minor) : PDFHeader.forVersion(1, Math.max(5, minor));
};
