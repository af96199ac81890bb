import { createHash } from "node:crypto";
import { addAnnotation, copyOf, rectangleOf } from "@rubrica/pdf-drawing/stamping/annotation";
import type { Appearance } from "@rubrica/pdf-drawing/stamping/stamp";
import type { Updated } from "@rubrica/pdf-reading/bytes";
import { bufferOf } from "@rubrica/pdf-reading/bytes";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import type { Revision, WrittenRevision } from "@rubrica/pdf-reading/revision";
import { textOf } from "@rubrica/pdf-reading/signatures";
import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFObject, PDFRef, PDFString } from "pdf-lib";

/** Print and Locked (ISO 32000-2, table 167). */
const WIDGET_FLAGS = 4 | 128;
/** SignaturesExist and AppendOnly (table 225). */
const SIGNATURE_FLAGS = 3;
/** What is reserved for `[0 a b c]`, with offsets of ten digits. */
const BYTE_RANGE_WIDTH = 36;

const key = (name: string) => PDFName.of(name);

/** Where in a file a signature is to be put, and what it is to sign. */
export interface Prepared<File = Uint8Array> {
  bytes: File;
  /** Offset of the first hex digit of Contents. */
  contentsOffset: number;
  /** How many bytes are reserved for Contents. */
  contentsBytes: number;
  /** SHA-256 of all of the file but Contents. */
  digest: Uint8Array;
}

/** A signature dictionary without its signature (ISO 32000-2, table 255). */
export interface SignatureEntries {
  type: "Sig" | "DocTimeStamp";
  subFilter: "ETSI.CAdES.detached" | "ETSI.RFC3161";
  /** Milliseconds since the UNIX epoch; null for timestamps, which say it themselves. */
  claimedAt: number | null;
  reason: string | null;
}

/**
 * Adds a signature field whose signature is still to be made; returns the reference of its dictionary.
 * Without appearances the field is not seen; with several, it is seen in several places.
 */
export const addSignatureField = (
  document: OpenDocument,
  revision: Revision,
  entries: SignatureEntries,
  contentsBytes: number,
  appearances: readonly Appearance[],
): PDFRef => {
  const signature = revision.addVerbatim((stored) => signatureDictionary(entries, contentsBytes, stored));
  const field = { FT: "Sig", T: PDFHexString.fromText(unusedFieldName(document)), V: signature };
  const [first, ...others] = appearances;
  if (first === undefined || others.length === 0) {
    addToForm(document, revision, addWidget(document, revision, first, field));
    return signature;
  }
  const kids = appearances.map((appearance) => addWidget(document, revision, appearance, {}));
  const parent = revision.add(revision.context.obj({ ...field, Kids: kids }));
  for (const kid of kids) (revision.changed(kid) as PDFDict).set(key("Parent"), parent);
  addToForm(document, revision, parent);
  return signature;
};

/** Adds a widget annotation (ISO 32000-2, 12.5.6.19) to its page, merged with its field's entries. */
const addWidget = (
  document: OpenDocument,
  revision: Revision,
  appearance: Appearance | undefined,
  field: Record<string, string | PDFObject>,
): PDFRef => {
  const page = appearance?.page ?? document.pages[0];
  if (page === undefined) throw new Error("a document has at least one page");
  const widget = revision.add(
    revision.context.obj({
      Type: "Annot",
      Subtype: "Widget",
      ...field,
      F: WIDGET_FLAGS,
      P: page.ref,
      Rect: appearance === undefined ? [0, 0, 0, 0] : rectangleOf(appearance.matrix),
      ...(appearance === undefined ? {} : { AP: { N: appearance.form } }),
    }),
  );
  addAnnotation(document, revision, page, widget);
  return widget;
};

const signatureDictionary = (
  { type, subFilter, claimedAt, reason }: SignatureEntries,
  contentsBytes: number,
  stored: (string: PDFObject) => PDFObject,
): string => {
  const time = claimedAt === null ? "" : `/M${stored(PDFString.of(pdfTime(claimedAt)))}`;
  const reasonEntry = reason === null ? "" : `/Reason${stored(PDFHexString.fromText(reason))}`;
  const byteRange = `[${" ".repeat(BYTE_RANGE_WIDTH)}]`;
  const contents = `<${"0".repeat(contentsBytes * 2)}>`;
  // ByteRange and Contents come last: their places are found from the object's end.
  return `<</Type/${type}/Filter/Adobe.PPKLite/SubFilter/${subFilter}${time}${reasonEntry}/ByteRange${byteRange}/Contents${contents}>>`;
};

const pdfTime = (epochMs: number): string => {
  const digits = new Date(epochMs).toISOString().replace(/\D/g, "");
  return `D:${digits.slice(0, 14)}+00'00'`;
};

/** Fills the byte range in and hashes what it covers. What the revision added is changed in place. */
export const prepare = (
  { base, added, offsetOf }: WrittenRevision,
  signature: PDFRef,
  contentsBytes: number,
): Prepared<Updated> => {
  const buffer = bufferOf(added);
  const open = buffer.indexOf("/Contents<", offsetOf(signature) - base.length) + "/Contents".length;
  const close = open + contentsBytes * 2 + 2;
  const contentsAt = base.length + open;
  const range = `0 ${contentsAt} ${base.length + close} ${added.length - close}`.padEnd(BYTE_RANGE_WIDTH, " ");
  buffer.write(range, open - "/Contents".length - 1 - BYTE_RANGE_WIDTH, "latin1");
  const hash = createHash("sha256").update(base).update(buffer.subarray(0, open)).update(buffer.subarray(close));
  return { bytes: { base, added }, contentsOffset: contentsAt + 1, contentsBytes, digest: hash.digest() };
};

const unusedFieldName = ({ file }: OpenDocument): string => {
  const form = file.dictEntry(file.catalog, "AcroForm");
  const names = new Set(
    (file.arrayEntry(form, "Fields")?.asArray() ?? []).map((field) => {
      const dict = file.resolve(field);
      return dict instanceof PDFDict ? textOf(file.entry(dict, "T")) : undefined;
    }),
  );
  let number = 1;
  while (names.has(`Rubrica${number}`)) number += 1;
  return `Rubrica${number}`;
};

const addToForm = ({ file }: OpenDocument, revision: Revision, field: PDFRef): void => {
  const given = file.catalog.get(key("AcroForm"));
  const form = file.dictEntry(file.catalog, "AcroForm")?.clone() ?? PDFDict.withContext(revision.context);
  const fields = form.get(key("Fields"));
  const list = copyOf(revision, file.resolve(fields));
  list.push(field);
  if (fields instanceof PDFRef && file.resolve(fields) instanceof PDFArray) revision.replace(fields, list);
  else form.set(key("Fields"), list);
  const flags = file.numberEntry(form, "SigFlags") ?? 0;
  form.set(key("SigFlags"), PDFNumber.of(flags | SIGNATURE_FLAGS));
  if (given instanceof PDFRef && file.resolve(given) instanceof PDFDict) {
    revision.replace(given, form);
    return;
  }
  const catalog = (revision.changed(file.catalogRef) as PDFDict | undefined) ?? file.catalog.clone();
  catalog.set(key("AcroForm"), form);
  revision.replace(file.catalogRef, catalog);
};
