import { X509Certificate } from "node:crypto";
import { isWeak, signatureHolds } from "./algorithms.ts";
import { certificateFields, criticalExtensionsOf, extensionsOf } from "./certificate-fields.ts";
import { childrenOf, type Element, instantOf, NotDer, readDer, tag } from "./der.ts";
import { oid } from "./oids.ts";
import { maySignLists } from "./profile.ts";

/** A revocation list (RFC 5280, 5.1), as far as it matters here. */
export interface RevocationList {
  /** Milliseconds since the UNIX epoch. */
  thisUpdate: number;
  nextUpdate: number | null;
  /** DER of the serial numbers of revoked certificates, and since when they are. */
  revoked: readonly { serialNumber: Uint8Array; date: Element | undefined }[];
  /** Extensions that must be understood, by their types. */
  critical: readonly string[];
  /** Whether it tells of other issuers' certificates, too, or of changes to another list alone. */
  isPartial: boolean;
  /** What the list is for, when that is not all of the issuer's certificates (5.2.5). */
  scope: Uint8Array | null;
  /** Certificates that ended since are listed as well (ITU-T X.509, 9.5.2.8); null: what it lists is not said of ended ones. */
  endedSince: number | null;
  /** Whether it is signed over SHA-1. */
  isWeak: boolean;
}

/** Reads a revocation list. Throws `NotDer`. */
export const readRevocationList = (crl: Uint8Array): RevocationList => {
  const [content, algorithm] = childrenOf(readDer(crl));
  if (content === undefined || algorithm === undefined) throw new NotDer("a revocation list is broken");
  const fields = childrenOf(content);
  const isTime = (field: Element | undefined) => field?.tag === tag.utcTime || field?.tag === tag.generalizedTime;
  const start = fields.findIndex(isTime);
  const [thisUpdate, second, ...others] = fields.slice(start < 0 ? fields.length : start);
  const rest = isTime(second) ? others : [...(second === undefined ? [] : [second]), ...others];
  const entries = rest[0]?.tag === tag.sequence ? childrenOf(rest[0]) : [];
  const [extensions] = rest.filter((field) => field.tag === tag.constructed(0)).flatMap(childrenOf);
  const values = extensionsOf(extensions);
  const scope = values.get(oid.issuingDistributionPoint) ?? null;
  const endedSince = values.get(oid.expiredCertificatesOnList);
  return {
    thisUpdate: instantOf(thisUpdate),
    nextUpdate: isTime(second) ? instantOf(second) : null,
    revoked: entries.flatMap((entry) => {
      const [serialNumber, date] = childrenOf(entry);
      return serialNumber === undefined ? [] : [{ serialNumber: serialNumber.encoded, date }];
    }),
    critical: criticalExtensionsOf(extensions),
    scope,
    isPartial: values.has(oid.deltaListIndicator) || isIndirect(scope),
    endedSince: endedSince === undefined ? null : instantOf(readDer(endedSince)),
    isWeak: isWeak(algorithm),
  };
};

/** Whether a revocation list is signed by an issuer, who may sign such. */
export const crlHolds = (crl: Uint8Array, issuer: Uint8Array): boolean => {
  try {
    const [content, algorithm, signature] = childrenOf(readDer(crl));
    if (content === undefined || algorithm === undefined || signature?.tag !== tag.bitString) return false;
    if (!maySignLists(issuer)) return false;
    // Two authorities may have one key.
    const named = childrenOf(content).find(({ encoded }) => same(encoded, certificateFields(issuer).subject.encoded));
    if (named === undefined) return false;
    const key = new X509Certificate(issuer).publicKey;
    return signatureHolds(algorithm, null, key, content.encoded, signature.content.subarray(1));
  } catch {
    return false;
  }
};

/** Whether a list revokes a certificate of its issuer. */
export const isRevokedBy = (list: RevocationList, certificate: Uint8Array): boolean =>
  entryOf(list, certificate) !== undefined;

/** Since when a list revokes a certificate of its issuer, in milliseconds; null when it does not. Throws `NotDer`. */
export const revokedSince = (list: RevocationList, certificate: Uint8Array): number | null => {
  const entry = entryOf(list, certificate);
  if (entry === undefined) return null;
  try {
    return instantOf(entry.date);
  } catch {
    // Since when can't be told, but it is.
    return 0;
  }
};

const entryOf = (
  { revoked, isPartial }: RevocationList,
  certificate: Uint8Array,
): RevocationList["revoked"][number] | undefined => {
  // An entry may be of another issuer's certificate, or take back what it said.
  if (isPartial) return undefined;
  const serial = Buffer.from(certificateFields(certificate).serialNumber.encoded);
  return revoked.find(({ serialNumber }) => serial.equals(serialNumber));
};

/**
 * Whether a list, being silent about a certificate, says that it is not revoked: it is whole, for certificates of this
 * kind, ended ones too where it has, for all reasons, of its own issuer's certificates alone, and for where the certificate says (RFC 5280, 6.3.3).
 */
export const coversCertificate = (
  { critical, scope, isPartial, thisUpdate, endedSince }: RevocationList,
  certificate: Uint8Array,
): boolean => {
  // Authorities take certificates off their lists that have ended.
  const end = new X509Certificate(certificate).validToDate.getTime();
  if (thisUpdate > end && (endedSince === null || endedSince > end)) return false;
  if (critical.some((type) => type !== oid.issuingDistributionPoint)) return false;
  const fields = scope === null ? [] : childrenOf(readDer(scope));
  const isAuthority = new X509Certificate(certificate).ca;
  const excludes = fields.some(({ tag: field, content }) => {
    const flag = content[0] !== 0;
    if (field === tag.primitive(1)) return flag && isAuthority;
    if (field === tag.primitive(2)) return flag && !isAuthority;
    // Only some reasons, lists of other issuers too, only attribute certificates.
    return field === tag.primitive(3) || ((field === tag.primitive(4) || field === tag.primitive(5)) && flag);
  });
  if (excludes || isPartial) return false;
  const place = fields.find(({ tag: field }) => field === tag.constructed(0));
  if (place === undefined) return true;
  const own = certificateFields(certificate).extensions.get(oid.crlDistributionPoints);
  const places = own === undefined ? [] : childrenOf(readDer(own)).flatMap((one) => namesOfPoint(childrenOf(one)[0]));
  return namesOfPoint(place).some((name) => places.some((other) => same(name, other)));
};

/** Whether a list tells of other issuers' certificates as well. */
const isIndirect = (scope: Uint8Array | null): boolean =>
  scope !== null &&
  childrenOf(readDer(scope)).some(({ tag: field, content }) => field === tag.primitive(4) && content[0] !== 0);

/** The full names of a DistributionPointName within its tag, in DER; none where it is told otherwise. */
const namesOfPoint = (point: Element | undefined): Uint8Array[] => {
  const [name] = point?.tag === tag.constructed(0) ? childrenOf(point) : [];
  return name?.tag === tag.constructed(0) ? childrenOf(name).map(({ encoded }) => encoded) : [];
};

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
