import { signingOrder } from "@rubrica/domain";
import { BadRequestError, type Fault } from "@rubrica/http";
import {
  type AdmittedAndPlaced,
  type AskedFault,
  type AskedPlace,
  type AskedPlaces,
  askedFaults,
  type PdfEngine,
  PdfRefused,
} from "@rubrica/pdf";
import { documentFault, type FileReader, readFileField } from "../fields/file.ts";
import type { PlacementInput } from "../fields/signer.ts";

const FIELDS = { pages: "page", x: "position_x", y: "position_y" } as const;

/** What a document is read with. */
export interface DocumentReader extends FileReader {
  pdf: Pick<PdfEngine, "admit" | "admitAndPlace" | "undrawable">;
  /** Who it is read for. */
  caller: string;
}

/** A PDF that was taken, with places for its signatures. */
export interface TakenDocument extends Pick<AdmittedAndPlaced, "placements" | "inspection" | "pagesBefore"> {
  /** As signers see, hash and sign it: without active content, with pages for signatures where it had no room. */
  bytes: Uint8Array;
  /** As it was sent; null where that is the same. */
  sentBytes: Uint8Array | null;
}

/** A document that was read, or why it is not taken. */
export type ReadDocument = { ok: true; document: TakenDocument } | { ok: false; faults: readonly Fault[] };

/** Where a signature is asked to go. */
export interface SignerPlace extends AskedPlace {
  /** Of the signer, in the input. */
  signer: number;
}

/** What is asked of a document. */
export interface AskedOfDocument extends AskedPlaces {
  places: readonly SignerPlace[];
  /** Whether the rest of the request is as it should be. Else the document is looked at for its faults alone. */
  isAcceptable: boolean;
}

/**
 * Where each signature is asked to go, in signing order, without those whose fields are wrong. A page is one of the
 * document as it was sent.
 *
 * @param signers in the order of the input; undefined for one whose fields are wrong in themselves
 */
export const placesOf = (signers: readonly (PlacementInput | undefined)[]): SignerPlace[] => {
  const inOrder = signingOrder(signers.map((signer) => signer?.position));
  return signers
    .flatMap((place, signer) => (place ? [{ signer, page: place.page, x: place.position_x, y: place.position_y }] : []))
    .sort((a, b) => (inOrder[a.signer]?.order ?? 0) - (inOrder[b.signer]?.order ?? 0));
};

/**
 * Takes in the PDF of the `document` field, strict Base64, or where a fetcher is given a public URL; tells what is wrong
 * with it, or with the places asked for on it.
 * @throws {HttpError} 413 when it is larger than `maxBytes`. @throws {HelpersBusy} when too many documents are being read.
 */
export const readDocument = async (
  reader: DocumentReader,
  field: string,
  asked: AskedOfDocument,
): Promise<ReadDocument> => {
  try {
    const posted = await readFileField(reader, field);
    const { faults, placements, bytes, inspection, pagesBefore } = await judged(admission(reader, posted, asked));
    if (faults.length > 0) return { ok: false, faults: placeFaults(asked.places, faults) };
    const files = { bytes: bytes ?? posted, sentBytes: bytes && posted };
    return { ok: true, document: { ...files, placements, inspection, pagesBefore } };
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    return { ok: false, faults: error.faults };
  }
};

const admission = async (
  { pdf, caller }: DocumentReader,
  posted: Uint8Array,
  { isAcceptable, places, everyPage, title }: AskedOfDocument,
): Promise<AdmittedAndPlaced> => {
  if (isAcceptable) return pdf.admitAndPlace(posted, { places, everyPage, title }, caller);
  const { bytes, inspection } = await pdf.admit(posted, caller);
  const faults = askedFaults(inspection, { places, everyPage });
  return { bytes, inspection, faults, placements: [], pagesBefore: inspection.pageCount };
};

/** What comes of looking at a document, or why it is not taken. */
const judged = async <Result>(looking: Promise<Result>): Promise<Result> => {
  try {
    return await looking;
  } catch (error) {
    throw error instanceof PdfRefused ? documentFault(error.message) : error;
  }
};

/** What is wrong with places, by the integrator's paths and in the order of the input. */
const placeFaults = (places: readonly SignerPlace[], found: readonly AskedFault[]): Fault[] =>
  found
    .map(({ index, field, message }) => ({ signer: places[index]?.signer ?? 0, field: FIELDS[field], message }))
    .sort((a, b) => a.signer - b.signer)
    .map(({ signer, field, message }) => ({ path: `datos_firmantes[${signer}].${field}`, message }));
