import { createHash, X509Certificate } from "node:crypto";
import { digestOf, inOneForm, signatureHolds, UnknownAlgorithm } from "./algorithms.ts";
import { certificateFields, criticalExtensionsOf, extensionsOf } from "./certificate-fields.ts";
import { isCanonicalSignature, isIssuedBy } from "./chain.ts";
import {
  assertDer,
  bitString,
  childrenOf,
  der,
  dottedOf,
  type Element,
  instantOf,
  NotDer,
  objectIdentifier,
  readDer,
  sequence,
  tag,
} from "./der.ts";
import { oid } from "./oids.ts";
import { mayBeUsed } from "./profile.ts";

/** What a responder says of one certificate (RFC 6960, 4.2.1). */
export interface CertificateStatus {
  /** CertID: whom it is about. */
  id: Element;
  status: "good" | "revoked" | "unknown";
  /** Since when, where it is revoked; milliseconds since the UNIX epoch. */
  revokedAt: number | null;
  /** Milliseconds since the UNIX epoch. */
  thisUpdate: number;
  /** Null: newer answers are to be had at any time. */
  nextUpdate: number | null;
  /** Of certificates that ended since it is told, too (4.4.4); null: of ended ones it may not be known any more. */
  archiveCutoff: number | null;
}

/** A successful OCSP response of the basic type. */
export interface OcspResponse {
  /** ResponseData in DER: what is signed. */
  signed: Uint8Array;
  algorithm: Element;
  signature: Uint8Array;
  /** DER; whoever has signed may be among them. */
  certificates: readonly Uint8Array[];
  /** ResponderID: the name, or SHA-1 of the key, of who signed. */
  responder: Element;
  statuses: readonly CertificateStatus[];
  nonce: Uint8Array | null;
}

/** A responder gave no status: it said so, or its response is of another form. */
export class NoOcspStatus extends Error {
  override name = "NoOcspStatus";
}

const SUCCESSFUL = 0;
/** OCSPResponseStatus by number (RFC 6960, 4.2.1). */
const refusals = ["", "malformed request", "internal error", "try later", "", "signature required", "unauthorized"];

const sequenceOf = (element: Element | undefined, what: string): Element[] => {
  if (element?.tag !== tag.sequence) throw new NotDer(`${what} is missing`);
  return childrenOf(element);
};

/**
 * An OCSP request for one certificate (RFC 6960, 4.1.1).
 * @param nonce at most 32 bytes, which responders older than RFC 9654 take too; null for none
 */
export const ocspRequest = (certificate: Uint8Array, issuer: Uint8Array, nonce: Uint8Array | null): Buffer => {
  const list = sequence(sequence(certificateId(certificate, issuer)));
  if (nonce === null) return sequence(sequence(list));
  const extension = sequence(objectIdentifier(oid.ocspNonce), der(tag.octetString, der(tag.octetString, nonce)));
  return sequence(sequence(list, der(tag.constructed(2), sequence(extension))));
};

/**
 * CertID with SHA-1: responders built to RFC 5019 know no other, though RFC 9919, its heir, recommends SHA-256. The
 * hashes only name an issuer that is known already; nothing rests on their strength.
 */
const certificateId = (certificate: Uint8Array, issuer: Uint8Array): Buffer => {
  const { nameHash, keyHash, serialNumber } = idOf(certificate, issuer, "sha1");
  const hashes = [nameHash, keyHash].map((hash) => der(tag.octetString, hash));
  return sequence(sequence(objectIdentifier(oid.sha1), der(tag.null)), ...hashes, serialNumber);
};

const idOf = (certificate: Uint8Array, issuer: Uint8Array, algorithm: string) => {
  const fields = certificateFields(certificate);
  return {
    nameHash: createHash(algorithm).update(fields.issuer.encoded).digest(),
    keyHash: keyHashOf(issuer, algorithm),
    serialNumber: fields.serialNumber.encoded,
  };
};

/** The hash of a certificate's key: of the BIT STRING's octets alone (RFC 6960, 4.1.1 and 4.2.1). */
const keyHashOf = (certificate: Uint8Array, algorithm: string): Buffer => {
  const [, key] = childrenOf(certificateFields(certificate).publicKey);
  if (key?.tag !== tag.bitString) throw new NotDer("a certificate has no key");
  return createHash(algorithm).update(key.content.subarray(1)).digest();
};

/** Reads an OCSP response. Throws {@link NoOcspStatus} when it has none, and `NotDer`. */
export const readOcspResponse = (bytes: Uint8Array): OcspResponse => {
  const [status, wrapped] = sequenceOf(readDer(bytes), "a response");
  const [code = -1] = status?.tag === tag.enumerated && status.content.length === 1 ? status.content : [];
  if (code !== SUCCESSFUL) throw new NoOcspStatus(`the responder refused (${refusals[code] || "unknown status"})`);
  const [inner] = wrapped?.tag === tag.constructed(0) ? childrenOf(wrapped) : [];
  const [type, octets] = sequenceOf(inner, "what it answers");
  if (type === undefined || dottedOf(type) !== oid.basicOcspResponse || octets?.tag !== tag.octetString) {
    throw new NoOcspStatus("the response is of another form");
  }
  const [data, algorithm, signature, certificates] = sequenceOf(readDer(octets.content), "a basic response");
  if (data === undefined || algorithm === undefined || signature?.tag !== tag.bitString) {
    throw new NotDer("a response is not signed");
  }
  assertDer(data);
  return {
    ...readResponseData(data),
    algorithm,
    signature: signature.content.subarray(1),
    certificates: certificatesIn(certificates),
  };
};

const certificatesIn = (wrapped: Element | undefined): Uint8Array[] => {
  const [list] = wrapped?.tag === tag.constructed(0) ? childrenOf(wrapped) : [];
  return list === undefined ? [] : childrenOf(list).map(({ encoded }) => encoded);
};

const readResponseData = (data: Element): Pick<OcspResponse, "signed" | "responder" | "statuses" | "nonce"> => {
  const fields = sequenceOf(data, "response data");
  // The version, tagged [0], is left out where it is the first.
  const [responder, producedAt, list, wrapped] = fields.slice(fields[0]?.tag === tag.constructed(0) ? 1 : 0);
  if (responder === undefined || producedAt?.tag !== tag.generalizedTime) throw new NotDer("it names no responder");
  const [extensions] = wrapped?.tag === tag.constructed(1) ? childrenOf(wrapped) : [];
  const values = extensionsOf(extensions);
  assertUnderstood(extensions);
  const nonce = values.get(oid.ocspNonce);
  return {
    signed: data.encoded,
    responder,
    statuses: sequenceOf(list, "a list of answers").map(readStatus),
    nonce: nonce === undefined ? null : readDer(nonce).content,
  };
};

const readStatus = (single: Element): CertificateStatus => {
  const [id, status, thisUpdate, ...rest] = sequenceOf(single, "an answer");
  if (id === undefined || status === undefined) throw new NotDer("an answer is about nothing");
  const [nextUpdate] = rest.filter((field) => field.tag === tag.constructed(0)).flatMap(childrenOf);
  const [extensions] = rest.filter((field) => field.tag === tag.constructed(1)).flatMap(childrenOf);
  assertUnderstood(extensions);
  const cutoff = extensionsOf(extensions).get(oid.ocspArchiveCutoff);
  return {
    id,
    status: statusOf(status),
    revokedAt: status.tag === tag.constructed(1) ? instantOf(childrenOf(status)[0]) : null,
    thisUpdate: instantOf(thisUpdate),
    nextUpdate: nextUpdate === undefined ? null : instantOf(nextUpdate),
    archiveCutoff: cutoff === undefined ? null : instantOf(readDer(cutoff)),
  };
};

const statusOf = (element: Element): CertificateStatus["status"] => {
  if (element.tag === tag.primitive(0) && element.content.length === 0) return "good";
  if (element.tag === tag.constructed(1)) return "revoked";
  if (element.tag === tag.primitive(2)) return "unknown";
  throw new NotDer("an answer has no status");
};

/** An extension that must be understood, and is not, makes an answer worthless (RFC 6960, 4.4). */
const assertUnderstood = (extensions: Element | undefined): void => {
  if (criticalExtensionsOf(extensions).some((type) => type !== oid.ocspNonce)) {
    throw new NoOcspStatus("the response has an unknown critical extension");
  }
};

/** Whether an answer is about a certificate of an issuer, by whichever hash it names them. */
export const isAbout = ({ id }: CertificateStatus, certificate: Uint8Array, issuer: Uint8Array): boolean => {
  const [algorithm, ...named] = childrenOf(id);
  if (algorithm === undefined) return false;
  const { nameHash, keyHash, serialNumber } = idOf(certificate, issuer, digestOf(algorithm));
  const expected = [der(tag.octetString, nameHash), der(tag.octetString, keyHash), serialNumber];
  return expected.length === named.length && expected.every((part, index) => same(part, named[index]?.encoded));
};

const same = (one: Uint8Array, other: Uint8Array | undefined): boolean =>
  other !== undefined && Buffer.compare(one, other) === 0;

/**
 * Who signed a response, and may: the issuer itself, or a certificate within the response that the issuer gave for
 * OCSP and that is valid at a time (RFC 6960, 4.2.2.2). Null when there is none.
 *
 * @param at milliseconds since the UNIX epoch
 */
export const authorizedResponder = (response: OcspResponse, issuer: Uint8Array, at: number): Uint8Array | null => {
  if (isSignedBy(response, issuer)) return issuer;
  const isDelegated = (candidate: Uint8Array) =>
    isForOcspAt(candidate, at) && isIssuedBy(candidate, issuer) && mayBeUsed([candidate, issuer], "ocsp");
  return response.certificates.find((each) => isSignedBy(response, each) && isDelegated(each)) ?? null;
};

const isForOcspAt = (certificate: Uint8Array, at: number): boolean => {
  const { validFromDate, validToDate, keyUsage } = new X509Certificate(certificate);
  return validFromDate.getTime() <= at && at <= validToDate.getTime() && keyUsage?.includes(oid.ocspSigning) === true;
};

/** Whether a response names a certificate as its responder's, and is signed by its key. */
const isSignedBy = ({ responder, algorithm, signed, signature }: OcspResponse, certificate: Uint8Array): boolean => {
  const [named] = childrenOf(responder);
  const byKey = responder.tag === tag.constructed(2);
  const expected = byKey
    ? der(tag.octetString, keyHashOf(certificate, "sha1"))
    : certificateFields(certificate).subject.encoded;
  if (!same(expected, named?.encoded)) return false;
  return signatureHolds(algorithm, null, new X509Certificate(certificate).publicKey, signed, signature);
};

/** Whether the issuer vouches for a responder as long as its certificate is valid (RFC 6960, 4.2.2.2.1). */
export const needsNoCheck = (responder: Uint8Array): boolean =>
  certificateFields(responder).extensions.has(oid.ocspNoCheck);

/**
 * The one encoding of a response, with no certificates but its responder's: what else comes along is not signed, so
 * nothing vouches for it. Throws {@link UnknownAlgorithm} where its signature's algorithm has no one form.
 *
 * @param delegated the responder's certificate, or null when it is the issuer's
 */
export const encodeOcspResponse = (
  { signed, algorithm, signature }: Pick<OcspResponse, "signed" | "algorithm" | "signature">,
  delegated: Uint8Array | null,
): Buffer => {
  const certificates = delegated === null ? Buffer.alloc(0) : der(tag.constructed(0), sequence(delegated));
  const form = inOneForm(algorithm);
  if (form === null) throw new UnknownAlgorithm("its signature has parameters of a rare form");
  const basic = sequence(signed, form, bitString(signature), certificates);
  const bytes = sequence(objectIdentifier(oid.basicOcspResponse), der(tag.octetString, basic));
  return sequence(der(tag.enumerated, Buffer.from([SUCCESSFUL])), der(tag.constructed(0), bytes));
};

/**
 * Whether a response has its one encoding and is signed by one of some certificates, which leaves none of its bits
 * free. Whether that one may sign it is not judged.
 */
export const isVouchedFor = (bytes: Uint8Array, certificates: readonly Uint8Array[]): boolean => {
  const response = readOcspResponse(bytes);
  const [delegated = null] = response.certificates;
  const signer = certificates.find((certificate) => isSignedBy(response, certificate));
  if (signer === undefined || (delegated !== null && !same(delegated, signer))) return false;
  return (
    isCanonicalSignature(response.algorithm, response.signature) && same(encodeOcspResponse(response, delegated), bytes)
  );
};
