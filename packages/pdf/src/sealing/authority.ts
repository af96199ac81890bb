import { generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import type { Clock, Random } from "@rubrica/runtime";
import { certificateFrom, crlFrom, extension, keyUsage, nameOf, publicKeyOf } from "../asn1/certificate.ts";
import { certificateFields } from "../asn1/certificate-fields.ts";
import type { CertificateAuthority } from "./identity.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const CA_VALIDITY_MS = 30 * 365 * DAY_MS;
const SEAL_VALIDITY_MS = 5 * 365 * DAY_MS;
const CRL_VALIDITY_MS = 14 * DAY_MS;
const CRL_RENEWED_AFTER_MS = DAY_MS;
/** Clocks of validators may be behind. */
const BACKDATED_MS = 60 * 60 * 1_000;
const ORGANIZATION = "Rubrica";

/** A key with its certificate (DER). */
export interface Certified {
  key: KeyObject;
  certificate: Uint8Array;
}

/** ECDSA on P-256: as strong as RSA-3072, and made in a moment at the first start. */
const newKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** Makes the root certificate of a new authority (RFC 5280), valid for 30 years. */
export const newAuthority = (clock: Clock, random: Random): Certified => {
  const key = newKey();
  const publicKey = publicKeyOf(key);
  // A name of its own for each installation, so that validators never take one's authority for another's.
  const name = nameOf(`Rubrica Signing CA ${random.bytes(4).toString("hex")}`, ORGANIZATION);
  const content = {
    serialNumber: serialFrom(random),
    issuer: name,
    subject: name,
    notBefore: clock.now() - BACKDATED_MS,
    notAfter: clock.now() + CA_VALIDITY_MS,
    publicKey,
    extensions: [
      extension.basicConstraints(0),
      extension.keyUsage(keyUsage.keyCertSign | keyUsage.cRLSign),
      extension.subjectKeyIdentifier(publicKey),
    ],
  };
  return { key, certificate: new Uint8Array(certificateFrom(content, key)) };
};

/**
 * Issues a certificate for sealing, valid for 5 years, that says where the authority's certificate and
 * revocation list are. It names no extended key usage: validators disagree on which one seals may have.
 */
export const newSealCertificate = (
  authority: Certified,
  publicUrl: string,
  clock: Clock,
  random: Random,
): Certified => {
  const key = newKey();
  const publicKey = publicKeyOf(key);
  const content = {
    serialNumber: serialFrom(random),
    issuer: certificateFields(authority.certificate).subject.encoded,
    subject: nameOf("Rubrica Document Seal", ORGANIZATION),
    notBefore: clock.now() - BACKDATED_MS,
    notAfter: clock.now() + SEAL_VALIDITY_MS,
    publicKey,
    extensions: [
      extension.basicConstraints(null),
      extension.keyUsage(keyUsage.digitalSignature | keyUsage.nonRepudiation),
      extension.subjectKeyIdentifier(publicKey),
      extension.authorityKeyIdentifier(publicKeyOf(authority.key)),
      extension.crlDistributionPoint(`${publicUrl}/pki/ca.crl`),
      extension.authorityInformationAccess(`${publicUrl}/pki/ca.crt`),
    ],
  };
  return { key, certificate: new Uint8Array(certificateFrom(content, authority.key)) };
};

/** What an authority publishes. Its revocation list is signed anew daily and valid for two weeks. */
export const publishedBy = (authority: Certified, clock: Clock): CertificateAuthority => {
  let current: { at: number; crl: Uint8Array } | undefined;
  return {
    certificate: authority.certificate,
    crl: () => {
      const now = clock.now();
      if (current === undefined || now - current.at >= CRL_RENEWED_AFTER_MS) {
        current = { at: now, crl: newCrl(authority, now, now - BACKDATED_MS) };
      }
      return current.crl;
    },
    freshCrl: () => newCrl(authority, clock.now(), clock.now()),
  };
};

/** A revocation list (RFC 5280, 5). Its number is the second of its making, which only grows. */
const newCrl = (authority: Certified, now: number, thisUpdate: number): Uint8Array => {
  const number = Buffer.alloc(6);
  number.writeUIntBE(Math.floor(now / 1_000), 0, 6);
  const content = {
    issuer: certificateFields(authority.certificate).subject.encoded,
    thisUpdate,
    nextUpdate: now + CRL_VALIDITY_MS,
    extensions: [
      extension.authorityKeyIdentifier(publicKeyOf(authority.key)),
      extension.crlNumber(number),
      // Nothing is ever taken off it.
      extension.expiredCertificatesOnList(new X509Certificate(authority.certificate).validFromDate.getTime()),
    ],
  };
  return crlFrom(content, authority.key);
};

/** 128 random bits, positive and not to be guessed (RFC 5280, 4.1.2.2). */
const serialFrom = (random: Random): Uint8Array => {
  const bytes = random.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
};
