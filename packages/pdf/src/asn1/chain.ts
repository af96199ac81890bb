import { X509Certificate } from "node:crypto";
import { isTwoNumbers } from "./algorithms.ts";
import { certificateFields } from "./certificate-fields.ts";
import { assertDer, bitString, childrenOf, type Element, readDer, sequence, tag } from "./der.ts";
import { oid } from "./oids.ts";
import { mayBeUsed, type Use } from "./profile.ts";

/** The same certificates are asked about again and again while one file is checked. */
const parsed = new WeakMap<Uint8Array, X509Certificate>();
const issued = new WeakMap<Uint8Array, WeakMap<Uint8Array, boolean>>();

const parsedFrom = (certificate: Uint8Array): X509Certificate => {
  const known = parsed.get(certificate) ?? new X509Certificate(certificate);
  parsed.set(certificate, known);
  return known;
};

/** Whether one certificate was issued and signed by another. */
export const isIssuedBy = (certificate: Uint8Array, issuer: Uint8Array): boolean => {
  const byIssuer = issued.get(certificate) ?? new WeakMap<Uint8Array, boolean>();
  issued.set(certificate, byIssuer);
  const [one, other] = [parsedFrom(certificate), parsedFrom(issuer)];
  const known = byIssuer.get(issuer) ?? (one.checkIssued(other) && one.verify(other.publicKey));
  byIssuer.set(issuer, known);
  return known;
};

/** Certificates by their bytes: those of many signatures are mostly the same, and each is read and checked once. */
export class Certificates {
  readonly #known = new Map<string, Uint8Array>();

  /** The one copy of a certificate. */
  one = (certificate: Uint8Array): Uint8Array => {
    const key = Buffer.from(certificate.buffer, certificate.byteOffset, certificate.length).toString("latin1");
    const known = this.#known.get(key) ?? certificate;
    this.#known.set(key, known);
    return known;
  };

  /** What was read, with its certificates in their one copy. */
  within<Signed extends { signer: Uint8Array; certificates: readonly Uint8Array[] }>(signed: Signed): Signed {
    return { ...signed, signer: this.one(signed.signer), certificates: signed.certificates.map(this.one) };
  }
}

/** Whether a certificate is signed by its own key. */
export const isRoot = (certificate: Uint8Array): boolean => isIssuedBy(certificate, certificate);

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** A certificate, then its issuer, and so on, as far as they are at hand; each has signed the one before. */
export const chainOf = (certificate: Uint8Array, known: readonly Uint8Array[]): Uint8Array[] => {
  const chain = [certificate];
  for (;;) {
    const last = chain[chain.length - 1] ?? certificate;
    if (isRoot(last)) return chain;
    const issuer = known.find((candidate) => !chain.some((one) => same(one, candidate)) && isIssuedBy(last, candidate));
    if (issuer === undefined) return chain;
    chain.push(issuer);
  }
};

/** Cross-signed authorities have several issuers; so many ways are looked at. */
const [MAX_PATHS, MAX_LENGTH] = [64, 12];

/**
 * The ways from a certificate to one that is trusted, shortest steps first, each a chain as {@link chainOf} gives. There may be
 * several certificates of one authority, and anybody can add some that lead elsewhere.
 */
export const pathsTo = (
  certificate: Uint8Array,
  known: readonly Uint8Array[],
  anchors: readonly Uint8Array[],
): Uint8Array[][] => {
  const paths: Uint8Array[][] = [];
  const candidates = new Set([...anchors, ...known]);
  let left = MAX_PATHS * MAX_LENGTH;
  const walk = (path: readonly Uint8Array[], last: Uint8Array): void => {
    left -= 1;
    if (left <= 0 || paths.length >= MAX_PATHS) return;
    if (anchors.some((anchor) => same(anchor, last))) {
      paths.push([...path]);
      return;
    }
    if (path.length >= MAX_LENGTH || isRoot(last)) return;
    for (const candidate of candidates)
      if (!path.some((one) => same(one, candidate)) && isIssuedBy(last, candidate))
        walk([...path, candidate], candidate);
  };
  walk([certificate], certificate);
  return paths;
};

/** Whether a certificate may issue others: a root of the first version of X.509 can't say so. */
export const isAuthority = (certificate: Uint8Array): boolean => parsedFrom(certificate).ca || isRoot(certificate);

/**
 * Whether a certificate leads to one that is trusted, each above it is an authority's, and each may be used so: whoever was
 * issued any other certificate can't issue further ones.
 */
export const isTrusted = (
  certificate: Uint8Array,
  known: readonly Uint8Array[],
  anchors: readonly Uint8Array[],
  use: Use,
): boolean => pathsTo(certificate, known, anchors).some((path) => isFit(path, use));

/** Whether each certificate of a chain may do what it did: issue the one before, or be used. */
export const isFit = (path: readonly Uint8Array[], use: Use): boolean =>
  path.slice(1).every(isAuthority) && mayBeUsed(path, use);

/**
 * Whether the certificates that came with a signature are its signer's chain and nothing else, each in its one
 * encoding: then their issuers' signatures leave none of their bits free. A root vouches for itself; only
 * the signature upon a last certificate whose issuer is not at hand is not vouched for.
 *
 * @param known further certificates that issuers may be among
 */
export const isExactChain = (
  signer: Uint8Array,
  certificates: readonly Uint8Array[],
  known: readonly Uint8Array[] = [],
): boolean => {
  const chain = chainOf(signer, certificates);
  const top = chain.at(-1);
  if (top === undefined || chain.length !== certificates.length || !certificates.every(isCanonical)) return false;
  return known.some((issuer) => isIssuedBy(top, issuer)) || !claimsToBeRoot(top) || isRoot(top);
};

/** Whether a certificate says in any way that it is its own issuer's. */
const claimsToBeRoot = (certificate: Uint8Array): boolean => {
  const { issuer, subject, extensions } = certificateFields(certificate);
  const own = extensions.get(oid.subjectKeyIdentifier)?.subarray(2);
  const authority = extensions.get(oid.authorityKeyIdentifier);
  const namesItself =
    authority === undefined || (own !== undefined && Buffer.from(authority).includes(Buffer.from(own)));
  return namesItself || same(issuer.encoded, subject.encoded);
};

/**
 * Whether a certificate or a revocation list has its one encoding, around a signature of one form: what is
 * signed, the same algorithm that it names within, and the signature.
 */
export const isCanonical = (signed: Uint8Array): boolean => {
  const element = readDer(signed);
  assertDer(element);
  const [content, algorithm, signature] = childrenOf(element);
  if (content === undefined || algorithm === undefined || signature === undefined) return false;
  const rebuilt = sequence(content.encoded, algorithm.encoded, bitString(signature.content.subarray(1)));
  const named = childrenOf(content).some(({ encoded }) => same(encoded, algorithm.encoded));
  return named && same(rebuilt, signed) && isCanonicalSignature(algorithm, signature.content.subarray(1));
};

/**
 * Whether a signature has the one form that its algorithm demands. Of an algorithm that is not known, by what it looks like.
 * Throws `NotDer`.
 */
export const isCanonicalSignature = (algorithm: Element, signature: Uint8Array): boolean => {
  const looksLikeTwo = signature[0] === 0x30 && signature.length <= 150;
  if (!(isTwoNumbers(algorithm) ?? looksLikeTwo)) return true;
  const element = readDer(signature);
  assertDer(element);
  return element.tag === tag.sequence && childrenOf(element).length === 2;
};
