import { bufferOf } from "@rubrica/pdf-reading/bytes";
import { childrenOf, readFirst, tag } from "../asn1/der.ts";

const SEAL = "/SubFilter/ETSI.CAdES.detached";
const DOCUMENT_TIMESTAMP = "/SubFilter/ETSI.RFC3161";

/**
 * The certificates (DER, the signer's first) within the last seal that {@link PdfEngine.seal} or `stampAndSeal` put into
 * a file; none when it has no such seal. Reads what the file says: it verifies nothing.
 */
export const certificatesOfSeal = (pdf: Uint8Array): Uint8Array[] => {
  const buffer = bufferOf(pdf);
  const seal = buffer.lastIndexOf(SEAL);
  const open = seal < 0 ? -1 : buffer.indexOf("/Contents<", seal);
  if (open < 0) return [];
  const start = open + "/Contents<".length;
  const cms = Buffer.from(buffer.toString("latin1", start, buffer.indexOf(">", start)), "hex");
  // ContentInfo → [0] → SignedData → [0] certificates (RFC 5652, 3 and 5.1).
  const signedData = childrenOf(readFirst(cms))[1];
  const parts = signedData === undefined ? [] : childrenOf(readFirst(signedData.content));
  const certificates = parts.find((part) => part.tag === tag.constructed(0));
  return certificates === undefined ? [] : childrenOf(certificates).map(({ encoded }) => encoded);
};

/** Whether a timestamp over the whole document came after the last such seal of a file. It verifies nothing, either. */
export const isTimestampedAfterSeal = (pdf: Uint8Array): boolean => {
  const buffer = bufferOf(pdf);
  return buffer.lastIndexOf(DOCUMENT_TIMESTAMP) > buffer.lastIndexOf(SEAL);
};
