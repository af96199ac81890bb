import { createHash, X509Certificate } from "node:crypto";
import { crlAddresses, issuerAddresses, ocspAddresses } from "../asn1/certificate-fields.ts";
import { isIssuedBy, isRoot } from "../asn1/chain.ts";
import { certificatesOf } from "../asn1/signed-data.ts";
import { firstOf } from "./attempts.ts";
import { exchange } from "./download.ts";
import type { CertificateAuthority } from "./identity.ts";
import { type RevocationData, type RevocationTools, revocationOf, StatusUnknown } from "./revocation.ts";

const LIMITS = { timeoutMs: 10_000, maxBytes: 100_000 };
const MAX_CHAIN = 8;
/** As long as a record of a seal takes it. */
const MAX_REASON_LENGTH = 500;

/** What a validator needs to judge certificates long after: all of them, and what tells of their revocation (DER). */
export type ValidationData = RevocationData;

/** Validation data is not to be had: of which certificate, and why. */
export class ValidationDataMissing extends Error {
  override name = "ValidationDataMissing";
  /** Whether it may be had later: there is somebody to ask. */
  readonly isTemporary: boolean;

  constructor(
    what: string,
    certificate: Uint8Array,
    { why = "", isTemporary }: { why?: string; isTemporary: boolean },
  ) {
    const subject = new X509Certificate(certificate).subject.replaceAll("\n", ", ");
    super(`${what} for ${subject}${why === "" ? "" : ` (${why})`}`.slice(0, MAX_REASON_LENGTH));
    this.isTemporary = isTemporary;
  }
}

/** A signer's certificate, or one above it, is revoked: what was signed with it is worth nothing. */
export class CertificateRevoked extends Error {
  override name = "CertificateRevoked";
  /** DER of the signer's certificate. */
  readonly signer: Uint8Array;

  constructor(signer: Uint8Array, revoked: Uint8Array) {
    super(`the certificate of ${new X509Certificate(revoked).subject.replaceAll("\n", ", ")} is revoked`);
    this.signer = signer;
  }
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Things without repetitions, in the order in which they came. */
class Collection {
  readonly #byHash = new Map<string, Uint8Array>();

  has = (bytes: Uint8Array): boolean => this.#byHash.has(hashOf(bytes));
  add = (bytes: Uint8Array): unknown => this.#byHash.set(hashOf(bytes), bytes);
  all = (): Uint8Array[] => [...this.#byHash.values()];
}

/**
 * Gathers all issuers of some signers' certificates, and that none is revoked. The own authority's list is taken from
 * it, other data is fetched from where the certificates say.
 * Throws {@link ValidationDataMissing}, and {@link CertificateRevoked}.
 *
 * @param known certificates among which issuers are looked for first
 */
export const gatherValidationData = async (
  signers: readonly Uint8Array[],
  known: readonly Uint8Array[],
  authority: CertificateAuthority | null,
  tools: RevocationTools,
): Promise<ValidationData> => {
  const certificates = new Collection();
  const crls = new Collection();
  const ocsps = new Collection();
  for (const signer of signers) {
    let current = signer;
    for (let length = 0; !certificates.has(current); length += 1) {
      if (length > MAX_CHAIN)
        throw new ValidationDataMissing("too long a chain of certificates", signer, { isTemporary: false });
      certificates.add(current);
      if (isRoot(current)) break;
      const issuer = await issuerOf(current, known, tools);
      const data = await revocationDataOf(current, issuer, authority, tools);
      if (data === "revoked") throw new CertificateRevoked(signer, current);
      data.crls.forEach(crls.add);
      data.ocsps.forEach(ocsps.add);
      data.certificates.forEach(certificates.add);
      current = issuer;
    }
  }
  return { certificates: certificates.all(), crls: crls.all(), ocsps: ocsps.all() };
};

const revocationDataOf = async (
  certificate: Uint8Array,
  issuer: Uint8Array,
  authority: CertificateAuthority | null,
  tools: RevocationTools,
): Promise<RevocationData | "revoked"> => {
  if (authority !== null && Buffer.from(authority.certificate).equals(issuer)) {
    return { certificates: [], crls: [authority.freshCrl()], ocsps: [] };
  }
  try {
    return await revocationOf(certificate, issuer, tools);
  } catch (error) {
    if (!(error instanceof StatusUnknown)) throw error;
    const isTemporary = ocspAddresses(certificate).length + crlAddresses(certificate).length > 0;
    throw new ValidationDataMissing("no revocation data", certificate, { why: error.message, isTemporary });
  }
};

const issuerOf = async (
  certificate: Uint8Array,
  known: readonly Uint8Array[],
  { clock }: RevocationTools,
): Promise<Uint8Array> => {
  const found = known.find((candidate) => isIssuedBy(certificate, candidate));
  if (found !== undefined) return found;
  const asks = issuerAddresses(certificate).map((address) => async () => {
    const fetched = certificatesIn(await exchange(clock, address, LIMITS));
    const issuer = fetched.find((candidate) => isIssuedBy(certificate, candidate));
    if (issuer === undefined) throw new Error("no issuer");
    return issuer;
  });
  return firstOf(clock, asks).catch(() => {
    throw new ValidationDataMissing("no issuer", certificate, { isTemporary: asks.length > 0 });
  });
};

/** The certificates of an answer: one, in DER or PEM, or several in a CMS without signers (RFC 5280, 4.2.2.1). */
const certificatesIn = (answer: Uint8Array): Uint8Array[] => {
  for (const read of [(bytes: Uint8Array) => [bytes], certificatesOf]) {
    try {
      return read(answer).map((bytes) => new Uint8Array(new X509Certificate(bytes).raw));
    } catch {}
  }
  return [];
};
