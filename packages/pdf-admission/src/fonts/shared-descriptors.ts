import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";

/**
 * Fonts that share a descriptor: pdf.js takes two of them for one where a hash of some of their entries is the same, which
 * anybody can make it.
 */

const [DESCRIPTOR, ENCODING, TO_UNICODE, LENGTH] = names("FontDescriptor", "Encoding", "ToUnicode", "Length");
const setOf = (words: string): ReadonlySet<PDFName> => new Set(words.split(" ").map((word) => PDFName.of(word)));
/** Which change nothing that is drawn. */
const IDLE = setOf("Name ToUnicode Type");
const NOTHING: ReadonlySet<PDFName> = new Set();
/** Of a composite font, what its descendant says. */
const OF_DESCENDANT = setOf("BaseFont DescendantFonts");

/**
 * What of a font decides whether pdf.js may take it for another one of its descriptor. By the names of their codes alone the
 * hash is another one: many honest ones have the same characters in lines and in columns.
 */
interface Said {
  /** All but the two others. */
  entries: string;
  encoding: string;
  /** What of it may be written so that the hash is that of another font; empty where nothing can. */
  free: string;
}

/** So many of one descriptor are compared; there are fewer names of codes that readers know. */
const MOST_TOLD = 64;

/** What fonts say that were met before, by their descriptors; composite ones apart. */
const met = { simple: new WeakMap<PDFDict, Said[]>(), composite: new WeakMap<PDFDict, Said[]>() };

/** Whether a font has the descriptor of another one that pdf.js may take it for. */
export const isTakenForAnother = (font: PDFDict, file: PdfFile): boolean => {
  const descriptor = font.get(DESCRIPTOR) instanceof PDFRef ? file.entry(font, "FontDescriptor") : undefined;
  return (
    descriptor instanceof PDFDict && isAnother(met.simple, descriptor, saidBy(font, [entriesOf(font, NOTHING)], file))
  );
};

/**
 * The list of what a composite font has its characters of, with a descriptor of their own; undefined where it is no such
 * font, or none that pdf.js may take for another one of the same descriptor.
 */
export const descendantsApart = (value: PDFObject, font: PDFDict, file: PdfFile): PDFArray | undefined => {
  const descendant = value instanceof PDFArray ? file.resolve(value.get(0)) : undefined;
  const descriptor = descendant instanceof PDFDict ? file.resolve(descendant.get(DESCRIPTOR)) : undefined;
  if (!(descendant instanceof PDFDict && descriptor instanceof PDFDict)) return undefined;
  const said = saidBy(font, [entriesOf(font, OF_DESCENDANT), textOf(descendant)], file, descendant);
  if (!isAnother(met.composite, descriptor, said)) return undefined;
  const apart = descendant.clone();
  apart.set(DESCRIPTOR, descriptor.clone());
  const list = PDFArray.withContext(file.context);
  list.push(apart);
  return list;
};

const saidBy = (font: PDFDict, entries: readonly string[], file: PdfFile, descendant?: PDFDict): Said => {
  const given = font.get(ENCODING);
  const list = file.resolve(given);
  // Two maps of codes may have dictionaries alike.
  const encoding = list instanceof PDFDict && !list.has(LENGTH) ? textOf(list) : String(given);
  const free = [list instanceof PDFName ? "" : encoding, descendant?.get(TO_UNICODE), font.get(TO_UNICODE)].join(" ");
  return { entries: entries.join(" "), encoding, free };
};

/** Notes what a font says, unless the same is known. */
const isAnother = (known: WeakMap<PDFDict, Said[]>, descriptor: PDFDict, said: Said): boolean => {
  const others = known.get(descriptor) ?? [];
  const isKnown = others.some((one) => Object.values(one).join() === Object.values(said).join());
  // Those that were taken for another one have a descriptor of their own then.
  const isTaken = !isKnown && (others.length >= MOST_TOLD || others.some((one) => isLike(one, said)));
  if (!isKnown && !isTaken) known.set(descriptor, [...others, said]);
  return isTaken;
};

const isLike = (one: Said, other: Said): boolean =>
  one.entries !== other.entries || (one.encoding !== other.encoding && one.free !== other.free);

/** What many fonts may share is written out once. */
const written = new WeakMap<PDFDict, string>();
const textOf = (shared: PDFDict): string => {
  const text =
    written.get(shared) ??
    shared
      .entries()
      .map(([name, value]) => `${name} ${value}`)
      .sort()
      .join();
  written.set(shared, text);
  return text;
};

const entriesOf = (font: PDFDict, butFor: ReadonlySet<PDFName>): string =>
  font
    .entries()
    .filter(([name]) => name !== ENCODING && !IDLE.has(name) && !butFor.has(name))
    .map(([name, value]) => `${name} ${value}`)
    .sort()
    .join();
