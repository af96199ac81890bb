import { type PDFArray, PDFDict, PDFName, type PDFRef } from "pdf-lib";
import type { OpenDocument } from "../reading/open.ts";
import { Revision } from "../reading/revision.ts";
import { copyOf } from "../stamping/annotation.ts";
import { addSignatureField, type Prepared, prepare, type SignatureEntries } from "./field.ts";
import type { ValidationData } from "./validation-data.ts";

/**
 * Adds a document security store (ISO 32000-2, 12.8.4.3) with validation data to the one that a file may
 * have: its own entries stay.
 */
function addSecurityStore(document: OpenDocument, revision: Revision, data: ValidationData): void {
  const { file } = document;
  const store = file.dictEntry(file.catalog, "DSS")?.clone() ?? PDFDict.withContext(revision.context);
  const streams = (list: readonly Uint8Array[]): PDFRef[] =>
    // Plain, so that the revision has one encoding and can be checked by being written again.
    list.map((bytes) => revision.add(revision.context.stream(bytes)));
  for (const [name, refs] of [
    ["Certs", streams(data.certificates)],
    ["CRLs", streams(data.crls)],
    ["OCSPs", streams(data.ocsps)],
  ] as const) {
    if (refs.length === 0) continue;
    const list: PDFArray = copyOf(revision, file.resolve(store.get(PDFName.of(name))));
    for (const ref of refs) list.push(ref);
    store.set(PDFName.of(name), list);
  }
  const catalog = (revision.changed(file.catalogRef) as PDFDict | undefined) ?? file.catalog.clone();
  catalog.set(PDFName.of("DSS"), store);
  revision.replace(file.catalogRef, catalog);
}

/** A document with validation data appended (B-LT). */
export function withSecurityStore(document: OpenDocument, data: ValidationData): Uint8Array {
  const revision = new Revision(document.file);
  addSecurityStore(document, revision, data);
  return revision.write().bytes;
}

/**
 * A document with validation data appended, and room left for a document timestamp over all of it (B-LTA). Without data, it
 * is room for a timestamp alone, which proves from when on a seal without one existed (B-T).
 */
export function prepareArchive(document: OpenDocument, data: ValidationData | null, contentsBytes: number): Prepared {
  const revision = new Revision(document.file);
  if (data !== null) addSecurityStore(document, revision, data);
  const entries: SignatureEntries = { type: "DocTimeStamp", subFilter: "ETSI.RFC3161", claimedAt: null, reason: null };
  const signature = addSignatureField(document, revision, entries, contentsBytes, []);
  return prepare(revision.write(), signature, contentsBytes);
}
