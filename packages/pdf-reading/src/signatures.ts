import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFObject, PDFRef, PDFString } from "pdf-lib";
import { TooComplex } from "./faults.ts";
import { MAX_FIELD_DEPTH, MAX_FIELDS } from "./field-tree.ts";
import type { PdfFile } from "./pdf-file.ts";
import { decodedText } from "./text-string.ts";

/** Of the signatures that a file carries: more parties than any contract has. */
const MAX_SIGNATURES = 500;
const MAX_REFERENCES = 1_000;
const MAX_NAME_LENGTH = 4_096;

/** A signature that a document carries already. */
export interface CarriedSignature {
  fieldName: string;
  kind: "signature" | "document_timestamp";
  /** The changes that a certification permits (ISO 32000-2, table 257): 1 none, 2 forms and signing, 3 also notes. */
  permittedChanges: 1 | 2 | 3 | null;
}

type Permission = CarriedSignature["permittedChanges"];

/** A signature field, signed or not. */
export interface SignatureField {
  name: string;
  dict: PDFDict;
  /** The signature dictionary, when the field is signed. */
  value: PDFDict | undefined;
}

/** One string may be the name of many fields. */
const decoded = new WeakMap<PDFObject, string>();

/** The text of a PDF string, whichever way it is written. */
export const textOf = (value: PDFObject | undefined): string | undefined => {
  if (!(value instanceof PDFString || value instanceof PDFHexString)) return undefined;
  const text = decoded.get(value) ?? decodedText(value.asBytes());
  decoded.set(value, text);
  return text;
};

/** All signature fields of a file (ISO 32000-2, 12.7.5.5), by walking its form's field tree. */
export const signatureFieldsOf = (file: PdfFile): SignatureField[] => {
  const fields: SignatureField[] = [];
  const visited = new Set<PDFObject>();
  let signed = 0;
  const visitAll = (list: PDFArray | undefined, path: string, type: string | undefined, depth: number): void => {
    // One list may be that of many fields.
    if (list === undefined || visited.has(list)) return;
    visited.add(list);
    for (let index = 0; index < list.size(); index += 1) visit(list.get(index), path, type, depth);
  };
  const visit = (value: PDFObject, path: string, inheritedType: string | undefined, depth: number): void => {
    if (value instanceof PDFRef && visited.has(value)) return;
    visited.add(value);
    if (visited.size > MAX_FIELDS || depth > MAX_FIELD_DEPTH) throw new TooComplex("its form is too large");
    const dict = file.resolve(value);
    if (!(dict instanceof PDFDict)) return;
    const name = nameOf(file, dict, path);
    const type = file.nameEntry(dict, "FT") ?? inheritedType;
    const kids = file.arrayEntry(dict, "Kids");
    if (type === "Sig" && (kids === undefined || dict.has(PDFName.of("V")))) {
      const field = { name, dict, value: file.dictEntry(dict, "V") };
      if (field.value !== undefined) signed += 1;
      if (signed > MAX_SIGNATURES) throw new TooComplex("it has too many signatures");
      fields.push(field);
      return;
    }
    visitAll(kids, name, type, depth + 1);
  };
  const form = file.dictEntry(file.catalog, "AcroForm");
  visitAll(file.arrayEntry(form, "Fields"), "", undefined, 0);
  return fields;
};

/** A field's name with those of its parents before it (ISO 32000-2, 12.7.4.2). */
const nameOf = (file: PdfFile, field: PDFDict, path: string): string => {
  const text = file.entry(field, "T");
  if (text !== undefined && text.sizeInBytes() > MAX_NAME_LENGTH) throw new TooComplex("a field's name is too long");
  const own = textOf(text);
  const name = own === undefined ? path : path === "" ? own : `${path}.${own}`;
  if (name.length > MAX_NAME_LENGTH) throw new TooComplex("a field's name is too long");
  return name;
};

/** The signatures that a file carries, with the changes that certifications and locks permit. */
export const carriedSignatures = (file: PdfFile): CarriedSignature[] =>
  signatureFieldsOf(file).flatMap(({ name, dict, value }) => {
    if (value === undefined) return [];
    const kind = file.nameEntry(value, "Type") === "DocTimeStamp" ? "document_timestamp" : "signature";
    return [{ fieldName: name, kind, permittedChanges: strictest(certified(file, value), locked(file, dict)) }];
  });

/**
 * Whether a signature claims bytes past the file's end: it would then be over whatever is appended, and validators
 * would find fault with what is signed later. A line break that was lost at the end comes back with the next revision.
 */
export const claimsPastEnd = (file: PdfFile): boolean => {
  const { bytes } = file;
  const end = bytes.length + ([0x0a, 0x0d].includes(bytes.at(-1) ?? 0) ? 0 : 1);
  return signatureFieldsOf(file).some(({ value }) => {
    const range = file.arrayEntry(value, "ByteRange");
    if (range === undefined || range.size() < 2) return false;
    const [start, length] = [range.get(range.size() - 2), range.get(range.size() - 1)];
    if (!(start instanceof PDFNumber && length instanceof PDFNumber)) return false;
    return start.asNumber() + length.asNumber() > end;
  });
};

/** The least that any of a file's signatures permits; null when none restricts changes. */
export const permittedChanges = (signatures: readonly CarriedSignature[]): 1 | 2 | 3 | null =>
  signatures.map((signature) => signature.permittedChanges).reduce(strictest, null);

/** The stricter of two permissions; null restricts nothing. */
export const strictest = (one: Permission, other: Permission): Permission => {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
};

/** What a dictionary restricts changes to, be it a signature that certifies or a field that is locked by being signed. */
export const permissionOf = (file: PdfFile, dict: PDFDict): Permission =>
  strictest(
    dict.has(PDFName.of("Reference")) ? certified(file, dict) : null,
    file.dictEntry(dict, "V") === undefined ? null : locked(file, dict),
  );

const permissionFrom = (value: number | undefined, otherwise: Permission): Permission =>
  value === 1 || value === 2 || value === 3 ? value : otherwise;

/** DocMDP of a certification signature; 2 when it doesn't say (table 257). */
const certified = (file: PdfFile, signature: PDFDict): Permission => {
  const references = file.entry(signature, "Reference");
  if (!(references instanceof PDFArray)) return null;
  if (references.size() > MAX_REFERENCES) throw new TooComplex("a signature of it refers to too much");
  for (const item of references.asArray()) {
    const reference = file.resolve(item);
    if (!(reference instanceof PDFDict) || file.nameEntry(reference, "TransformMethod") !== "DocMDP") continue;
    return permissionFrom(file.numberEntry(file.dictEntry(reference, "TransformParams"), "P"), 2);
  }
  return null;
};

/** The document-wide permission that came into force with a signed field's lock (ISO 32000-2, table 236). */
const locked = (file: PdfFile, field: PDFDict): Permission =>
  permissionFrom(file.numberEntry(file.dictEntry(field, "Lock"), "P"), null);
