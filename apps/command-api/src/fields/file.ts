import { BadRequestError, BUSY_TEXT, HttpError } from "@rubrica/http";
import { type FileFetcher, FileFetchRefused, TooManyFetches } from "@rubrica/outbound";
import { decodeBase64, unwrapped } from "./base64.ts";

const WEB_URL = /^https?:/i;
const MAX_URL_LENGTH = 2_000;

/** What a file is read with. */
export interface FileReader {
  /** Only where a document may be given as a URL. */
  fetcher: FileFetcher | null;
  maxBytes: number;
}

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

/** What is wrong with the `document` field. */
export const documentFault = (message: string): BadRequestError => new BadRequestError([{ path: "document", message }]);

const tooLarge = (maxBytes: number) => new HttpError(413, { error: `The document is larger than ${maxBytes} bytes` });
const tooBusy = () => new HttpError(503, { error: BUSY_TEXT });
