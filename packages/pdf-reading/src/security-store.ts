import { type PDFArray, PDFRef } from "pdf-lib";
import { fromAsciiHex } from "./ascii-hex.ts";
import { Damaged } from "./faults.ts";
import { inflateStructure } from "./inflate.ts";
import type { PdfFile, StoredStream } from "./pdf-file.ts";
import { filterOf } from "./structure-streams.ts";

/** The most certificates, revocation lists and OCSP answers, each. */
const MAX_STORED = 500;

/** What a file's document security store has (ISO 32000-2, 12.8.4.3), in DER; what can't be read is left out. */
export const storeOf = (file: PdfFile): { certificates: Uint8Array[]; crls: Uint8Array[]; ocsps: Uint8Array[] } => {
  const store = file.dictEntry(file.catalog, "DSS");
  const [certificates = [], crls = [], ocsps = []] = ["Certs", "CRLs", "OCSPs"].map((name) =>
    storedIn(file, file.arrayEntry(store, name)),
  );
  return { certificates, crls, ocsps };
};

/** What a list of a store has, from one of its items on; what can't be read is left out. */
export const storedIn = (file: PdfFile, list: PDFArray | undefined, from = 0): Uint8Array[] =>
  streamsOf(file, list, from).flatMap((stream) => decoded(file, stream));

/** The streams of a list. An item may stand in a list many times. */
const streamsOf = (file: PdfFile, list: PDFArray | undefined, from: number): StoredStream[] =>
  [...new Set(list?.asArray().slice(from) ?? [])].slice(0, MAX_STORED).flatMap((ref) => {
    const stream = ref instanceof PDFRef ? file.streamData(ref.objectNumber) : undefined;
    return stream ?? [];
  });

const decoded = (file: PdfFile, { dict, data }: StoredStream): Uint8Array[] => {
  try {
    const { filter, parameters } = filterOf(dict);
    if (filter === "ASCIIHexDecode" || filter === "AHx") return [fromAsciiHex(data)];
    return [new Uint8Array(inflateStructure(data, filter, parameters, file.allowance))];
  } catch (error) {
    if (error instanceof Damaged) return [];
    throw error;
  }
};
