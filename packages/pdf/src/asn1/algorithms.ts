import { constants, type KeyObject, verify } from "node:crypto";
import {
  childrenOf,
  der,
  dottedOf,
  type Element,
  NotDer,
  objectIdentifier,
  sequence,
  smallInteger,
  tag,
} from "./der.ts";
import { oid } from "./oids.ts";

/** Digest algorithms that are taken, as Node names them. */
const digests: Record<string, string> = {
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};

const rsaEncryption = "1.2.840.113549.1.1.1";
const rsaPss = "1.2.840.113549.1.1.10";
const ed25519 = "1.3.101.112";

/** Signature algorithms that name their digest. */
const signatures: Record<string, { key: "rsa" | "ec"; digest: string }> = {
  "1.2.840.113549.1.1.5": { key: "rsa", digest: "sha1" },
  "1.2.840.113549.1.1.11": { key: "rsa", digest: "sha256" },
  "1.2.840.113549.1.1.12": { key: "rsa", digest: "sha384" },
  "1.2.840.113549.1.1.13": { key: "rsa", digest: "sha512" },
  "1.2.840.10045.4.1": { key: "ec", digest: "sha1" },
  "1.2.840.10045.4.3.2": { key: "ec", digest: "sha256" },
  "1.2.840.10045.4.3.3": { key: "ec", digest: "sha384" },
  "1.2.840.10045.4.3.4": { key: "ec", digest: "sha512" },
};

/** An algorithm is not known, or its parameters are not what they have to be. */
export class UnknownAlgorithm extends Error {
  override name = "UnknownAlgorithm";
}

const parts = (identifier: Element): { algorithm: string; parameters: Element | undefined } => {
  const [algorithm, parameters, ...rest] = childrenOf(identifier);
  if (identifier.tag !== tag.sequence || algorithm === undefined || rest.length > 0) {
    throw new NotDer("no algorithm identifier");
  }
  return { algorithm: dottedOf(algorithm), parameters };
};

const isNullOrAbsent = (parameters: Element | undefined): boolean =>
  parameters === undefined || (parameters.tag === tag.null && parameters.content.length === 0);

/** The digest that an AlgorithmIdentifier means. Throws {@link UnknownAlgorithm}. */
export const digestOf = (identifier: Element): string => {
  const { algorithm, parameters } = parts(identifier);
  const digest = digests[algorithm];
  if (digest === undefined || !isNullOrAbsent(parameters)) throw new UnknownAlgorithm("its digest is not known");
  return digest;
};

/**
 * Whether a signature over data holds.
 * @param digest the digest that is stated beside the signature's algorithm, which must agree with it; null where none is
 */
export const signatureHolds = (
  identifier: Element,
  digest: string | null,
  key: KeyObject,
  data: Uint8Array,
  signature: Uint8Array,
): boolean => {
  const { algorithm, parameters } = parts(identifier);
  if (algorithm === rsaPss) return pssHolds(parameters, digest, key, data, signature);
  if (!isNullOrAbsent(parameters)) throw new UnknownAlgorithm("its signature has unknown parameters");
  if (algorithm === ed25519) return key.asymmetricKeyType === "ed25519" && verify(null, data, key, signature);
  const known = algorithm === rsaEncryption && digest !== null ? { key: "rsa", digest } : signatures[algorithm];
  if (known === undefined) throw new UnknownAlgorithm("its signature algorithm is not known");
  // An EC signature has no parameters (RFC 5758, 3.2); with them it would have a second encoding.
  if (known.key === "ec" && parameters !== undefined) throw new UnknownAlgorithm("its signature has parameters");
  if (digest !== null && known.digest !== digest) return false;
  return key.asymmetricKeyType === known.key && verify(known.digest, data, key, signature);
};

/** Over MD2 and MD5. */
const BROKEN_DIGESTS: readonly string[] = ["1.2.840.113549.1.1.2", "1.2.840.113549.1.1.4"];

/** Whether a signature algorithm is over SHA-1, or what was broken before, which validators take no more. */
export const isWeak = (identifier: Element): boolean => {
  const { algorithm, parameters } = parts(identifier);
  if (BROKEN_DIGESTS.includes(algorithm)) return true;
  return algorithm === rsaPss ? pssDigestOf(parameters) === "sha1" : signatures[algorithm]?.digest === "sha1";
};

/**
 * The one form of a signature's AlgorithmIdentifier (RFC 4055, 5 and 3.1; RFC 5758, 3.2; RFC 8410, 3), for where it is
 * not signed itself. Null for parameters of RSASSA-PSS other than the customary ones: one digest throughout, a salt of
 * its length.
 */
export const inOneForm = (identifier: Element): Buffer | null => {
  const { algorithm } = parts(identifier);
  if (algorithm === rsaPss) return pssForms.find((form) => form.equals(identifier.encoded)) ?? null;
  const isRsa = signatures[algorithm]?.key === "rsa";
  return sequence(objectIdentifier(algorithm), isRsa ? der(tag.null) : Buffer.alloc(0));
};

/** RSASSA-PSS over SHA-256, SHA-384 and SHA-512. */
const pssForms = [
  [1, 32],
  [2, 48],
  [3, 64],
].map(([digest, saltBytes = 0]) => {
  const hash = sequence(objectIdentifier(`2.16.840.1.101.3.4.2.${digest}`), der(tag.null));
  const mask = sequence(objectIdentifier(oid.mgf1), hash);
  const fields = [hash, mask, smallInteger(saltBytes)].map((field, index) => der(tag.constructed(index), field));
  return sequence(objectIdentifier(rsaPss), sequence(...fields));
});

const pssDigestOf = (parameters: Element | undefined): string => {
  const [hash] = parameters === undefined ? [] : childrenOf(parameters);
  const [identifier] = hash?.tag === tag.constructed(0) ? childrenOf(hash) : [];
  return identifier === undefined ? "sha1" : digestOf(identifier);
};

const pssHolds = (
  parameters: Element | undefined,
  digest: string | null,
  key: KeyObject,
  data: Uint8Array,
  signature: Uint8Array,
): boolean => {
  const own = pssDigestOf(parameters);
  if (digest !== null && own !== digest) return false;
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return verify(own, data, { key, ...padding }, signature);
};
