import { type FileFetcher, FileFetchRefused, TooManyFetches } from "@rubrica/fetching";
import { BadRequestError, BUSY_TEXT, HttpError } from "@rubrica/http";
import { type Inspection, type PdfEngine, PdfRefused, type Placement, type PlacesWanted } from "@rubrica/pdf";
import { decodeBase64, unwrapped } from "./base64.ts";

const WEB_URL = /^https?:/i;
const MAX_URL_LENGTH = 2_000;

/** A PDF that was taken, as far as it is known. */
export interface ReadDocument {
  /** As signers see, hash and sign it: without active content. */
  bytes: Uint8Array;
  inspection: Inspection;
}

/** What a file is read with. */
export interface FileReader {
  /** Only where a document may be given as a URL. */
  fetcher: FileFetcher | null;
  maxBytes: number;
}

/** What a document is read with. */
export interface DocumentReader extends FileReader {
  pdf: Pick<PdfEngine, "admit" | "place" | "rehearse" | "undrawable">;
  /** Who it is read for. */
  caller: string;
}

/**
 * Reads the `document` field: a PDF that can be stamped, as strict Base64, or where a fetcher is given as a public URL.
 * @throws {HttpError} 413 when it is larger than `maxBytes`. @throws {HelpersBusy} when too many documents are being read.
 * @throws {BadRequestError} when it is neither Base64 nor an URL that answers with a file, or when the file is no PDF,
 * encrypted, broken or too complex.
 */
export const readDocument = async (reader: DocumentReader, field: string): Promise<ReadDocument> => {
  const posted = await readFileField(reader, field);
  const { bytes, inspection } = await judged(reader.pdf.admit(posted, reader.caller));
  return { bytes: bytes ?? posted, inspection };
};

/** A document, and where each signature goes on it. */
export interface PlacedSignatures {
  /** As signers see it: with pages for signatures, where it had no room. */
  read: ReadDocument;
  /** In signing order. */
  placements: readonly Placement[];
}

/**
 * Finds places for signatures that were given none.
 * @throws {BadRequestError} @throws {HttpError} 503 when too many documents are being read.
 */
export const placeSignatures = async (
  { pdf, caller }: DocumentReader,
  read: ReadDocument,
  places: PlacesWanted,
): Promise<PlacedSignatures> => {
  const given = places.wanted.filter((one) => one !== null && "pages" in one);
  if (given.length === places.wanted.length) return { read, placements: given };
  const { placements, bytes, inspection } = await judged(pdf.place(read.bytes, places, caller));
  return { read: { bytes: bytes ?? read.bytes, inspection }, placements };
};

/**
 * Tries out whether a document can be stamped and sealed with signatures at some places.
 * @throws {BadRequestError} @throws {HttpError} 503 when too many documents are being read.
 */
export const rehearseSignatures = async (
  { pdf, caller }: DocumentReader,
  { bytes }: ReadDocument,
  placements: readonly Placement[],
): Promise<void> => {
  await judged(pdf.rehearse(bytes, placements, caller));
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
