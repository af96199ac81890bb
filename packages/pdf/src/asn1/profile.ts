import { type KeyObject, X509Certificate } from "node:crypto";
import { isWeak } from "./algorithms.ts";
import { keyUsage } from "./certificate.ts";
import { certificateFields } from "./certificate-fields.ts";
import { childrenOf, dottedOf, type Element, readDer, tag } from "./der.ts";
import { isNamedWithin } from "./name-constraints.ts";
import { oid } from "./oids.ts";

/**
 * What certificates may be used for, by what they say of themselves and by what those above them allow (RFC 5280, 4.2 and
 * 6.1). Whether one has ended or was revoked is judged elsewhere.
 */

/** What the first certificate of a chain was used for; `any`: that is judged elsewhere, or nothing yet. */
export type Use = "signature" | "timestamp" | "ocsp" | "any";

/** Uses of which one has to be named, where any is. */
const USES: Readonly<Record<Exclude<Use, "any">, readonly string[]>> = {
  signature: [oid.documentSigning, oid.emailProtection, oid.microsoftDocumentSigning, oid.adobeAuthenticDocuments],
  timestamp: [oid.timeStamping],
  ocsp: [oid.ocspSigning],
};
/** Extensions that are heeded here, or change nothing that is asked here, where they must be understood. */
const UNDERSTOOD: readonly string[] = [
  oid.basicConstraints,
  oid.keyUsage,
  oid.extendedKeyUsage,
  oid.nameConstraints,
  oid.subjectKeyIdentifier,
  oid.authorityKeyIdentifier,
  oid.subjectAlternativeName,
  oid.issuerAlternativeName,
  oid.certificatePolicies,
  oid.policyMappings,
  oid.policyConstraints,
  oid.inhibitAnyPolicy,
  oid.crlDistributionPoints,
  oid.authorityInformationAccess,
  oid.qualifiedStatements,
  oid.ocspNoCheck,
];
/** Shorter keys were given up by 2014 (NIST SP 800-131A). */
const LEAST_BITS = 2_048;
const CURVES: readonly (string | undefined)[] = [
  ...["prime256v1", "secp384r1", "secp521r1", "secp256k1"],
  ...["256", "320", "384", "512"].flatMap((bits) => [`brainpoolP${bits}r1`, `brainpoolP${bits}t1`]),
];

/** What of a certificate matters here. */
interface Profile {
  isAuthority: boolean;
  /** The bits of its key usage; null where it does not say. */
  keyUsage: number | null;
  /** What it is for; null where it does not say. */
  uses: readonly string[] | null;
  /** How many authorities may stand between it and the first certificate of a chain; null: any number. */
  pathLength: number | null;
  /** Whether all that must be understood is, its key is worth something, and it says whose it is. */
  isSound: boolean;
  isSelfIssued: boolean;
  /** Whether it is signed over a digest of which two files can be made. */
  isWeaklySigned: boolean;
  /** Whether its uses have to be understood. */
  areUsesCritical: boolean;
  constraints: Uint8Array | undefined;
  certificate: Uint8Array;
}

const known = new WeakMap<Uint8Array, Profile>();

const profileOf = (certificate: Uint8Array): Profile => {
  const profile = known.get(certificate) ?? read(certificate);
  known.set(certificate, profile);
  return profile;
};

const read = (certificate: Uint8Array): Profile => {
  const { ca, publicKey } = new X509Certificate(certificate);
  const { extensions, critical, issuer, subject, publicKey: given } = certificateFields(certificate);
  const extensionOf = (type: string): Element | null => {
    const value = extensions.get(type);
    return value === undefined ? null : readDer(value);
  };
  const [usage, uses, basic] = [oid.keyUsage, oid.extendedKeyUsage, oid.basicConstraints].map(extensionOf);
  const pathLength = basic && childrenOf(basic).find((field) => field.tag === tag.integer);
  const [, algorithm] = childrenOf(readDer(certificate));
  return {
    isAuthority: ca,
    keyUsage: usage ? (usage.content[1] ?? 0) : null,
    uses: uses ? childrenOf(uses).map(dottedOf) : null,
    pathLength: pathLength ? Number.parseInt(Buffer.from(pathLength.content).toString("hex"), 16) : null,
    isSound:
      critical.every((type) => UNDERSTOOD.includes(type)) &&
      isSoundKey(publicKey, given) &&
      (subject.content.length > 0 || extensions.has(oid.subjectAlternativeName)),
    isWeaklySigned: algorithm === undefined || isWeak(algorithm),
    areUsesCritical: critical.includes(oid.extendedKeyUsage),
    isSelfIssued: same(issuer.encoded, subject.encoded),
    constraints: extensions.get(oid.nameConstraints),
    certificate,
  };
};

/** @param given its SubjectPublicKeyInfo: a curve has to be told by its name, since one of the same points may be another one */
const isSoundKey = ({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject, given: Element): boolean => {
  if (type === "ed25519" || type === "ed448") return true;
  const [, curve] = childrenOf(given).slice(0, 1).flatMap(childrenOf);
  if (type === "ec") return CURVES.includes(details?.namedCurve) && curve?.tag === tag.objectIdentifier;
  const { modulusLength = 0, publicExponent = 0n } = details ?? {};
  if (type === "dsa") return modulusLength >= LEAST_BITS;
  return (type === "rsa" || type === "rsa-pss") && modulusLength >= LEAST_BITS && publicExponent > 1n;
};

/** Whether a list of revoked certificates may be signed with a certificate. */
export const maySignLists = (issuer: Uint8Array): boolean => allows(profileOf(issuer), keyUsage.cRLSign);

/**
 * Whether the certificates of a chain, from the one that was used to one that is trusted, may each do what they did. What
 * is trusted as it is and was used itself may do anything.
 */
export const mayBeUsed = (chain: readonly Uint8Array[], use: Use): boolean => {
  try {
    return chain.length === 1 || mayAllBeUsed(chain, use);
  } catch {
    // What can't be read allows nothing.
    return false;
  }
};

const mayAllBeUsed = (chain: readonly Uint8Array[], use: Use): boolean => {
  const [own, ...issuers] = chain.map(profileOf);
  if (own === undefined || !own.isSound || [own, ...issuers.slice(0, -1)].some((each) => each.isWeaklySigned))
    return false;
  if (use !== "any" && !allows(own, keyUsage.digitalSignature | keyUsage.nonRepudiation)) return false;
  // RFC 3161, 2.3.
  if (use === "timestamp" && (own.isAuthority || !own.areUsesCritical)) return false;
  return (
    isFor([own, ...issuers], use) &&
    issuers.every((issuer, index) => {
      const below = [own, ...issuers.slice(0, index)];
      const between = below.slice(1).filter(({ isSelfIssued }) => !isSelfIssued).length;
      return (
        issuer.isSound &&
        allows(issuer, keyUsage.keyCertSign) &&
        (issuer.pathLength === null || between <= issuer.pathLength) &&
        // Those that an authority issued to itself are not limited, but for the last.
        below.every(
          ({ certificate, isSelfIssued }, place) =>
            issuer.constraints === undefined ||
            (isSelfIssued && place > 0) ||
            isNamedWithin(issuer.constraints, certificate),
        )
      );
    })
  );
};

const allows = ({ keyUsage: usage }: Profile, bits: number): boolean => usage === null || (usage & bits) !== 0;

/**
 * Whether a chain is for a use: an authority that names uses gives certificates for these alone, but for its own responder
 * (RFC 6960, 4.2.2.2). Who may vouch for what is signed, and says who they are to servers, may sign with that.
 */
const isFor = ([own, ...issuers]: readonly Profile[], use: Use): boolean => {
  if (use === "any" || own === undefined) return true;
  const asked = use === "ocsp" ? [own] : [own, ...issuers];
  const named = asked.flatMap(({ uses }) => (uses === null || uses.includes(oid.anyExtendedKeyUsage) ? [] : [uses]));
  const vouches = own.keyUsage !== null && (own.keyUsage & keyUsage.nonRepudiation) !== 0;
  const isClient = use === "signature" && vouches && own.uses?.includes(oid.serverAuthentication) !== true;
  const wanted = [...USES[use], ...(isClient ? [oid.clientAuthentication] : [])];
  return named.length === 0 || wanted.some((one) => named.every((uses) => uses.includes(one)));
};

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
