import { BadRequestError, type Fault, HttpError } from "@rubrica/http";
import { type Inspection, type PdfEngine, PdfEngineBusy, PdfRefused } from "@rubrica/pdf";
import { decodeBase64 } from "./base64.ts";

/** The 400 of a document request: one fixed text, and every fault by the integrator's path. */
export const badDocumentRequest = (details: readonly Fault[]) => ({
  error: ["Missing data or error information"],
  details,
});

/** A PDF that was taken, as far as it is known. */
export interface ReadDocument {
  bytes: Buffer;
  inspection: Inspection;
}

/**
 * Reads the `document` field: strict Base64 of a PDF that can be stamped.
 * @throws {HttpError} 413 when it is larger than `maxBytes`, 503 when too many documents are being read.
 * @throws {BadRequestError} when it is no Base64, no PDF, encrypted, broken or too complex.
 */
export const readDocument = async (pdf: PdfEngine, field: string, maxBytes: number): Promise<ReadDocument> => {
  const decoded = decodeBase64(field, maxBytes);
  if ("fault" in decoded) {
    if (decoded.fault === "too_large") {
      throw new HttpError(413, { error: `The document is larger than ${maxBytes} bytes` });
    }
    throw documentFault("must be Base64");
  }
  try {
    return { bytes: decoded.bytes, inspection: await pdf.inspect(decoded.bytes) };
  } catch (error) {
    if (error instanceof PdfRefused) throw documentFault(error.message);
    if (error instanceof PdfEngineBusy)
      throw new HttpError(503, { error: "Too many documents at once; try again later" });
    throw error;
  }
};

const documentFault = (message: string) => new BadRequestError([{ path: "document", message }]);
