import { Damaged } from "@rubrica/pdf-reading/faults";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { permissionOf, strictest, textOf } from "@rubrica/pdf-reading/signatures";
import { PDFArray, PDFDict, PDFName, PDFNull, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";

const [annotations, fields, title] = names("Annots", "Fields", "T");
/** Entries of the catalog that hold validation data, and what is said about the document. */
const aside = ["DSS", "Metadata"].map((name) => PDFName.of(name));

/**
 * What a document is made of, as far as readers come upon it: all that is reached from its catalog but its security
 * store and its metadata. It grows with the document; what an update takes away stays.
 */
export class Content {
  /** Numbers of the objects of pages, forms and all else (with the streams that hold them) but the lists below. */
  readonly objects = new Set<number>();
  /** Numbers of the lists that signing adds to: the form's fields and the pages' annotations. */
  readonly lists = new Set<number>();
  /** Numbers of what is pointed at, but is not there. An update that puts something there changes the document. */
  readonly absent = new Set<number>();
  /** The last parts of the names that fields have, among those of others; null: of one that is no text. */
  readonly names = new Set<string | null>();
  /** The changes that the document's signatures permit; null when none restricts them. */
  permitted: 1 | 2 | 3 | null = null;

  /**
   * Takes in what a document has, all of it the first time, then what an update has changed. Throws `Damaged` where an
   * object does not stand wholly within the file: what follows would then complete it.
   */
  take(file: PdfFile, changed: Iterable<number>): void {
    const walk = new Walk(this, file);
    if (this.objects.size === 0) walk.through(file.catalogRef, file.crossReference.trailer.get(PDFName.of("Encrypt")));
    for (const number of changed) {
      if (!this.objects.has(number) && !this.lists.has(number)) continue;
      walk.noteHolder(number);
      walk.through(whole(file, number));
    }
  }
}

/** The last part of a field's name. */
export const lastOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

/** What PDFium heeds of a field's name: up to a part without a letter. */
export const nameAsPdfiumReads = (name: string): string => name.replace(/(?:^|\.)(?:\.|$).*/s, "");

class Walk {
  readonly #content: Content;
  readonly #file: PdfFile;
  readonly #catalog: PDFDict;
  readonly #form: PDFDict | undefined;
  readonly #names = new Set<PDFObject>();

  constructor(content: Content, file: PdfFile) {
    this.#content = content;
    this.#file = file;
    this.#catalog = file.catalog;
    this.#form = file.dictEntry(file.catalog, "AcroForm");
  }

  /** Goes through objects, and what they point at that was not seen yet. */
  through(...roots: (PDFObject | undefined)[]): void {
    const left = roots.filter((root) => root !== undefined);
    for (let object = left.pop(); object !== undefined; object = left.pop()) {
      if (object instanceof PDFRef) {
        const found = this.#notSeen(object);
        if (found !== undefined) left.push(found);
      } else if (object instanceof PDFArray) {
        for (const item of object.asArray()) left.push(item);
      } else if (object instanceof PDFDict) {
        this.#intoEntries(object, left);
      }
    }
  }

  #notSeen(ref: PDFRef): PDFObject | undefined {
    if (this.#content.objects.has(ref.objectNumber)) return undefined;
    this.#content.objects.add(ref.objectNumber);
    this.noteHolder(ref.objectNumber);
    const found = whole(this.#file, ref.objectNumber);
    if (found === undefined) this.#content.absent.add(ref.objectNumber);
    return found;
  }

  /** Notes the stream that holds an object. */
  noteHolder(number: number): void {
    const location = this.#file.crossReference.locations.get(number);
    if (location?.kind === "compressed") this.#content.objects.add(location.stream);
  }

  #intoEntries(dict: PDFDict, left: PDFObject[]): void {
    const content = this.#content;
    if (dict.has(title)) this.#noteName(this.#file.resolve(dict.get(title)));
    content.permitted = strictest(content.permitted, permissionOf(this.#file, dict));
    for (const [name, value] of dict.entries()) {
      if (dict === this.#catalog && aside.includes(name)) continue;
      const isList = value instanceof PDFRef && this.#isList(dict, name);
      const list = isList ? this.#file.object(value.objectNumber) : undefined;
      if (value instanceof PDFRef && list instanceof PDFArray) {
        // One list may be that of many pages.
        if (!content.lists.has(value.objectNumber)) for (const item of list.asArray()) left.push(item);
        content.lists.add(value.objectNumber);
      } else {
        left.push(value);
      }
    }
  }

  /** One text may be the name of many fields. */
  #noteName(given: PDFObject | undefined): void {
    if (given === undefined || this.#names.has(given)) return;
    this.#names.add(given);
    const name = textOf(given);
    this.#content.names.add(name === undefined ? null : lastOf(nameAsPdfiumReads(name)));
  }

  #isList(dict: PDFDict, name: PDFName): boolean {
    if (name === fields) return dict === this.#form;
    return name === annotations && this.#file.nameEntry(dict, "Type") === "Page";
  }
}

/** The object, if it ends before the file does; undefined where there is none. */
const whole = (file: PdfFile, number: number): PDFObject | undefined => {
  const location = file.crossReference.locations.get(number);
  const holder = location?.kind === "compressed" ? file.crossReference.locations.get(location.stream) : location;
  const offset = holder?.kind === "offset" ? holder.offset : 0;
  const object = file.object(number);
  const length = object instanceof PDFDict ? file.entry(object, "Length") : undefined;
  const end = offset + (length instanceof PDFNumber ? length.asNumber() : 0);
  if (end >= file.bytes.length) throw new Damaged(`object ${number} is not whole`);
  return object === PDFNull ? undefined : object;
};
