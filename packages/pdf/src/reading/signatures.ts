import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFObject, PDFRef, PDFString } from "pdf-lib";
import type { CarriedSignature } from "../port.ts";
import { TooComplex } from "./faults.ts";
import type { PdfFile } from "./pdf-file.ts";

const MAX_FIELDS = 50_000;
const MAX_FIELD_DEPTH = 50;

/** A signature field, signed or not. */
export interface SignatureField {
  name: string;
  dict: PDFDict;
  /** The signature dictionary, when the field is signed. */
  value: PDFDict | undefined;
}

/** The text of a PDF string, whichever way it is written. */
export function textOf(value: PDFObject | undefined): string | undefined {
  return value instanceof PDFString || value instanceof PDFHexString ? value.decodeText() : undefined;
}

/** All signature fields of a file (ISO 32000-2, 12.7.5.5), by walking its form's field tree. */
export function signatureFieldsOf(file: PdfFile): SignatureField[] {
  const fields: SignatureField[] = [];
  const visited = new Set<PDFObject>();
  const visit = (value: PDFObject, path: string, inheritedType: string | undefined, depth: number): void => {
    if (value instanceof PDFRef && visited.has(value)) return;
    visited.add(value);
    if (visited.size > MAX_FIELDS || depth > MAX_FIELD_DEPTH) throw new TooComplex("its form is too large");
    const dict = file.resolve(value);
    if (!(dict instanceof PDFDict)) return;
    const ownName = textOf(file.entry(dict, "T"));
    const name = ownName === undefined ? path : path === "" ? ownName : `${path}.${ownName}`;
    const type = file.nameEntry(dict, "FT") ?? inheritedType;
    const kids = file.arrayEntry(dict, "Kids");
    if (type === "Sig" && (kids === undefined || dict.has(PDFName.of("V")))) {
      fields.push({ name, dict, value: file.dictEntry(dict, "V") });
      return;
    }
    for (const kid of kids?.asArray() ?? []) visit(kid, name, type, depth + 1);
  };
  const form = file.dictEntry(file.catalog, "AcroForm");
  for (const field of file.arrayEntry(form, "Fields")?.asArray() ?? []) visit(field, "", undefined, 0);
  return fields;
}

/** The signatures that a file carries, with the changes that certifications and locks permit. */
export function carriedSignatures(file: PdfFile): CarriedSignature[] {
  return signatureFieldsOf(file).flatMap(({ name, dict, value }) => {
    if (value === undefined) return [];
    const kind = file.nameEntry(value, "Type") === "DocTimeStamp" ? "document_timestamp" : "signature";
    return [{ fieldName: name, kind, permittedChanges: strictest(certified(file, value), locked(file, dict)) }];
  });
}

/**
 * Whether a signature claims bytes past the file's end: it would then be over whatever is appended, and validators
 * would find fault with what is signed later. A line break that was lost at the end comes back with the next revision.
 */
export function claimsPastEnd(file: PdfFile): boolean {
  const { bytes } = file;
  const end = bytes.length + ([0x0a, 0x0d].includes(bytes.at(-1) ?? 0) ? 0 : 1);
  return signatureFieldsOf(file).some(({ value }) => {
    const [start, length] = (file.arrayEntry(value, "ByteRange")?.asArray() ?? []).slice(-2);
    if (!(start instanceof PDFNumber && length instanceof PDFNumber)) return false;
    return start.asNumber() + length.asNumber() > end;
  });
}

/** The least that any of a file's signatures permits; null when none restricts changes. */
export function permittedChanges(signatures: readonly CarriedSignature[]): 1 | 2 | 3 | null {
  return signatures.map((signature) => signature.permittedChanges).reduce(strictest, null);
}

type Permission = CarriedSignature["permittedChanges"];

function strictest(one: Permission, other: Permission): Permission {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

function permissionFrom(value: number | undefined, otherwise: Permission): Permission {
  return value === 1 || value === 2 || value === 3 ? value : otherwise;
}

/** DocMDP of a certification signature; 2 when it doesn't say (table 257). */
function certified(file: PdfFile, signature: PDFDict): Permission {
  const references = file.entry(signature, "Reference");
  if (!(references instanceof PDFArray)) return null;
  for (const item of references.asArray()) {
    const reference = file.resolve(item);
    if (!(reference instanceof PDFDict) || file.nameEntry(reference, "TransformMethod") !== "DocMDP") continue;
    return permissionFrom(file.numberEntry(file.dictEntry(reference, "TransformParams"), "P"), 2);
  }
  return null;
}

/** The document-wide permission that came into force with a signed field's lock (ISO 32000-2, table 236). */
function locked(file: PdfFile, field: PDFDict): Permission {
  return permissionFrom(file.numberEntry(file.dictEntry(field, "Lock"), "P"), null);
}
