import { isWhitespace } from "@rubrica/pdf-reading/characters";
import { unlessDamaged } from "@rubrica/pdf-reading/faults";
import { linearizationIsDoubtful } from "@rubrica/pdf-reading/linearization";
import { names } from "@rubrica/pdf-reading/names";
import { objectHeadsIn } from "@rubrica/pdf-reading/object-heads";
import { holdsStray, isOddNumber, isReal, saysTwice } from "@rubrica/pdf-reading/oddities";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { pageNodeIsDoubtful } from "@rubrica/pdf-reading/page-nodes";
import type { PdfFile, UncachedObject } from "@rubrica/pdf-reading/pdf-file";
import { isPlainlyEncrypted } from "@rubrica/pdf-reading/plain-encryption";
import { endsTwice } from "@rubrica/pdf-reading/stream-end";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { MisplacedStreams } from "./misplaced-streams.ts";

/** What readers disagree on, each in its own way: they then show two texts of one file. */
export const ambiguities = {
  cross_reference:
    "a section of its cross-reference has an object at two places, an older one has it in a later generation or further on, " +
    "or some readers find another section, or another catalog",
  head: "an object is not what the cross-reference says: its number, its generation, or where it begins",
  reference: "a reference has another generation than the cross-reference",
  unlisted: "objects stand in it that no cross-reference has, or more often than it has them",
  key: "a dictionary has a key twice",
  number: "a number is written in a way that readers take each in their own, or an integer with a point",
  stray:
    "something stands in an object that belongs to no key, is none, or follows it, or an object is only a reference",
  page_node: "a node of its page tree is of two kinds, or of none",
  linearization:
    "some readers find its first page, or others, elsewhere than in its page tree, as long as it is so long",
  length: "a stream is not as long as it says",
  stream: "a stream stands where a dictionary has to",
  encryption: "it is encrypted in an unusual way, or padded wrong",
} as const;
export type Ambiguity = keyof typeof ambiguities;

/** Entries of integers, or of lists of them, by which readers choose what they show. */
const integers = new Set(
  (
    "BitsPerComponent BitsPerCoordinate BitsPerFlag BitsPerSample Colors Columns Count Differences EarlyChange F First " +
    "FirstChar Flags FunctionType Height LC LJ LastChar Length Mask PaintType PatternType Predictor Prev Rotate Rows ShadingType Size " +
    "TilingType VerticesPerRow Width XRefStm"
  )
    .split(" ")
    .map((name) => PDFName.of(name)),
);
const INDEXED: readonly (PDFObject | undefined)[] = ["Indexed", "I"].map((name) => PDFName.of(name));

const [TYPE, OBJECT_STREAM] = names("Type", "ObjStm");
const [O, NUL, PERCENT, ZERO, NINE] = [0x6f, 0x00, 0x25, 0x30, 0x39];

/** Looks for what readers disagree on, in the objects of a file as they are gone through for other reasons. */
export class AmbiguityFinder {
  readonly #file: PdfFile;
  readonly #held = new Map<number, readonly number[]>();
  readonly #misplaced: MisplacedStreams;
  #found: Ambiguity | null = null;

  constructor(file: PdfFile) {
    this.#file = file;
    this.#misplaced = new MisplacedStreams(file);
  }

  /** Takes a look at an object; undefined where none can be read. */
  look(number: number, uncached: UncachedObject | undefined): void {
    if (this.#found !== null) return;
    if (uncached === undefined) {
      this.#found = "head";
      return;
    }
    const { object, generation, data, isWhole } = uncached;
    this.#misplaced.look(number, uncached);
    const location = this.#file.crossReference.locations.get(number);
    const isListed =
      location?.kind === "offset"
        ? location.generation === generation && hasPlainHead(this.#file.bytes, location.offset)
        : location?.kind === "compressed" && this.#holds(location.stream, location.index, number);
    if (!isListed) this.#found = "head";
    else if (!isWhole || object instanceof PDFRef) this.#found = "stray";
    else if (data !== null && this.#isDoubtful(object, data)) this.#found = "length";
    else this.#lookInto(object);
  }

  /**
   * The first ambiguity that there is; null when readers agree on the file.
   * @param places where the objects begin and end that the cross-reference has at offsets
   */
  verdict({ file, pages }: OpenDocument, places: readonly (readonly [start: number, end: number])[]): Ambiguity | null {
    if (isContradictory(file)) return "cross_reference";
    for (const trailer of file.crossReference.sections.trailers) if (this.#found === null) this.#lookInto(trailer);
    if (this.#found !== null) return this.#found;
    if (this.#misplaced.areFound) return "stream";
    if (file.encryption !== "none" && !isPlainlyEncrypted(file)) return "encryption";
    if (pageNodeIsDoubtful(file)) return "page_node";
    const pageRefs = pages.map(({ ref }) => ref);
    if (linearizationIsDoubtful(file, pageRefs)) return "linearization";
    return this.#hasUnlisted(places) ? "unlisted" : null;
  }

  #holds(stream: number, index: number, number: number): boolean {
    const held = this.#held.get(stream) ?? (this.#isHolder(stream) ? this.#file.heldBy(stream) : []);
    this.#held.set(stream, held);
    return held[index] === number;
  }

  /** PDFium finds nothing in a stream of objects that does not say that it is one, and pdf.js in one of a later generation. */
  #isHolder(number: number): boolean {
    const [dict, location] = [this.#file.object(number), this.#file.crossReference.locations.get(number)];
    const isFirst = location?.kind === "offset" && location.generation === 0;
    return isFirst && dict instanceof PDFDict && dict.get(TYPE) === OBJECT_STREAM;
  }

  /** Whether a stream ends where it says; what stands in it must not end it for who looks for the end. */
  #isDoubtful(dict: PDFObject, { start, end, isAsLongAsSaid }: NonNullable<UncachedObject["data"]>): boolean {
    return !isAsLongAsSaid || (dict instanceof PDFDict && endsTwice(dict, this.#file.bytes.subarray(start, end)));
  }

  #lookInto(object: PDFObject): void {
    const { locations } = this.#file.crossReference;
    const left = [object];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (holdsStray(next)) this.#found = "stray";
      if (next instanceof PDFRef) {
        const location = locations.get(next.objectNumber);
        const generation = location?.kind === "offset" ? location.generation : 0;
        if (location && generation !== next.generationNumber) this.#found = "reference";
      } else if (next instanceof PDFNumber) {
        if (isOddNumber(next)) this.#found = "number";
      } else if (next instanceof PDFArray) {
        if (INDEXED.includes(next.get(0)) && isReal(this.#file.resolve(next.get(2)))) this.#found = "number";
        for (let index = 0; index < next.size(); index += 1) left.push(next.get(index));
      } else if (next instanceof PDFDict) {
        if (saysTwice(next)) this.#found = "key";
        this.#misplaced.lookInto(next);
        for (const [key, value] of next.entries()) {
          if (integers.has(key) && this.#hasReal(this.#file.resolve(value))) this.#found = "number";
          left.push(value);
        }
      }
    }
  }

  #hasReal(value: PDFObject | undefined): boolean {
    return value instanceof PDFArray ? value.asArray().some((item) => isReal(this.#file.resolve(item))) : isReal(value);
  }

  /** Whether heads of objects stand between those that the sections of the cross-reference have, or had. */
  #hasUnlisted(places: readonly (readonly [start: number, end: number])[]): boolean {
    const { bytes, crossReference } = this.#file;
    const { offsets, former } = crossReference.sections;
    const known = [...places].sort(([one], [other]) => one - other);
    const listed = new Set([...offsets, ...former.map(([, offset]) => offset)]);
    let [index, end] = [0, 0];
    let formerEnds: readonly (readonly [number, number])[] | undefined;
    for (const head of objectHeadsIn(bytes, 0)) {
      const at = head?.at ?? Number.NaN;
      for (; index < known.length && (known[index]?.[0] ?? 0) <= at; index += 1)
        end = Math.max(end, known[index]?.[1] ?? 0);
      if (at < end || isListed(listed, bytes, at)) continue;
      formerEnds ??= this.#placesOf(former);
      if (!formerEnds.some(([start, formerEnd]) => start <= at && at < formerEnd)) return true;
    }
    return false;
  }

  #placesOf(former: readonly (readonly [number: number, offset: number])[]): (readonly [number, number])[] {
    return former.flatMap(([number, offset]) => {
      const uncached = unlessDamaged(() => this.#file.uncachedAt(number, offset));
      return uncached === undefined ? [] : [[offset, uncached.end] as const];
    });
  }
}

const ROOT = PDFName.of("Root");

/** Whether readers find something else by the sections of a cross-reference, or where they do without them: then the last place of an object counts. */
const isContradictory = ({ crossReference, bytes }: PdfFile): boolean => {
  const { sections, locations, trailer } = crossReference;
  const { contradictory, isOdd, hasFormer, former, trailers } = sections;
  if (contradictory || (isOdd && hasFormer)) return true;
  const root = trailer.get(ROOT);
  if (trailers.some((one) => (one.get(ROOT) ?? root) !== root)) return true;
  return former.some(([number, offset]) => {
    const now = locations.get(number);
    const place = now?.kind === "compressed" ? locations.get(now.stream) : now;
    return place?.kind === "offset" && place.offset < offset && !areBlanks(bytes, place.offset, offset);
  });
};

/** Cross-references may point to the white space before an object. */
const MAX_BLANKS = 16;
const areBlanks = (bytes: Uint8Array, start: number, end: number): boolean =>
  end - start <= MAX_BLANKS && bytes.subarray(start, end).every(isWhitespace);

/** Whether the head of an object at an offset is digits and white space alone: comments and NULs mislead readers. */
const hasPlainHead = (bytes: Uint8Array, offset: number): boolean => {
  for (let at = offset; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === O) return true;
    const isPlain = (byte >= ZERO && byte <= NINE) || (isWhitespace(byte) && byte !== NUL);
    if (byte === PERCENT || !isPlain) return false;
  }
  return false;
};

/** Cross-references may point to the white space before an object. */
const isListed = (listed: ReadonlySet<number>, bytes: Uint8Array, at: number): boolean => {
  for (let offset = at; offset >= 0; offset -= 1) {
    if (listed.has(offset)) return true;
    if (!isWhitespace(bytes[offset - 1] ?? 0)) return false;
  }
  return false;
};
