import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import {
  childrenOf,
  der,
  dottedOf,
  type Element,
  NotDer,
  objectIdentifier,
  readDer,
  sequence,
  smallInteger,
  tag,
} from "./der.ts";
import { oid } from "./oids.ts";

const SHA2: readonly string[] = ["sha224", "sha256", "sha384", "sha512"];
const SHA3: readonly string[] = ["sha3-224", "sha3-256", "sha3-384", "sha3-512"];
const NIST = "2.16.840.1.101.3.4";

/** Values by object identifiers whose last numbers follow each other. */
const numbered = <Value>(arc: string, first: number, values: readonly Value[]): Record<string, Value> =>
  Object.fromEntries(values.map((value, index) => [`${arc}.${first + index}`, value]));

const RSA_DIGESTS = ["sha256", "sha384", "sha512", "sha224", "sha512-224", "sha512-256"];

/** Digest algorithms that are taken, as Node names them. */
const digests: Record<string, string> = {
  [oid.sha1]: "sha1",
  ...numbered(`${NIST}.2`, 1, [...RSA_DIGESTS, ...SHA3]),
};

const rsaEncryption = "1.2.840.113549.1.1.1";
const rsaPss = "1.2.840.113549.1.1.10";

/** What signs by an algorithm, and the digest that it names; null where it needs none beside. */
interface Signing {
  key: "rsa" | "ec" | "dsa" | "ed25519" | "ed448";
  digest: string | null;
}

const over = (key: Signing["key"], names: readonly string[]): Signing[] => names.map((digest) => ({ key, digest }));

/** Signature algorithms that are taken, beside RSASSA-PSS (RFC 8017, A.2.4; RFC 5758; RFC 8410; NIST's register). */
const signatures: Record<string, Signing> = {
  "1.2.840.113549.1.1.5": { key: "rsa", digest: "sha1" },
  ...numbered("1.2.840.113549.1.1", 11, over("rsa", RSA_DIGESTS)),
  "1.2.840.10045.4.1": { key: "ec", digest: "sha1" },
  ...numbered("1.2.840.10045.4.3", 1, over("ec", SHA2)),
  ...numbered(`${NIST}.3`, 1, [...over("dsa", [...SHA2, ...SHA3]), ...over("ec", SHA3), ...over("rsa", SHA3)]),
  "1.3.101.112": { key: "ed25519", digest: null },
  "1.3.101.113": { key: "ed448", digest: null },
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
  const known = algorithm === rsaEncryption && digest !== null ? { key: "rsa", digest } : signatures[algorithm];
  if (known === undefined) throw new UnknownAlgorithm("its signature algorithm is not known");
  // Only one of RSA has parameters (RFC 5758, 3; RFC 8410, 3); with them it would have a second encoding.
  if (known.key !== "rsa" && parameters !== undefined) throw new UnknownAlgorithm("its signature has parameters");
  if (digest !== null && known.digest !== null && known.digest !== digest) return false;
  return key.asymmetricKeyType === known.key && verify(known.digest, data, key, signature);
};

/**
 * Whether a signature algorithm is none that validators take today: over SHA-2 or SHA-3, or of EdDSA. Libraries verify more,
 * and one broken digest goes by many identifiers. Throws {@link UnknownAlgorithm}.
 */
export const isWeak = (identifier: Element): boolean => {
  const { algorithm, parameters } = parts(identifier);
  const digest = algorithm === rsaPss ? pssDigestOf(parameters) : signatures[algorithm]?.digest;
  return digest === undefined || digest === "sha1";
};

/**
 * Whether signatures of an algorithm are DER of two numbers, as those of ECDSA and DSA are; all others are of the key's
 * length, with one form only. Null where the algorithm is not known.
 */
export const isTwoNumbers = (identifier: Element): boolean | null => {
  const { algorithm } = parts(identifier);
  if (algorithm === rsaPss) return false;
  const key = signatures[algorithm]?.key;
  return key === undefined ? null : key === "ec" || key === "dsa";
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
  if (!isRsa(key) || (digest !== null && own !== digest)) return false;
  const stated = withPssParameters(key, parameters);
  const { saltLength } = stated.asymmetricKeyDetails ?? {};
  // A key that is bound to parameters itself signs by these alone.
  const bound = key.asymmetricKeyDetails?.hashAlgorithm === undefined ? stated : key;
  return verify(own, data, { key: bound, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }, signature);
};

const isRsa = ({ asymmetricKeyType: type }: KeyObject): boolean => type === "rsa" || type === "rsa-pss";

/**
 * An RSA key for RSASSA-PSS by some parameters (RFC 4055, 3.1): Node takes the mask's digest, which may be another than
 * what is signed has, from the key alone.
 */
const withPssParameters = (key: KeyObject, parameters: Element | undefined): KeyObject => {
  const [, bits] = childrenOf(readDer(key.export({ format: "der", type: "spki" })));
  if (bits === undefined) throw new NotDer("a key has no bits");
  const algorithm = sequence(objectIdentifier(rsaPss), parameters?.encoded ?? sequence());
  try {
    return createPublicKey({ key: sequence(algorithm, bits.encoded), format: "der", type: "spki" });
  } catch (cause) {
    throw new UnknownAlgorithm("its parameters are not known", { cause });
  }
};
