import { X509Certificate } from "node:crypto";
import { Damaged } from "@rubrica/pdf-reading/faults";
import { History } from "@rubrica/pdf-reading/history";
import { pagesOf } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { storedIn } from "@rubrica/pdf-reading/security-store";
import { textOf } from "@rubrica/pdf-reading/signatures";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { readOcspResponse } from "../asn1/ocsp.ts";
import { readRevocationList } from "../asn1/revocation-list.ts";
import { isDoubtful } from "./doubtful.ts";
import { saysTheSame } from "./same-words.ts";

const name = (text: string): PDFName => PDFName.of(text);
const text = (value: PDFObject | undefined): string => value?.toString() ?? "";

/** How the items of each list of a document security store are read. */
const lists: Readonly<Record<string, (der: Uint8Array) => unknown>> = {
  Certs: (der) => {
    // In PEM it could stand behind anything.
    if (!new X509Certificate(der).raw.equals(der)) throw new Damaged("a certificate that is more than one");
  },
  CRLs: readRevocationList,
  OCSPs: readOcspResponse,
};
const STORE = new Set(["Type", "VRI", ...Object.keys(lists)].map(name));
const RELATED = new Set(["Type", "Cert", "CRL", "OCSP", "TU"].map(name));
/** Entries that the field of a document timestamp may have: none of them shows anything. */
const FIELD = new Set(["Type", "Subtype", "FT", "T", "TU", "V", "Rect", "F", "P"].map(name));

/**
 * Whether all that followed a file's first bytes is validation data, and timestamps over all that nobody sees, in
 * whatever way they are written. What is not known for that is something else.
 * @param timestamps names of the fields whose timestamps hold
 */
export const isOnlyArchived = (file: PdfFile, length: number, timestamps: ReadonlySet<string>): boolean => {
  const history = new History(file);
  try {
    history.next(length);
    const { before, after, changed } = history.next(file.bytes.length);
    return before !== undefined && new Archiving(before, after, timestamps).is(changed);
  } catch (error) {
    if (error instanceof Damaged) return false;
    throw error;
  }
};

class Archiving {
  readonly #before: PdfFile;
  readonly #after: PdfFile;
  readonly #timestamps: ReadonlySet<string>;
  /** Numbers of the objects that may have been added or changed. */
  readonly #known = new Set<number>();
  /** Of these, the fields of timestamps. */
  readonly #fields = new Set<number>();

  constructor(before: PdfFile, after: PdfFile, timestamps: ReadonlySet<string>) {
    this.#before = before;
    this.#after = after;
    this.#timestamps = timestamps;
  }

  is(changed: ReadonlySet<number>): boolean {
    const { catalog } = this.#after;
    const isStored = !catalog.has(name("DSS")) || this.#isStore(catalog.get(name("DSS")));
    const hasGrown =
      this.#timestamps.size > 0 ||
      text(this.#before.catalog.get(name("DSS"))) !== text(catalog.get(name("DSS"))) ||
      this.#storeChanged(changed);
    return (
      isStored &&
      hasGrown &&
      this.#trailerHolds() &&
      this.#catalogHolds() &&
      !this.#metadataChanged(changed) &&
      this.#pagesHold() &&
      this.#fields.size === this.#timestamps.size &&
      [...changed].every((number) => this.#known.has(number) || this.#isCrossReference(number)) &&
      ![...changed].some((number) => isDoubtful(this.#after, number))
    );
  }

  /** No page shows it, and yet it was sealed: it must not become a part of the store either. */
  #metadataChanged(changed: ReadonlySet<number>): boolean {
    const metadata = this.#before.catalog.get(name("Metadata"));
    return metadata instanceof PDFRef && changed.has(metadata.objectNumber);
  }

  #storeChanged(changed: ReadonlySet<number>): boolean {
    const store = this.#after.catalog.get(name("DSS"));
    return store instanceof PDFRef && changed.has(store.objectNumber);
  }

  /** Notes where something stands, and gives it. */
  #take(value: PDFObject | undefined): PDFObject | undefined {
    if (value instanceof PDFRef) this.#known.add(value.objectNumber);
    return this.#after.resolve(value);
  }

  /** What a program says of itself and of the time may be new; the file is the same one. */
  #trailerHolds(): boolean {
    const [before, after] = [this.#before.crossReference.trailer, this.#after.crossReference.trailer];
    const first = (file: PdfFile, trailer: PDFDict) => text(file.arrayEntry(trailer, "ID")?.asArray()[0]);
    const [former, current] = [this.#before.dictEntry(before, "Info"), this.#take(after.get(name("Info")))];
    return first(this.#before, before) === first(this.#after, after) && this.#saysTheSame(former, current);
  }

  #saysTheSame(former: PDFDict | undefined, current: PDFObject | undefined): boolean {
    const none = PDFDict.withContext(this.#before.context);
    const [one, other] = [former ?? none, current instanceof PDFDict ? current : none];
    const said = other.keys().filter((key) => {
      const [before, after] = [this.#before.resolve(one.get(key)), this.#after.resolve(other.get(key))];
      return saysTheSame(before, after);
    });
    return isSameBut(one, other, ["ModDate", "Producer", ...said.map((key) => key.decodeText())]);
  }

  #catalogHolds(): boolean {
    const { catalog, catalogRef } = this.#after;
    this.#known.add(catalogRef.objectNumber);
    const [former, form] = [this.#before, this.#after].map((file) => file.dictEntry(file.catalog, "AcroForm"));
    if (!form || !former || !isSameBut(this.#before.catalog, catalog, ["DSS", "AcroForm", "Extensions"])) return false;
    const isThere = text(this.#before.catalog.get(name("AcroForm"))) === text(catalog.get(name("AcroForm")));
    if (!isThere && !(catalog.get(name("AcroForm")) instanceof PDFDict)) return false;
    this.#take(catalog.get(name("AcroForm")));
    return isSameBut(former, form, ["Fields", "SigFlags"]) && this.#addsTimestamps(former, form, "Fields");
  }

  #pagesHold(): boolean {
    const [before, after] = [pagesOf(this.#before), pagesOf(this.#after)];
    return (
      before.length === after.length &&
      before.every((former, index) => {
        const page = after[index];
        if (page === undefined || text(page.ref) !== text(former.ref)) return false;
        this.#known.add(page.ref.objectNumber);
        return isSameBut(former.dict, page.dict, ["Annots"]) && this.#addsTimestamps(former.dict, page.dict, "Annots");
      })
    );
  }

  /** Whether a list has all that it had, in its order, and then fields of timestamps alone. */
  #addsTimestamps(former: PDFDict, current: PDFDict, key: string): boolean {
    const before = this.#before.arrayEntry(former, key)?.asArray() ?? [];
    const after = this.#after.arrayEntry(current, key)?.asArray() ?? [];
    if (former.has(name(key)) !== current.has(name(key)) && after.length === 0) return false;
    this.#take(current.get(name(key)));
    const isKept = before.every((item, index) => text(item) === text(after[index]));
    return isKept && after.slice(before.length).every((item) => item instanceof PDFRef && this.#isTimestamp(item));
  }

  #isTimestamp(ref: PDFRef): boolean {
    const field = this.#take(ref);
    this.#fields.add(ref.objectNumber);
    if (
      !(field instanceof PDFDict) ||
      this.#before.resolve(ref) !== undefined ||
      !field.keys().every((key) => FIELD.has(key))
    )
      return false;
    const sides = (this.#after.arrayEntry(field, "Rect")?.asArray() ?? []).map((side) =>
      side instanceof PDFNumber ? side.asNumber() : Number.NaN,
    );
    const signature = field.get(name("V"));
    const isUnseen = sides.length === 4 && sides[0] === sides[2] && sides[1] === sides[3];
    return (
      isUnseen &&
      this.#after.nameEntry(field, "FT") === "Sig" &&
      signature instanceof PDFRef &&
      this.#take(signature) instanceof PDFDict &&
      this.#timestamps.has(textOf(this.#after.entry(field, "T")) ?? "")
    );
  }

  #isStore(value: PDFObject | undefined): boolean {
    const store = this.#take(value);
    if (!(store instanceof PDFDict) || !store.keys().every((key) => STORE.has(key))) return false;
    return (
      Object.entries(lists).every(([key, read]) => this.#isListOf(store.get(name(key)), read)) &&
      this.#isRelated(store.get(name("VRI")))
    );
  }

  #isListOf(value: PDFObject | undefined, read: (der: Uint8Array) => unknown): boolean {
    if (value === undefined) return true;
    const list = this.#take(value);
    if (!(list instanceof PDFArray)) return false;
    const items = list.asArray();
    if (!items.every((item) => item instanceof PDFRef)) return false;
    for (const item of items) this.#take(item);
    const held = storedIn(this.#after, list);
    return held.length === new Set(items).size && held.every((der) => isRead(() => read(der)));
  }

  /** What of the store each signature needs: lists of what stands in it. */
  #isRelated(value: PDFObject | undefined): boolean {
    if (value === undefined) return true;
    const related = this.#take(value);
    return (
      related instanceof PDFDict &&
      related.values().every((item) => {
        const one = this.#take(item);
        return (
          one instanceof PDFDict &&
          one.keys().every((key) => RELATED.has(key)) &&
          ["Cert", "CRL", "OCSP"].every((key) => {
            const list = one.get(name(key));
            const items = list === undefined ? [] : this.#take(list);
            return (
              Array.isArray(items) ||
              (items instanceof PDFArray &&
                items.asArray().every((each) => each instanceof PDFRef && this.#known.has(each.objectNumber)))
            );
          })
        );
      })
    );
  }

  #isCrossReference(number: number): boolean {
    const dict = this.#after.resolve(PDFRef.of(number));
    return (
      dict instanceof PDFDict &&
      this.#after.nameEntry(dict, "Type") === "XRef" &&
      this.#before.resolve(PDFRef.of(number)) === undefined
    );
  }
}

/** Whether two dictionaries have the same, but for some entries. */
const isSameBut = (one: PDFDict, other: PDFDict, names: readonly string[]): boolean => {
  const free = new Set(names.map(name));
  return [...new Set([...one.keys(), ...other.keys()])].every(
    (key) => free.has(key) || text(one.get(key)) === text(other.get(key)),
  );
};

const isRead = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};
