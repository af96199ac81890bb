import { type PDFArray, PDFDict, PDFName, type PDFRef } from "pdf-lib";
import type { OpenDocument } from "../reading/open.ts";
import type { Revision } from "../reading/revision.ts";
import { copyOf } from "../stamping/annotation.ts";
import type { ValidationData } from "./validation-data.ts";

/**
 * Adds a document security store (ISO 32000-2, 12.8.4.3) with validation data to the one that a file may
 * have: its own entries stay.
 */
export function addSecurityStore(document: OpenDocument, revision: Revision, data: ValidationData): void {
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
