import { createHash, type KeyObject, sign, X509Certificate } from "node:crypto";
import { promisify } from "node:util";

const signAsync = promisify(sign);

/** Signature algorithms that seals are made with, all over SHA-256. */
export type SealAlgorithm = "RSA" | "ECDSA";

/** Who seals: a certificate with its private key. */
export interface SigningIdentity {
  algorithm: SealAlgorithm;
  /** DER. */
  certificate: Uint8Array;
  /** DER, each the issuer of the one before; the root last if it is known. */
  issuers: readonly Uint8Array[];
  /** Lower-case hex SHA-256 of the certificate. */
  certificateSha256: string;
  /** Signs data; an ECDSA signature is in its DER form (RFC 3279, 2.2.3). */
  sign(data: Uint8Array): Promise<Uint8Array>;
  /** The service's own authority, when it issued the certificate; null for a certificate from elsewhere. */
  authority: CertificateAuthority | null;
}

/** What the own authority publishes. */
export interface CertificateAuthority {
  /** DER; served as `application/pkix-cert` at `{PUBLIC_URL}/pki/ca.crt`. */
  certificate: Uint8Array;
  /** The current revocation list in DER, signed anew well before it lapses; `application/pkix-crl` at `{PUBLIC_URL}/pki/ca.crl`. */
  crl(): Uint8Array;
  /** A list of this very moment, to be embedded: strict validators want one that is newer than the signature. */
  freshCrl(): Uint8Array;
}

/** An identity of a key and its certificates. Throws when they do not belong together. */
export const identityFrom = (
  key: KeyObject,
  certificate: Uint8Array,
  issuers: readonly Uint8Array[],
  authority: CertificateAuthority | null,
): SigningIdentity => {
  if (!new X509Certificate(certificate).checkPrivateKey(key)) {
    throw new Error("the signing certificate does not belong to the private key");
  }
  return {
    algorithm: algorithmOf(key),
    certificate,
    issuers,
    certificateSha256: createHash("sha256").update(certificate).digest("hex"),
    sign: (data) => signAsync("sha256", data, key),
    authority,
  };
};

const algorithmOf = (key: KeyObject): SealAlgorithm => {
  if (key.asymmetricKeyType === "rsa") return "RSA";
  if (key.asymmetricKeyType === "ec") return "ECDSA";
  throw new Error(`a signing key must be RSA or ECDSA, not ${key.asymmetricKeyType ?? "unknown"}`);
};
