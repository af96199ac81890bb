import { type PDFArray, PDFRef } from "pdf-lib";
import { filterOf } from "./cross-reference.ts";
import { Damaged } from "./faults.ts";
import { inflateStructure } from "./inflate.ts";
import type { PdfFile, StoredStream } from "./pdf-file.ts";

/** Of each kind. */
const MAX_STORED = 500;

/** What a file's document security store has (ISO 32000-2, 12.8.4.3), in DER; what can't be read is left out. */
export function storeOf(file: PdfFile): { certificates: Uint8Array[]; crls: Uint8Array[]; ocsps: Uint8Array[] } {
  const store = file.dictEntry(file.catalog, "DSS");
  const [certificates = [], crls = [], ocsps = []] = ["Certs", "CRLs", "OCSPs"].map((name) =>
    streamsOf(file, file.arrayEntry(store, name)).flatMap((stream) => decoded(file, stream)),
  );
  return { certificates, crls, ocsps };
}

/** The streams that a list of a store has, from one of its items on. An item may stand in a list many times. */
export function streamsOf(file: PdfFile, list: PDFArray | undefined, from = 0): StoredStream[] {
  return [...new Set(list?.asArray().slice(from) ?? [])].slice(0, MAX_STORED).flatMap((ref) => {
    const stream = ref instanceof PDFRef ? file.streamData(ref.objectNumber) : undefined;
    return stream ?? [];
  });
}

function decoded(file: PdfFile, { dict, data }: StoredStream): Uint8Array[] {
  try {
    const { filter, parameters } = filterOf(dict);
    return [new Uint8Array(inflateStructure(data, filter, parameters, file.allowance))];
  } catch (error) {
    if (error instanceof Damaged) return [];
    throw error;
  }
}
