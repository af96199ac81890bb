import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { Damaged } from "../reading/faults.ts";
import type { PdfFile } from "../reading/pdf-file.ts";

/** What a document is made of, as far as readers come upon it. */
export interface Content {
  /** Numbers of the objects of pages, forms and all else (with the streams that hold them) but the lists below. */
  objects: ReadonlySet<number>;
  /** Numbers of the lists that signing adds to: the form's fields and the pages' annotations. */
  lists: ReadonlySet<number>;
  /** What is pointed at, but is not there. An update that puts something there changes the document. */
  absent: readonly PDFRef[];
}

const [annotations, fields] = ["Annots", "Fields"].map((name) => PDFName.of(name));
/** Entries of the catalog that hold validation data, and what is said about the document. */
const aside = ["DSS", "Metadata"].map((name) => PDFName.of(name));

/**
 * All that is reached from a document's catalog but its security store and its metadata.
 * Throws `Damaged` where an object does not stand wholly within the file: what follows would then complete it.
 */
export function contentOf(file: PdfFile): Content {
  const content = { objects: new Set<number>(), lists: new Set<number>(), absent: [] as PDFRef[] };
  const { catalog } = file;
  const form = file.dictEntry(catalog, "AcroForm");
  const isList = (dict: PDFDict, name: PDFName) =>
    (dict === form && name === fields) || (name === annotations && file.nameEntry(dict, "Type") === "Page");
  const left: PDFObject[] = [file.catalogRef];
  const visitEntries = (dict: PDFDict) => {
    for (const [name, value] of dict.entries()) {
      if (dict === catalog && aside.includes(name)) continue;
      const list = value instanceof PDFRef && isList(dict, name) ? file.resolve(value) : undefined;
      if (value instanceof PDFRef && list instanceof PDFArray) {
        // One list may be that of many pages.
        if (!content.lists.has(value.objectNumber)) for (const item of list.asArray()) left.push(item);
        content.lists.add(value.objectNumber);
      } else {
        left.push(value);
      }
    }
  };
  for (let object = left.pop(); object !== undefined; object = left.pop()) {
    if (object instanceof PDFRef) {
      if (content.objects.has(object.objectNumber)) continue;
      content.objects.add(object.objectNumber);
      const location = file.crossReference.locations.get(object.objectNumber);
      if (location?.kind === "compressed") content.objects.add(location.stream);
      const found = whole(file, object);
      if (found === undefined) content.absent.push(object);
      else left.push(found);
    } else if (object instanceof PDFArray) {
      for (const item of object.asArray()) left.push(item);
    } else if (object instanceof PDFDict) {
      visitEntries(object);
    }
  }
  return content;
}

/** The object, if it ends before the file does. */
function whole(file: PdfFile, ref: PDFRef): PDFObject | undefined {
  const location = file.crossReference.locations.get(ref.objectNumber);
  const holder = location?.kind === "compressed" ? file.crossReference.locations.get(location.stream) : location;
  const offset = holder?.kind === "offset" ? holder.offset : 0;
  const object = file.resolve(ref);
  const length = object instanceof PDFDict ? file.entry(object, "Length") : undefined;
  const end = offset + (length instanceof PDFNumber ? length.asNumber() : 0);
  if (end >= file.bytes.length) throw new Damaged(`object ${ref.objectNumber} is not whole`);
  return object;
}
