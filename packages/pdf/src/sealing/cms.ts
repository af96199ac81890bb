import { createHash } from "node:crypto";
import { issuerAndSerialOf, issuerSerialOf } from "../asn1/certificate-fields.ts";
import { der, objectIdentifier, readDer, sequence, setOf, smallInteger, tag } from "../asn1/der.ts";
import { oid } from "../asn1/oids.ts";
import type { SealAlgorithm, SigningIdentity } from "./identity.ts";
import { type Named, namedType, namedValue } from "./named.ts";

const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();

/** What a seal's CMS is made of; everything else in it follows from these. */
export interface CmsParts {
  algorithm: SealAlgorithm;
  /** DER, the signer's first. */
  certificates: readonly Uint8Array[];
  /** SHA-256 of the bytes that are sealed. */
  digest: Uint8Array;
  signature: Uint8Array;
  /** What the signature says that it is over; null for seals of earlier releases, which did not say. */
  named: Named | null;
  /** An RFC 3161 token over the signature, or null. */
  timestampToken: Uint8Array | null;
}

/**
 * The attributes that are signed (ETSI EN 319 142-1, 6.3): content type, message digest, signing-certificate-v2 and, of
 * this service's own, what they are over; no signing time, which PAdES forbids.
 */
export const signedAttributes = (digest: Uint8Array, certificate: Uint8Array, named: Named | null): Buffer => {
  // SHA-256 is ESSCertIDv2's default, and DER leaves defaults out.
  const certificateId = sequence(der(tag.octetString, sha256(certificate)), issuerSerialOf(certificate));
  return setOf(
    attribute(oid.contentType, objectIdentifier(oid.data)),
    attribute(oid.messageDigest, der(tag.octetString, digest)),
    attribute(oid.signingCertificateV2, sequence(sequence(certificateId))),
    ...(named === null ? [] : [sequence(namedType, der(tag.set, namedValue(named)))]),
  );
};

/** Signs a digest, giving all parts of a seal's CMS but the timestamp. */
export const signDigest = async (
  identity: SigningIdentity,
  digest: Uint8Array,
  named: Named | null = null,
): Promise<CmsParts> => {
  const signature = await identity.sign(signedAttributes(digest, identity.certificate, named));
  const certificates = [identity.certificate, ...identity.issuers];
  return { algorithm: identity.algorithm, certificates, digest, signature, named, timestampToken: null };
};

/** The one encoding of a seal's CMS: a detached SignedData with one signer. */
export const encodeCms = ({ algorithm, certificates, digest, signature, named, timestampToken }: CmsParts): Buffer => {
  const [certificate] = certificates;
  if (certificate === undefined) throw new Error("a seal needs a certificate");
  const attributes = readDer(signedAttributes(digest, certificate, named)).content;
  const signerInfo = sequence(
    smallInteger(1),
    issuerAndSerialOf(certificate),
    sequence(objectIdentifier(oid.sha256)),
    der(tag.constructed(0), attributes),
    signatureAlgorithm(algorithm),
    der(tag.octetString, signature),
    timestampToken === null
      ? Buffer.alloc(0)
      : der(tag.constructed(1), attribute(oid.signatureTimeStamp, timestampToken)),
  );
  const signedData = sequence(
    smallInteger(1),
    setOf(sequence(objectIdentifier(oid.sha256))),
    sequence(objectIdentifier(oid.data)),
    der(tag.constructed(0), ...certificates),
    setOf(signerInfo),
  );
  return sequence(objectIdentifier(oid.signedData), der(tag.constructed(0), signedData));
};

const signatureAlgorithm = (algorithm: SealAlgorithm): Buffer => {
  if (algorithm === "ECDSA") return sequence(objectIdentifier(oid.ecdsaWithSha256));
  return sequence(objectIdentifier(oid.sha256WithRsa), der(tag.null));
};

const attribute = (type: string, value: Uint8Array): Buffer => sequence(objectIdentifier(type), der(tag.set, value));
