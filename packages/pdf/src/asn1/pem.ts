import { X509Certificate } from "node:crypto";

const MAX_CERTIFICATES = 500;

/** The certificates (DER) of a text in PEM (RFC 7468), in their order; what stands between them is left aside. Throws when there are none, or too many. */
export const certificatesInPem = (text: string): Uint8Array[] => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("it has no certificates in PEM");
  if (blocks.length > MAX_CERTIFICATES) throw new Error(`it has more than ${MAX_CERTIFICATES} certificates`);
  return blocks.map((block) => new Uint8Array(new X509Certificate(block).raw));
};
