import { copyOf } from "@rubrica/pdf-drawing/stamping/annotation";
import { asciiHex } from "@rubrica/pdf-reading/ascii-hex";
import { joined, type Updated } from "@rubrica/pdf-reading/bytes";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { Revision } from "@rubrica/pdf-reading/revision";
import { type PDFArray, PDFDict, PDFName, type PDFRef } from "pdf-lib";
import { addSignatureField, type Prepared, prepare, type SignatureEntries } from "./field.ts";
import type { ValidationData } from "./validation-data.ts";

/**
 * How validation data is written: in ASCIIHex, so that no reader finds an object in what stands in a certificate; or as it
 * is, as releases up to November 2026 did.
 */
export type ArchiveForm = "hex" | "raw";

/**
 * Adds a document security store (ISO 32000-2, 12.8.4.3) with validation data to the one that a file may
 * have: its own entries stay.
 */
const addSecurityStore = (
  document: OpenDocument,
  revision: Revision,
  data: ValidationData,
  form: ArchiveForm,
): void => {
  const { file } = document;
  const store = file.dictEntry(file.catalog, "DSS")?.clone() ?? PDFDict.withContext(revision.context);
  const streams = (list: readonly Uint8Array[]): PDFRef[] =>
    // Not compressed, so that the revision has one encoding and can be checked by being written again.
    list.map((bytes) =>
      revision.add(
        form === "raw"
          ? revision.context.stream(bytes)
          : revision.context.stream(asciiHex(bytes), { Filter: "ASCIIHexDecode" }),
      ),
    );
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
};

/** A document with validation data appended (B-LT). */
export const withSecurityStore = (
  document: OpenDocument,
  data: ValidationData,
  form: ArchiveForm = "hex",
): Uint8Array => {
  const revision = new Revision(document.file);
  addSecurityStore(document, revision, data, form);
  return joined(revision.write());
};

/**
 * A document with validation data appended, and bytes reserved for a document timestamp over all of it (B-LTA). Without data
 * they are for a timestamp alone, which proves from when on a seal without one existed (B-T).
 */
export const prepareArchive = (
  document: OpenDocument,
  data: ValidationData | null,
  contentsBytes: number,
  form: ArchiveForm = "hex",
): Prepared<Updated> => {
  const revision = new Revision(document.file);
  if (data !== null) addSecurityStore(document, revision, data, form);
  const entries: SignatureEntries = { type: "DocTimeStamp", subFilter: "ETSI.RFC3161", claimedAt: null, reason: null };
  const signature = addSignatureField(document, revision, entries, contentsBytes, []);
  return prepare(revision.write(), signature, contentsBytes);
};
