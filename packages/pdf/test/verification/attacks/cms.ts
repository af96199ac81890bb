import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { lastSignature } from "@rubrica/test-kit/pdf/update";
import { certificateFrom, extension, keyUsage, nameOf, publicKeyOf } from "../../../src/asn1/certificate.ts";
import { certificateFields, issuerAndSerialOf } from "../../../src/asn1/certificate-fields.ts";
import { der, objectIdentifier, readDer, sequence, setOf, smallInteger, tag } from "../../../src/asn1/der.ts";
import { oid } from "../../../src/asn1/oids.ts";

/** A key with its certificate (DER). */
export interface Signer {
  key: KeyObject;
  certificate: Uint8Array;
}

/** What a CMS says that an attacker makes; all else of it is right. */
export interface Forgery {
  signer: Signer;
  /** Certificates that come along; the signer's when they are not given. */
  certificates?: readonly Uint8Array[];
  digest?: "sha256" | "sha1" | "md5";
  /** The certificate that the signed attributes name, or null for none; the signer's when it is not given. */
  named?: Uint8Array | null;
  /** What is signed, when it stands within, and its type. */
  content?: { type: string; bytes: Uint8Array };
  /** A timestamp beside the signature. */
  token?: (signature: Uint8Array) => Uint8Array;
}

const digestIdentifiers = { sha256: oid.sha256, sha1: "1.3.14.3.2.26", md5: "1.2.840.113549.2.5" };
const rsaEncryption = "1.2.840.113549.1.1.1";
const null_ = der(tag.null);

const hash = (algorithm: string, data: Uint8Array): Buffer => createHash(algorithm).update(data).digest();
const attribute = (type: string, value: Uint8Array): Buffer => sequence(objectIdentifier(type), der(tag.set, value));

/** A CMS over bytes, by an RSA key. */
export const forgedCms = (signed: Uint8Array, forgery: Forgery): Buffer => {
  const { signer, certificates = [signer.certificate], digest = "sha256", named = signer.certificate, token } = forgery;
  const type = forgery.content?.type ?? oid.data;
  const identifier = sequence(objectIdentifier(digestIdentifiers[digest]), null_);
  const attributes = setOf(
    attribute(oid.contentType, objectIdentifier(type)),
    attribute(oid.messageDigest, der(tag.octetString, hash(digest, forgery.content?.bytes ?? signed))),
    ...(named === null
      ? []
      : [
          attribute(
            oid.signingCertificateV2,
            sequence(sequence(sequence(der(tag.octetString, hash("sha256", named))))),
          ),
        ]),
  );
  const signature = sign(digest, attributes, signer.key);
  const unsigned = token
    ? der(tag.constructed(1), attribute(oid.signatureTimeStamp, token(signature)))
    : Buffer.alloc(0);
  const signerInfo = sequence(
    smallInteger(1),
    issuerAndSerialOf(signer.certificate),
    identifier,
    der(tag.constructed(0), readDer(attributes).content),
    sequence(objectIdentifier(rsaEncryption), null_),
    der(tag.octetString, signature),
    unsigned,
  );
  const within = forgery.content
    ? der(tag.constructed(0), der(tag.octetString, forgery.content.bytes))
    : Buffer.alloc(0);
  const signedData = sequence(
    smallInteger(type === oid.data ? 1 : 3),
    setOf(identifier),
    sequence(objectIdentifier(type), within),
    der(tag.constructed(0), ...certificates),
    setOf(signerInfo),
  );
  return sequence(objectIdentifier(oid.signedData), der(tag.constructed(0), signedData));
};

/** A timestamp token (RFC 3161) over bytes. */
export const forgedToken = (over: Uint8Array, signer: Signer, time = "20260101000000Z"): Buffer => {
  const imprint = sequence(sequence(objectIdentifier(oid.sha256), null_), der(tag.octetString, hash("sha256", over)));
  const at = der(tag.generalizedTime, Buffer.from(time));
  const bytes = sequence(smallInteger(1), objectIdentifier("1.2.3.4"), imprint, smallInteger(1), at);
  return forgedCms(over, { signer, content: { type: oid.tstInfo, bytes } });
};

/** Puts another CMS into the last signature of a file, made over the very bytes that it covers. */
export const withCms = (file: Uint8Array, make: (signed: Buffer) => Uint8Array): Buffer => {
  const { gapStart, gapEnd } = lastSignature(file);
  const signed = Buffer.concat([file.subarray(0, gapStart), file.subarray(gapEnd)]);
  const digits = gapEnd - gapStart - 2;
  const hex = Buffer.from(make(signed)).toString("hex");
  if (hex.length > digits) throw new Error("the forged signature is too long for its place");
  const copy = Buffer.from(file);
  copy.write(hex.padEnd(digits, "0"), gapStart + 1, "latin1");
  return copy;
};

/** What a forged certificate says; all else is as in the one that it imitates. */
export interface Imitation {
  notBefore?: number;
  notAfter?: number;
  purpose?: "timestamps";
}

/** A certificate with issuer, serial number, subject and key identifiers of another, but for another's RSA key. */
export const imitated = (original: Uint8Array, { notBefore, notAfter, purpose }: Imitation = {}): Signer => {
  const { issuer, subject, serialNumber, extensions } = certificateFields(original);
  const { privateKey: key } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { privateKey: issuerKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const copied = [oid.subjectKeyIdentifier, oid.authorityKeyIdentifier].flatMap((type) => {
    const value = extensions.get(type);
    return value === undefined ? [] : [sequence(objectIdentifier(type), der(tag.octetString, value))];
  });
  const purposes = sequence(
    objectIdentifier(oid.extendedKeyUsage),
    der(tag.octetString, sequence(objectIdentifier(oid.timeStamping))),
  );
  const content = {
    serialNumber: serialNumber.content,
    issuer: issuer.encoded,
    subject: subject.encoded,
    notBefore: notBefore ?? Date.UTC(2020, 0, 1),
    notAfter: notAfter ?? Date.UTC(2040, 0, 1),
    publicKey: publicKeyOf(key),
    extensions: [extension.keyUsage(keyUsage.digitalSignature), ...copied, ...(purpose ? [purposes] : [])],
  };
  return { key, certificate: certificateFrom(content, issuerKey) };
};

/** A certificate of an RSA key by an authority whose key is known to nobody. */
export const stranger = (imitation: Imitation = {}): Signer => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = nameOf("Somebody", "Elsewhere");
  const content = {
    serialNumber: Buffer.from([1]),
    issuer: name,
    subject: name,
    notBefore: 0,
    notAfter: Date.UTC(2040, 0, 1),
    publicKey: publicKeyOf(privateKey),
    extensions: [],
  };
  return imitated(certificateFrom(content, privateKey), imitation);
};
