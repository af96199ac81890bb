import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { PdfFile } from "../reading/pdf-file.ts";

/** What came after a revision: nothing, signature fields and validation data alone, or something else. */
export type LaterChanges = "none" | "signing" | "other";

/**
 * What was changed after a signed revision, which is the file's first `length` bytes. Objects that are new count
 * for nothing by themselves: they are only reached through those that were changed.
 */
export function changesAfter(file: PdfFile, length: number): LaterChanges {
  if (length === file.bytes.length) return "none";
  const before = PdfFile.open(file.bytes.subarray(0, length));
  const comparison = new Comparison(before, file);
  for (const [number, location] of file.crossReference.locations) {
    const earlier = before.crossReference.locations.get(number);
    if (earlier === undefined || earlier === null || same(earlier, location)) continue;
    if (!comparison.isSigning(PDFRef.of(number))) return "other";
  }
  return before.catalogRef === file.catalogRef ? "signing" : "other";
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const text = (value: PDFObject | undefined): string => value?.toString() ?? "";

class Comparison {
  readonly #before: PdfFile;
  readonly #after: PdfFile;

  constructor(before: PdfFile, after: PdfFile) {
    this.#before = before;
    this.#after = after;
  }

  /** Whether an object is as it was, or was changed by signing alone. */
  isSigning(ref: PDFRef): boolean {
    const [before, after] = [this.#before.resolve(ref), this.#after.resolve(ref)];
    const [oldData, newData] = [this.#before, this.#after].map((file) => file.streamData(ref.objectNumber)?.data);
    if (oldData !== undefined || newData !== undefined) {
      return (
        text(before) === text(after) && Buffer.compare(oldData ?? Buffer.alloc(0), newData ?? Buffer.alloc(0)) === 0
      );
    }
    if (text(before) === text(after)) return true;
    if (before instanceof PDFArray && after instanceof PDFArray) return this.#addsSignatures(before, after);
    if (!(before instanceof PDFDict && after instanceof PDFDict)) return false;
    if (ref === this.#after.catalogRef) return this.#changesOnly(before, after, ["AcroForm", "DSS", "Extensions"]);
    if (ref === this.#after.catalog.get(PDFName.of("AcroForm"))) return this.#formHolds(before, after);
    if (ref === this.#after.catalog.get(PDFName.of("DSS"))) return true;
    if (this.#after.nameEntry(after, "Type") === "Page") return this.#changesOnly(before, after, ["Annots"]);
    const signsField = this.#after.nameEntry(after, "FT") === "Sig" && !before.has(PDFName.of("V"));
    return signsField && this.#changesOnly(before, after, ["V", "AP", "M", "F"]);
  }

  #changesOnly(before: PDFDict, after: PDFDict, keys: readonly string[]): boolean {
    const names = new Set([...before.keys(), ...after.keys()]);
    for (const name of names) {
      const [old, current] = [before.get(name), after.get(name)];
      if (text(old) === text(current)) continue;
      const key = name.decodeText();
      if (!keys.includes(key)) return false;
      if (key === "AcroForm" && !this.#formHolds(this.#before.resolve(old), this.#after.resolve(current))) return false;
      if (key === "Annots" && !this.#addsSignatures(this.#before.resolve(old), this.#after.resolve(current)))
        return false;
    }
    return true;
  }

  #formHolds(before: PDFObject | undefined, after: PDFObject | undefined): boolean {
    if (!(after instanceof PDFDict)) return false;
    const old = before instanceof PDFDict ? before : PDFDict.withContext(this.#before.context);
    const fields = [this.#before.entry(old, "Fields"), this.#after.entry(after, "Fields")] as const;
    return this.#changesOnly(old, after, ["Fields", "SigFlags"]) && this.#addsSignatures(...fields);
  }

  /** Whether a list has all that it had, and beside it signature fields alone. */
  #addsSignatures(before: PDFObject | undefined, after: PDFObject | undefined): boolean {
    if (!(after instanceof PDFArray)) return false;
    const old = new Set(before instanceof PDFArray ? before.asArray().map(text) : []);
    const added = after.asArray().filter((item) => !old.delete(text(item)));
    return old.size === 0 && added.every((item) => this.#isSignatureField(item));
  }

  #isSignatureField(item: PDFObject): boolean {
    const dict = this.#after.resolve(item);
    if (!(dict instanceof PDFDict)) return false;
    const parent = this.#after.dictEntry(dict, "Parent");
    return [dict, parent].some((field) => this.#after.nameEntry(field, "FT") === "Sig");
  }
}
