import { createHash, X509Certificate } from "node:crypto";
import type { Clock } from "@rubrica/runtime";
import { signatureHolds } from "../asn1/algorithms.ts";
import { certificateFields, crlAddresses, issuerAddresses } from "../asn1/certificate-fields.ts";
import { isIssuedBy, isRoot } from "../asn1/chain.ts";
import { childrenOf, readDer, tag } from "../asn1/der.ts";
import { exchange } from "./download.ts";
import type { CertificateAuthority } from "./identity.ts";

const LIMITS = { timeoutMs: 10_000, maxBytes: 5 * 1024 * 1024 };
const MAX_CHAIN = 8;

/** What a validator needs to judge certificates long after: all of them, and their revocation lists (DER). */
export interface ValidationData {
  certificates: readonly Uint8Array[];
  crls: readonly Uint8Array[];
}

/** Validation data is not to be had: of which certificate, and why. */
export class ValidationDataMissing extends Error {
  override name = "ValidationDataMissing";
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Gathers all issuers and revocation lists of some signers' certificates. The own authority's list is
 * taken from it, others are fetched from where the certificates say.
 * Throws {@link ValidationDataMissing}, also when a certificate turns out to be revoked.
 *
 * @param known certificates among which issuers are looked for first
 */
export async function gatherValidationData(
  signers: readonly Uint8Array[],
  known: readonly Uint8Array[],
  authority: CertificateAuthority | null,
  clock: Clock,
): Promise<ValidationData> {
  const certificates = new Map<string, Uint8Array>();
  const crls = new Map<string, Uint8Array>();
  for (const signer of signers) {
    let current = signer;
    for (let length = 0; !certificates.has(hashOf(current)); length += 1) {
      if (length > MAX_CHAIN) throw new ValidationDataMissing("a chain of certificates is too long");
      certificates.set(hashOf(current), current);
      if (isRoot(current)) break;
      const issuer = await issuerOf(current, known, clock);
      const crl = await crlOf(current, issuer, authority, clock);
      crls.set(hashOf(crl), crl);
      current = issuer;
    }
  }
  return { certificates: [...certificates.values()], crls: [...crls.values()] };
}

async function issuerOf(certificate: Uint8Array, known: readonly Uint8Array[], clock: Clock): Promise<Uint8Array> {
  const found = known.find((candidate) => isIssuedBy(certificate, candidate));
  if (found !== undefined) return found;
  for (const address of issuerAddresses(certificate)) {
    const fetched = await exchange(clock, address, LIMITS).catch(() => null);
    if (fetched === null) continue;
    const issuer = derCertificate(fetched);
    if (issuer !== null && isIssuedBy(certificate, issuer)) return issuer;
  }
  throw missing("no issuer", certificate);
}

/** A certificate, whether it was sent as DER or PEM. */
function derCertificate(bytes: Uint8Array): Uint8Array | null {
  try {
    return new Uint8Array(new X509Certificate(bytes).raw);
  } catch {
    return null;
  }
}

async function crlOf(
  certificate: Uint8Array,
  issuer: Uint8Array,
  authority: CertificateAuthority | null,
  clock: Clock,
): Promise<Uint8Array> {
  if (authority !== null && Buffer.from(authority.certificate).equals(issuer)) return authority.freshCrl();
  for (const address of crlAddresses(certificate)) {
    const crl = await exchange(clock, address, LIMITS).catch(() => null);
    if (crl === null || !crlHolds(crl, issuer)) continue;
    if (isRevoked(crl, certificate)) throw missing("a revoked certificate", certificate);
    return crl;
  }
  throw missing("no revocation list", certificate);
}

function missing(what: string, certificate: Uint8Array): ValidationDataMissing {
  return new ValidationDataMissing(`${what} for ${new X509Certificate(certificate).subject.replaceAll("\n", ", ")}`);
}

/** Whether a revocation list (RFC 5280, 5.1) is signed by an issuer. */
export function crlHolds(crl: Uint8Array, issuer: Uint8Array): boolean {
  try {
    const [content, algorithm, signature] = childrenOf(readDer(crl));
    if (content === undefined || algorithm === undefined || signature?.tag !== tag.bitString) return false;
    const key = new X509Certificate(issuer).publicKey;
    return signatureHolds(algorithm, null, key, content.encoded, signature.content.subarray(1));
  } catch {
    return false;
  }
}

function isRevoked(crl: Uint8Array, certificate: Uint8Array): boolean {
  const [content] = childrenOf(readDer(crl));
  const serialNumber = Buffer.from(certificateFields(certificate).serialNumber.encoded);
  // The list of revoked certificates is the one SEQUENCE whose entries begin with serial numbers.
  const lists = (content === undefined ? [] : childrenOf(content)).filter((field) => field.tag === tag.sequence);
  return lists.some((list) =>
    childrenOf(list).some((entry) => {
      const [serial] = (entry.tag & 0x20) === 0 ? [] : childrenOf(entry);
      return serial !== undefined && serialNumber.equals(serial.encoded);
    }),
  );
}
