import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import {
  bitString,
  boolean,
  der,
  generalizedTime,
  objectIdentifier,
  sequence,
  smallInteger,
  tag,
  text,
  time,
  unsignedInteger,
} from "./der.ts";
import { oid } from "./oids.ts";

/** What a new certificate says (RFC 5280, 4.1). */
export interface CertificateContent {
  /** Big-endian, positive. */
  serialNumber: Uint8Array;
  /** DER of the issuer's and the subject's name. */
  issuer: Uint8Array;
  subject: Uint8Array;
  /** Milliseconds since the UNIX epoch. */
  notBefore: number;
  notAfter: number;
  /** DER SubjectPublicKeyInfo. */
  publicKey: Uint8Array;
  /** DER of each extension. */
  extensions: readonly Uint8Array[];
}

/** Bits of the key usage extension (RFC 5280, 4.2.1.3), as the first octet has them. */
export const keyUsage = { digitalSignature: 0x80, nonRepudiation: 0x40, keyCertSign: 0x04, cRLSign: 0x02 } as const;

const ecdsaWithSha256 = sequence(objectIdentifier(oid.ecdsaWithSha256));

/** DER SubjectPublicKeyInfo of a private key's public one. */
export const publicKeyOf = (key: KeyObject): Uint8Array => createPublicKey(key).export({ format: "der", type: "spki" });

/** A name of a common name and an organization. */
export const nameOf = (commonName: string, organization: string): Buffer => {
  const part = (type: string, value: string) => der(tag.set, sequence(objectIdentifier(type), text(value)));
  return sequence(part(oid.organizationName, organization), part(oid.commonName, commonName));
};

/** Signs a certificate of version 3 with an ECDSA key. */
export const certificateFrom = (content: CertificateContent, issuerKey: KeyObject): Buffer =>
  signed(
    sequence(
      der(tag.constructed(0), smallInteger(2)),
      unsignedInteger(content.serialNumber),
      ecdsaWithSha256,
      content.issuer,
      sequence(time(content.notBefore), time(content.notAfter)),
      content.subject,
      content.publicKey,
      der(tag.constructed(3), sequence(...content.extensions)),
    ),
    issuerKey,
  );

/** What a new revocation list says (RFC 5280, 5.1): here, that nothing is revoked. */
export interface CrlContent {
  issuer: Uint8Array;
  thisUpdate: number;
  nextUpdate: number;
  extensions: readonly Uint8Array[];
}

/** Signs a revocation list of version 2 with an ECDSA key. */
export const crlFrom = (content: CrlContent, issuerKey: KeyObject): Buffer =>
  signed(
    sequence(
      smallInteger(1),
      ecdsaWithSha256,
      content.issuer,
      time(content.thisUpdate),
      time(content.nextUpdate),
      der(tag.constructed(0), sequence(...content.extensions)),
    ),
    issuerKey,
  );

const signed = (content: Buffer, key: KeyObject): Buffer =>
  sequence(content, ecdsaWithSha256, bitString(sign("sha256", content, key)));

/** Extensions of certificates and revocation lists (RFC 5280, 4.2 and 5.2). */
export const extension = {
  /** @param pathLength how many authorities may stand between this one and a certificate that is used; null: it is none */
  basicConstraints: (pathLength: number | null): Buffer =>
    of(
      oid.basicConstraints,
      true,
      pathLength === null ? sequence() : sequence(boolean(true), smallInteger(pathLength)),
    ),
  keyUsage: (bits: number): Buffer => {
    let unused = 0;
    while (((bits >> unused) & 1) === 0) unused += 1;
    return of(oid.keyUsage, true, der(tag.bitString, Buffer.from([unused, bits])));
  },
  subjectKeyIdentifier: (publicKey: Uint8Array): Buffer =>
    of(oid.subjectKeyIdentifier, false, der(tag.octetString, keyIdentifier(publicKey))),
  authorityKeyIdentifier: (publicKey: Uint8Array): Buffer =>
    of(oid.authorityKeyIdentifier, false, sequence(der(tag.primitive(0), keyIdentifier(publicKey)))),
  crlDistributionPoint: (url: string): Buffer =>
    of(
      oid.crlDistributionPoints,
      false,
      sequence(sequence(der(tag.constructed(0), der(tag.constructed(0), uniformResourceIdentifier(url))))),
    ),
  authorityInformationAccess: (caIssuersUrl: string): Buffer =>
    of(
      oid.authorityInformationAccess,
      false,
      sequence(sequence(objectIdentifier(oid.caIssuers), uniformResourceIdentifier(caIssuersUrl))),
    ),
  expiredCertificatesOnList: (since: number): Buffer =>
    of(oid.expiredCertificatesOnList, false, generalizedTime(since)),
  crlNumber: (value: Uint8Array): Buffer => of(oid.crlNumber, false, unsignedInteger(value)),
};

const uniformResourceIdentifier = (url: string): Buffer => der(tag.primitive(6), Buffer.from(url, "latin1"));

const of = (type: string, critical: boolean, value: Uint8Array): Buffer =>
  sequence(objectIdentifier(type), critical ? boolean(true) : Buffer.alloc(0), der(tag.octetString, value));

/** RFC 7093, 2, method 1: the leftmost 160 bits of SHA-256 of the key. */
const keyIdentifier = (publicKey: Uint8Array): Buffer =>
  createHash("sha256").update(publicKey).digest().subarray(0, 20);
