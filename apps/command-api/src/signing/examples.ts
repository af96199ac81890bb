import { currentConsent } from "@rubrica/domain";

const documentSha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const missing = { state: "missing" as const, attempt: 0, reason: null };

/** What a signer sees of a document that waits for them. */
export const overviewExample = {
  document_name: "Lease agreement",
  business_name: "ACME Homes",
  account_name: "ACME S.A.",
  signer: { name: "Ana Paz", dni: "30123456" },
  status: "pending" as const,
  page_count: 2,
  document_sha256: documentSha256,
  request_photos: false,
  photos: { selfie: missing, dni_frontal: missing, dni_trasera: missing },
  can_sign: true,
  consent: currentConsent,
};

/** A signature with a small drawing, of that document. */
export const signatureExample = {
  garabato:
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADAAAAAQAgMAAAAtwBQiAAAADFBMVEUPDyEQECEQECEQECGsnomAAAAABHRSTlMB2Ih" +
    "FfVnCKwAAAAlwSFlzAAALEwAACxMBAJqcGAAAAHNJREFUCNdjYIACM6YEBji4wyCC4CQwcIIoVZA8kwMDUwOQSlAHchgPgCQZOA/wAjlcQCzDwKAC" +
    "UsLADtF5gYGhgIHBBMxmLgDzZcAckE4ZMB+qE6hmAZgDUgzU7QC3nRdsIRQwNvAi3MVQwI7EuXMDTAEARmQPb+JiXzEAAAAASUVORK5CYII=",
  consent_version: currentConsent.version,
  document_sha256: documentSha256,
  time_zone: "America/Argentina/Buenos_Aires",
  signature_method: "drawn" as const,
};
