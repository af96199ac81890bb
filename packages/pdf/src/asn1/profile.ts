import { X509Certificate } from "node:crypto";
import { keyUsage } from "./certificate.ts";
import { certificateFields } from "./certificate-fields.ts";
import { childrenOf, dottedOf, type Element, readDer, tag } from "./der.ts";
import { oid } from "./oids.ts";

/**
 * What certificates may be used for, by what they say of themselves and by what those above them allow (RFC 5280, 4.2 and
 * 6.1). Whether one has ended or was revoked is judged elsewhere.
 */

/** What the first certificate of a chain was used for; `any`: that is judged elsewhere, or nothing yet. */
export type Use = "signature" | "timestamp" | "any";

/** Uses that no signature upon a document is: a certificate that names these alone is not for it. */
const OTHER_USES: readonly string[] = [oid.serverAuthentication, oid.codeSigning, oid.timeStamping, oid.ocspSigning];
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
  oid.privateKeyUsagePeriod,
  oid.crlDistributionPoints,
  oid.authorityInformationAccess,
  oid.qualifiedStatements,
  oid.ocspNoCheck,
];
/** Shorter keys were given up by 2014 (NIST SP 800-131A). */
const LEAST_BITS: Readonly<Record<string, number>> = { rsa: 2_048, "rsa-pss": 2_048, dsa: 2_048 };

/** What of a certificate matters here. */
interface Profile {
  isAuthority: boolean;
  /** The bits of its key usage; null where it does not say. */
  keyUsage: number | null;
  /** What it is for; null where it does not say. */
  uses: readonly string[] | null;
  /** How many authorities may stand between it and the first certificate of a chain; null: any number. */
  pathLength: number | null;
  /** Whether all that must be understood is, and its key is of a length that is worth something. */
  isSound: boolean;
  isSelfIssued: boolean;
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
  const { extensions, critical, issuer, subject } = certificateFields(certificate);
  const extensionOf = (type: string): Element | null => {
    const value = extensions.get(type);
    return value === undefined ? null : readDer(value);
  };
  const [usage, uses, basic] = [oid.keyUsage, oid.extendedKeyUsage, oid.basicConstraints].map(extensionOf);
  const pathLength = basic && childrenOf(basic).find((field) => field.tag === tag.integer);
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? Number.POSITIVE_INFINITY;
  return {
    isAuthority: ca,
    keyUsage: usage ? (usage.content[1] ?? 0) : null,
    uses: uses ? childrenOf(uses).map(dottedOf) : null,
    pathLength: pathLength ? Number.parseInt(Buffer.from(pathLength.content).toString("hex"), 16) : null,
    isSound:
      critical.every((type) => UNDERSTOOD.includes(type)) &&
      bits >= (LEAST_BITS[publicKey.asymmetricKeyType ?? ""] ?? 0),
    isSelfIssued: same(issuer.encoded, subject.encoded),
    constraints: extensions.get(oid.nameConstraints),
    certificate,
  };
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
  if (own === undefined || !own.isSound || !isFor(own, use)) return false;
  if (use !== "any" && !allows(own, keyUsage.digitalSignature | keyUsage.nonRepudiation)) return false;
  return issuers.every((issuer, index) => {
    const below = [own, ...issuers.slice(0, index)];
    const between = below.slice(1).filter(({ isSelfIssued }) => !isSelfIssued).length;
    return (
      issuer.isSound &&
      allows(issuer, keyUsage.keyCertSign) &&
      isFor(issuer, use) &&
      (issuer.pathLength === null || between <= issuer.pathLength) &&
      below.every(({ certificate }) => isNamedWithin(issuer.constraints, certificate))
    );
  });
};

const allows = ({ keyUsage: usage }: Profile, bits: number): boolean => usage === null || (usage & bits) !== 0;

/** An authority that names uses gives certificates for these alone. */
const isFor = ({ uses }: Profile, use: Use): boolean => {
  if (uses === null || use === "any" || uses.includes(oid.anyExtendedKeyUsage)) return true;
  if (use === "timestamp") return uses.includes(oid.timeStamping);
  return uses.some((each) => !OTHER_USES.includes(each));
};

const [DIRECTORY_NAME, PERMITTED, EXCLUDED] = [tag.constructed(4), tag.constructed(0), tag.constructed(1)];

/**
 * Whether a certificate has such names alone as one above it allows (RFC 5280, 4.2.1.10). Of names in a directory that is
 * told; a name of another kind is in no limits of its kind.
 */
const isNamedWithin = (constraints: Uint8Array | undefined, certificate: Uint8Array): boolean => {
  if (constraints === undefined) return true;
  const { subject, extensions } = certificateFields(certificate);
  const alternatives = extensions.get(oid.subjectAlternativeName);
  const others = alternatives === undefined ? [] : childrenOf(readDer(alternatives));
  const names = [{ kind: DIRECTORY_NAME, parts: partsOf(subject) }, ...others.map(nameOf)];
  const trees = childrenOf(readDer(constraints));
  const basesOf = (kind: number) =>
    trees
      .filter((tree) => tree.tag === kind)
      .flatMap((tree) => childrenOf(tree).flatMap((one) => childrenOf(one).slice(0, 1)));
  const [permitted, excluded] = [basesOf(PERMITTED).map(nameOf), basesOf(EXCLUDED).map(nameOf)];
  const isOneOf = (bases: readonly Named[], { kind, parts }: Named) =>
    bases.some((base) => base.kind === kind && base.parts.every((part, index) => part === parts[index]));
  return names.every((name) => {
    if (name.kind === DIRECTORY_NAME && name.parts.length === 0) return true;
    const isLimited = permitted.some(({ kind }) => kind === name.kind);
    if (name.kind !== DIRECTORY_NAME) return !isLimited && !excluded.some(({ kind }) => kind === name.kind);
    return !isOneOf(excluded, name) && (!isLimited || isOneOf(permitted, name));
  });
};

interface Named {
  kind: number;
  /** Of a name in a directory, from the outermost. */
  parts: readonly string[];
}

const nameOf = (name: Element): Named => {
  const [directory] = name.tag === DIRECTORY_NAME ? childrenOf(name) : [];
  return { kind: name.tag, parts: directory === undefined ? [] : partsOf(directory) };
};

/** Parts of a name in a directory, so that those that count as the same are (RFC 5280, 7.1, as far as names have it). */
const partsOf = (name: Element): string[] =>
  childrenOf(name).map((part) =>
    childrenOf(part)
      .map((attribute) => {
        const [type, value] = childrenOf(attribute);
        const text = value === undefined ? "" : Buffer.from(value.content).toString("utf8");
        return `${type === undefined ? "" : dottedOf(type)}=${text.trim().replace(/\s+/g, " ").toLowerCase()}`;
      })
      .toSorted()
      .join("+"),
  );

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
