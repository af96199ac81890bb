import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile, UncachedObject } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";

/** Streams in places of dictionaries: some readers take a stream's dictionary there, others nothing. */

const namesIn = (words: string): ReadonlySet<PDFName> => new Set(words.split(" ").map((word) => PDFName.of(word)));

/** Entries of one dictionary, of a list of them or, named by an author's own names, of several. */
const single = namesIn(
  "AP AcroForm BS CharProcs CIDSystemInfo ColorSpace DR Encrypt FontDescriptor Group MK OCProperties Pages Parent Pattern " +
    "Resources Root Usage XObject",
);
const listed = namesIn("Annots DecodeParms DescendantFonts Fields Kids OC OCGs");
const named = namesIn("ExtGState Font Properties");
const [ENCODING, DESCENDANTS, SHADING, STATES] = names("Encoding", "DescendantFonts", "Shading", "ExtGState");
const [PATTERN_TYPE, FUNCTION_TYPE, SHADING_TYPE] = names("PatternType", "FunctionType", "ShadingType");
const [LAYERS, SETTINGS, MASKED_BY, KIND] = names("OCGs", "D", "G", "S");
/** Kinds of patterns, functions and shadings that have no data. */
const withoutData = new Map<PDFName, readonly number[]>([
  [PATTERN_TYPE, [2]],
  [FUNCTION_TYPE, [2, 3]],
  [SHADING_TYPE, [1, 2, 3]],
]);

/** Looks for them in the objects of a file as they are gone through. */
export class MisplacedStreams {
  readonly #file: PdfFile;
  /** Numbers of objects that are streams, and of those that have to be dictionaries. */
  readonly #streams = new Set<number>();
  readonly #dictionaries = new Set<number>();
  /** What was gone through, since many may share it. */
  readonly #seen = new WeakSet<PDFObject>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Whether there is one, among what was looked at. */
  get areFound(): boolean {
    return [...this.#dictionaries].some((number) => this.#streams.has(number));
  }

  /** Takes a look at an object itself. */
  look(number: number, { object, data }: UncachedObject): void {
    if (data === null) return;
    this.#streams.add(number);
    if (object instanceof PDFDict && (this.#isWithoutData(object) || isMask(object))) this.#dictionaries.add(number);
  }

  #isWithoutData(dict: PDFDict): boolean {
    return [...withoutData].some(([entry, kinds]) => {
      const kind = this.#file.resolve(dict.get(entry));
      return kind instanceof PDFNumber && kinds.includes(kind.asNumber());
    });
  }

  /** Takes a look at what a dictionary has, be it within an object. */
  lookInto(dict: PDFDict): void {
    for (const [key, value] of dict.entries()) {
      if (listed.has(key)) this.#note(value, PDFArray);
      // A pattern's state is one itself.
      else if (named.has(key)) this.#note(value, dict.has(PATTERN_TYPE) && key === STATES ? PDFArray : PDFDict);
      else if (isSingle(key, dict)) this.#note(value);
    }
  }

  #note(value: PDFObject, holder?: typeof PDFArray | typeof PDFDict): void {
    if (value instanceof PDFRef) this.#dictionaries.add(value.objectNumber);
    const found = holder && this.#file.resolve(value);
    if (found === undefined || this.#seen.has(found)) return;
    this.#seen.add(found);
    const held =
      found instanceof PDFArray
        ? found.asArray()
        : holder === PDFDict && found instanceof PDFDict
          ? found.values()
          : [];
    for (const one of held) if (one instanceof PDFRef) this.#dictionaries.add(one.objectNumber);
  }
}

const isSingle = (key: PDFName, dict: PDFDict): boolean => {
  // A map of codes is a stream, as are a pattern's shading by its data and an appearance.
  if (key === ENCODING) return !dict.has(DESCENDANTS);
  if (key === SHADING) return !dict.has(PATTERN_TYPE);
  return single.has(key) || (key === SETTINGS && dict.has(LAYERS));
};

/** Whether a dictionary is that of a graphics state's mask, which names the group that is one. */
const isMask = (dict: PDFDict): boolean => dict.has(MASKED_BY) && dict.has(KIND);
