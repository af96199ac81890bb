import { BadRequestError, BUSY_TEXT, type Fault, HttpError } from "@rubrica/http";
import { type FileFetcher, FileFetchRefused, TooManyFetches } from "@rubrica/outbound";
import { type AdmittedAndPlaced, type AskedPlaces, askedFaults, type PdfEngine, PdfRefused } from "@rubrica/pdf";
import { decodeBase64, unwrapped } from "../fields/base64.ts";
import { placeFaults, type SignerPlace } from "./placements.ts";

const WEB_URL = /^https?:/i;
const MAX_URL_LENGTH = 2_000;

/** What a file is read with. */
export interface FileReader {
  /** Only where a document may be given as a URL. */
  fetcher: FileFetcher | null;
  maxBytes: number;
}

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
}

/** What is asked of a document. */
export interface AskedOfDocument extends AskedPlaces {
  places: readonly SignerPlace[];
  /** Whether the rest of the request is as it should be. Else the document is looked at for its faults alone. */
  isAcceptable: boolean;
}

/**
 * Takes in the PDF of the `document` field, strict Base64, or where a fetcher is given a public URL; tells what is wrong
 * with it, or with the places asked for on it.
 * @throws {HttpError} 413 when it is larger than `maxBytes`. @throws {HelpersBusy} when too many documents are being read.
 */
export const readDocument = async (
  reader: DocumentReader,
  field: string,
  asked: AskedOfDocument,
): Promise<TakenDocument | readonly Fault[]> => {
  try {
    const posted = await readFileField(reader, field);
    const { faults, placements, bytes, inspection, pagesBefore } = await judged(admission(reader, posted, asked));
    if (faults.length > 0) return placeFaults(asked.places, faults);
    return { placements, bytes: bytes ?? posted, inspection, pagesBefore };
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    return error.faults;
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

/** Whether a `document` field is an address, and not the file itself. */
export const isWebUrl = (field: string): boolean => WEB_URL.test(field);

/** The bytes of a `document` field, whatever they are. @throws {HttpError} 413, 503. @throws {BadRequestError} */
export const readFileField = async (reader: FileReader, field: string): Promise<Buffer> => {
  const { fetcher, maxBytes } = reader;
  return fetcher && isWebUrl(field) ? fetched(fetcher, field, maxBytes) : decoded(field, reader);
};

const decoded = async (field: string, { fetcher, maxBytes }: FileReader): Promise<Buffer> => {
  const result = decodeBase64(await unwrapped(field), maxBytes);
  if ("bytes" in result) return result.bytes;
  if (result.fault === "too_large") throw tooLarge(maxBytes);
  throw documentFault(fetcher ? "must be Base64 or an http or https URL" : "must be Base64");
};

const fetched = async (fetcher: FileFetcher, url: string, maxBytes: number): Promise<Buffer> => {
  if (url.length > MAX_URL_LENGTH) throw documentFault(`must have at most ${MAX_URL_LENGTH} characters`);
  try {
    return await fetcher.fetch(url, maxBytes);
  } catch (error) {
    if (error instanceof TooManyFetches) throw tooBusy();
    if (!(error instanceof FileFetchRefused)) throw error;
    throw error.reason === "too_large" ? tooLarge(maxBytes) : documentFault(error.message);
  }
};

const documentFault = (message: string) => new BadRequestError([{ path: "document", message }]);
const tooLarge = (maxBytes: number) => new HttpError(413, { error: `The document is larger than ${maxBytes} bytes` });
const tooBusy = () => new HttpError(503, { error: BUSY_TEXT });
