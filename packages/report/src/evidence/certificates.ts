import { createHash, X509Certificate } from "node:crypto";
import type { SigningIdentity } from "@rubrica/pdf";
import { certificatesOfSeal } from "@rubrica/pdf/certificates";
import type { CertificateEvidence } from "./evidence.ts";

/** Node gives a name's parts on lines of their own, the most general first. */
const nameOf = (lines: string): string => lines.trim().split("\n").reverse().join(", ");

const describe = (der: Uint8Array): CertificateEvidence => {
  const certificate = new X509Certificate(der);
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    serialNumber: certificate.serialNumber.toLowerCase(),
    validFrom: certificate.validFromDate.getTime(),
    validTo: certificate.validToDate.getTime(),
    sha256: createHash("sha256").update(der).digest("hex"),
  };
};

/** Whether a file's last seal says that it is by this certificate. It is not verified. */
export const isSealedBy = (sealedPdf: Uint8Array, certificateSha256: string): boolean => {
  const [signer] = certificatesOfSeal(sealedPdf);
  return signer !== undefined && createHash("sha256").update(signer).digest("hex") === certificateSha256;
};

/**
 * The certificates that a document was sealed with: out of the sealed file, or, when that is gone, the service's own if
 * it is still the one. Empty when neither is.
 */
export const sealCertificates = (
  sealedPdf: Uint8Array | null,
  certificateSha256: string,
  identity: SigningIdentity,
): CertificateEvidence[] => {
  const inFile = sealedPdf ? certificatesOfSeal(sealedPdf) : [];
  if (inFile.length > 0) return inFile.map(describe);
  if (identity.certificateSha256 !== certificateSha256) return [];
  return [identity.certificate, ...identity.issuers].map(describe);
};
