import { latin1 } from "@rubrica/pdf-reading/bytes";
import { objectHeadsIn } from "@rubrica/pdf-reading/object-heads";
import { isAmbiguous } from "@rubrica/pdf-reading/oddities";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { type Content, lastOf } from "./content.ts";
import { isDoubtful } from "./doubtful.ts";
import { saysTheSame } from "./same-words.ts";
import { fullName, hasFieldNamed, hasTextWithoutAppearance } from "./without-appearance.ts";

/** How far back the last `startxref` can begin that ends a file. */
const ENDING_BYTES = 64;

/** The strictest permission that an update keeps to (ISO 32000-2, table 257); null when it is something else than signing. */
export type Kept = 1 | 2 | 3 | null;

/**
 * What an update has changed, as far as it is signing. What is not known for signing is something else: the changes
 * that other readers may see count, too.
 *
 * @param content of the file before the update
 * @param changed numbers of the objects that stand elsewhere than before
 */
export const permissionKept = (before: PdfFile, after: PdfFile, changed: ReadonlySet<number>, content: Content): Kept =>
  new Update(before, after, content).judge(changed);

const text = (value: PDFObject | undefined): string => value?.toString() ?? "";
const numberOf = (value: PDFObject | undefined): number | undefined =>
  value instanceof PDFRef ? value.objectNumber : undefined;

type Old = PDFObject | undefined;
type Rule = (old: Old, current: Old) => boolean;

const always: Rule = () => true;
const whenAdded: Rule = (old) => old === undefined;
const storeLists = ["Certs", "CRLs", "OCSPs"];

class Update {
  readonly #before: PdfFile;
  readonly #after: PdfFile;
  readonly #content: Content;
  #kept: 1 | 2 | 3 = 1;

  constructor(before: PdfFile, after: PdfFile, content: Content) {
    this.#before = before;
    this.#after = after;
    this.#content = content;
  }

  judge(changed: ReadonlySet<number>): Kept {
    const [before, after] = [this.#before.crossReference, this.#after.crossReference];
    const sameDocument = ["Root", "Encrypt"].every(
      (name) => text(before.trailer.get(PDFName.of(name))) === text(after.trailer.get(PDFName.of(name))),
    );
    // What no writer of signatures does: readers search for the objects then, each in its own way.
    const losesItsTable = before.startOffset !== null && after.startOffset === null;
    // Nor do they find this update, or they find the state before it, where they pass over its section.
    if (after.sections.contradictory && !before.sections.contradictory) return null;
    if (isAmbiguous(after.trailer)) return null;
    if (!sameDocument || losesItsTable || !this.#endsWithItsTrailer() || !this.#knowsItsObjects()) return null;
    for (const number of changed) {
      const ref = PDFRef.of(number);
      if (isDoubtful(this.#after, number)) return null;
      if (before.locations.get(number) && !this.#permits(ref)) return null;
      if (this.#content.absent.has(number) && this.#after.resolve(ref) !== undefined) return null;
    }
    return this.#kept;
  }

  /** Notes that a certification has to permit so much. */
  #takes(permission: 2 | 3): true {
    if (this.#kept < permission) this.#kept = permission;
    return true;
  }

  /** Readers disagree on what stands after the trailer. */
  #endsWithItsTrailer(): boolean {
    return /startxref\s+\d+\s+%%EOF\s*$/.test(latin1(this.#after.bytes.subarray(-ENDING_BYTES)));
  }

  /** Objects that the cross-reference does not have are found by readers that look for what they miss. */
  #knowsItsObjects(): boolean {
    const { bytes, crossReference } = this.#after;
    for (const head of objectHeadsIn(bytes, this.#before.bytes.length)) {
      if (head === null) return false;
      const location = crossReference.locations.get(head.number);
      // Some cross-references point to the white space before an object. A later version of it may stand behind this one.
      const isKnown = location?.kind === "offset" && location.offset >= head.at - 2;
      const isSameGeneration = isKnown && location.generation === head.generation;
      if (!isSameGeneration && head.at !== crossReference.startOffset) return false;
    }
    return true;
  }

  /** Whether an object is as it was, or was changed by signing alone. */
  #permits(ref: PDFRef): boolean {
    const [before, after] = [this.#before.resolve(ref), this.#after.resolve(ref)];
    const rule = this.#ruleFor(ref, before);
    if (rule === always) return true;
    const [oldData, data] = [this.#before, this.#after].map((file) => file.streamData(ref.objectNumber)?.data);
    if (oldData !== undefined || data !== undefined) {
      const sameData = oldData !== undefined && data !== undefined && Buffer.compare(oldData, data) === 0;
      return sameData && text(before) === text(after);
    }
    return text(before) === text(after) || rule(before, after);
  }

  #ruleFor({ objectNumber }: PDFRef, before: Old): Rule {
    const { catalog, catalogRef, crossReference } = this.#before;
    const [form, store] = ["AcroForm", "DSS"].map((name) => catalog.get(PDFName.of(name)));
    if (objectNumber === catalogRef.objectNumber) return this.#catalogHolds;
    if (objectNumber === numberOf(form)) return this.#formHolds;
    if (before instanceof PDFDict && this.#before.nameEntry(before, "Type") === "Page") return this.#pageHolds;
    if (before instanceof PDFDict && this.#before.nameEntry(before, "FT") === "Sig") return this.#isSigned;
    // What else may change must not be a part of the document at the same time.
    if (this.#content.objects.has(objectNumber)) return () => false;
    if (this.#content.lists.has(objectNumber)) return this.#addsFields;
    if (objectNumber === numberOf(crossReference.trailer.get(PDFName.of("Info")))) return this.#informationHolds;
    if (objectNumber === numberOf(store)) return this.#storeGrows;
    const lists = storeLists.map((name) => numberOf(this.#before.dictEntry(catalog, "DSS")?.get(PDFName.of(name))));
    // Nothing pointed at it before: it may change like a new one.
    return lists.includes(objectNumber) ? this.#listGrows : always;
  }

  /** Whether two dictionaries differ only where there is a rule, and as the rule has it. */
  #changesOnly(old: Old, current: Old, rules: Record<string, Rule>): boolean {
    if (!(current instanceof PDFDict)) return false;
    const before = old instanceof PDFDict ? old : PDFDict.withContext(this.#before.context);
    return [...new Set([...before.keys(), ...current.keys()])].every((name) => {
      const [one, other] = [before.get(name), current.get(name)];
      const rule = Object.entries(rules).find(([key]) => key === name.decodeText())?.[1];
      return text(one) === text(other) || rule?.(this.#before.resolve(one), this.#after.resolve(other)) === true;
    });
  }

  #catalogHolds: Rule = (old, current) =>
    this.#changesOnly(old, current, {
      AcroForm: this.#formHolds,
      DSS: this.#storeGrows,
      Extensions: always,
      Metadata: always,
      Version: always,
    });

  #formHolds: Rule = (old, current) =>
    this.#changesOnly(old, current, {
      Fields: this.#addsFields,
      SigFlags: always,
      DA: this.#changesNoText,
      DR: this.#changesNoText,
    });

  /** Fonts, and how text looks, are added to a form whose text does not ask for them. */
  #changesNoText: Rule = (old) => old === undefined && !hasTextWithoutAppearance(this.#before);

  #pageHolds: Rule = (old, current) => this.#changesOnly(old, current, { Annots: this.#addsFields });

  #informationHolds: Rule = (old, current) => {
    const names = current instanceof PDFDict ? current.keys().map((name) => name.decodeText()) : [];
    const asBefore = Object.fromEntries(names.map((name) => [name, saysTheSame]));
    return this.#changesOnly(old, current, { ...asBefore, ModDate: always, Producer: always });
  };

  /** A field that waited for its signature got it. */
  #isSigned: Rule = (old, current) =>
    this.#changesOnly(old, current, {
      V: (before, after) => before === undefined && after instanceof PDFDict && this.#isNewSignature(current),
      AP: always,
      M: always,
      F: always,
    }) && this.#isNewSignature(current);

  #storeGrows: Rule = (old, current) =>
    this.#changesOnly(old, current, {
      Type: whenAdded,
      VRI: (before, after) =>
        after instanceof PDFDict && (!(before instanceof PDFDict) || before.keys().every((key) => after.has(key))),
      ...Object.fromEntries(storeLists.map((name) => [name, this.#listGrows])),
    });

  #listGrows: Rule = (old, current) => added(old, current) !== null;

  /** Whether a list has all that it had, and beside it signature fields alone. */
  #addsFields: Rule = (old, current) =>
    keepsOrder(old, current) && added(old, current)?.every((item) => this.#isSignatureField(item)) === true;

  #isSignatureField(item: PDFObject): boolean {
    const field = this.#after.resolve(item);
    if (!(item instanceof PDFRef && field instanceof PDFDict)) return false;
    const parent = this.#after.dictEntry(field, "Parent");
    // A field's own kind counts before its parent's.
    const owner = [field, parent].find((dict) => dict?.has(PDFName.of("FT")));
    const isWidget = this.#mayBe(field, "Type", "Annot") && this.#mayBe(field, "Subtype", "Widget");
    const acts = [field, parent].some((dict) => ["A", "AA"].some((name) => dict?.has(PDFName.of(name))));
    if (owner === undefined || this.#after.nameEntry(owner, "FT") !== "Sig" || !isWidget || acts) return false;
    if (!this.#standsForItself(field)) return false;
    const isNew = this.#isNewSignature(owner);
    // Whoever certifies a document permits no new fields that could be seen over its pages (and 1 permits none).
    if (this.#isSeen(field)) return isNew && this.#takes(3);
    return isNew || (!owner.has(PDFName.of("V")) && this.#takes(2));
  }

  /** Whether an entry is a name, or is not there. PDFium heeds names that are texts. */
  #mayBe(dict: PDFDict, key: string, name: string): boolean {
    return [undefined, PDFName.of(name)].includes(this.#after.entry(dict, key) as PDFName | undefined);
  }

  /** Whether a field takes no other one for its own that was there: readers then draw that otherwise, or not at all. */
  #standsForItself(field: PDFDict): boolean {
    const isNew = (kid: PDFObject) => {
      const widget = this.#after.resolve(kid);
      const wasThere = !(kid instanceof PDFRef) || this.#before.resolve(kid) !== undefined;
      if (wasThere || !(widget instanceof PDFDict) || widget.has(PDFName.of("Kids"))) return false;
      return this.#mayBe(widget, "FT", "Sig") && this.#hasOwnName(widget);
    };
    return this.#hasOwnName(field) && (this.#after.arrayEntry(field, "Kids")?.asArray() ?? []).every(isNew);
  }

  #hasOwnName(field: PDFDict): boolean {
    const [name, { names }] = [fullName(field, this.#after), this.#content];
    if (name === null) return false;
    const mayBeTaken = names.has(lastOf(name)) || names.has(null);
    return name === "" || !mayBeTaken || !hasFieldNamed(name, this.#before);
  }

  #isSeen(widget: PDFDict): boolean {
    const sides = (this.#after.arrayEntry(widget, "Rect")?.asArray() ?? []).map((side) => {
      const value = this.#after.resolve(side);
      return value instanceof PDFNumber ? value.asNumber() : Number.NaN;
    });
    const [left, bottom, right, top] = sides;
    return (
      ["AP", "MK"].some((name) => widget.has(PDFName.of(name))) &&
      // Without a place some readers draw it over the whole page.
      !(sides.length > 0 && (left === right || bottom === top))
    );
  }

  /** Whether a field's signature came with the update; whether it holds is told of itself. */
  #isNewSignature(field: Old): boolean {
    const value = field instanceof PDFDict ? field.get(PDFName.of("V")) : undefined;
    const signature = this.#after.resolve(value);
    if (!(value instanceof PDFRef && signature instanceof PDFDict)) return false;
    const location = this.#after.crossReference.locations.get(value.objectNumber);
    const isNew = location?.kind === "offset" && location.offset >= this.#before.bytes.length;
    const isTimestamp = this.#after.nameEntry(signature, "SubFilter") === "ETSI.RFC3161";
    const signs = ["ByteRange", "Contents"].every((name) => signature.has(PDFName.of(name)));
    return isNew && signs && (isTimestamp || this.#takes(2));
  }
}

/** What a list has beside all that it had; null when it lacks some of that. */
const added = (old: Old, current: Old): PDFObject[] | null => {
  if (!(current instanceof PDFArray)) return null;
  const left = new Set(itemsOf(old).map(text));
  const beside = current.asArray().filter((item) => !left.delete(text(item)));
  return left.size === 0 ? beside : null;
};

/** Whether what a list had comes in the order that it had: of annotations, the later ones are drawn over the earlier ones. */
const keepsOrder = (old: Old, current: Old): boolean => {
  const before = itemsOf(old).map(text);
  let kept = 0;
  for (const item of itemsOf(current)) if (kept < before.length && text(item) === before[kept]) kept += 1;
  return kept === before.length;
};

const itemsOf = (list: Old): readonly PDFObject[] => (list instanceof PDFArray ? list.asArray() : []);
