import { generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import { isWeak, signatureHolds } from "../../src/asn1/algorithms.ts";
import { der, type Element, objectIdentifier, readDer, sequence, tag } from "../../src/asn1/der.ts";

const NULL = der(tag.null);
const identifier = (type: string, parameters: Uint8Array = Buffer.alloc(0)): Element =>
  readDer(sequence(objectIdentifier(type), parameters));
const pssOver = (digest: string): Element => {
  const hash = der(tag.constructed(0), sequence(objectIdentifier(digest), NULL));
  return identifier("1.2.840.113549.1.1.10", sequence(hash));
};

test.each<[string, Element]>([
  ["RSA and SHA-256", identifier("1.2.840.113549.1.1.11", NULL)],
  ["RSA and SHA-224", identifier("1.2.840.113549.1.1.14", NULL)],
  ["RSA and SHA3-512", identifier("2.16.840.1.101.3.4.3.16", NULL)],
  ["RSASSA-PSS and SHA-256", pssOver("2.16.840.1.101.3.4.2.1")],
  ["ECDSA and SHA-512", identifier("1.2.840.10045.4.3.4")],
  ["ECDSA and SHA3-256", identifier("2.16.840.1.101.3.4.3.10")],
  ["DSA and SHA-256", identifier("2.16.840.1.101.3.4.3.2")],
  ["Ed25519", identifier("1.3.101.112")],
  ["Ed448", identifier("1.3.101.113")],
])("%s are taken", (_what, algorithm) => {
  expect(isWeak(algorithm)).toBe(false);
});

test.each<[string, Element]>([
  ["RSA and SHA-1", identifier("1.2.840.113549.1.1.5", NULL)],
  ["RSA and SHA-1 as OIW names them", identifier("1.3.14.3.2.29", NULL)],
  ["RSA and MD5", identifier("1.2.840.113549.1.1.4", NULL)],
  ["RSA and MD5 as OIW names them", identifier("1.3.14.3.2.3", NULL)],
  ["RSA and RIPEMD-160", identifier("1.3.36.3.3.1.2", NULL)],
  ["RSASSA-PSS and SHA-1", pssOver("1.3.14.3.2.26")],
  ["RSASSA-PSS that names no digest", identifier("1.2.840.113549.1.1.10", sequence())],
  ["DSA and SHA-1", identifier("1.2.840.10040.4.3")],
  ["ECDSA and SHA-1", identifier("1.2.840.10045.4.1")],
  ["what nobody here knows", identifier("1.2.3")],
])("%s are weak", (_what, algorithm) => {
  expect(isWeak(algorithm)).toBe(true);
});

test.each([
  ["rsa", "1.2.840.113549.1.1.14", "sha224"],
  ["rsa", "2.16.840.1.101.3.4.3.14", "sha3-256"],
  ["ec", "1.2.840.10045.4.3.3", "sha384"],
  ["ec", "2.16.840.1.101.3.4.3.12", "sha3-512"],
  ["ed25519", "1.3.101.112", null],
  ["ed448", "1.3.101.113", null],
] as const)("a signature of %s by %s holds over what was signed alone", (kind, algorithm, digest) => {
  const keys = {
    rsa: () => generateKeyPairSync("rsa", { modulusLength: 2_048 }),
    ec: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    ed25519: () => generateKeyPairSync("ed25519"),
    ed448: () => generateKeyPairSync("ed448"),
  };
  const { privateKey, publicKey } = keys[kind]();
  const [text, other] = ["signed", "changed"].map((each) => Buffer.from(each)) as [Buffer, Buffer];
  const signature = sign(digest, text, privateKey);
  const holds = (data: Buffer) => signatureHolds(identifier(algorithm), digest, publicKey, data, signature);
  expect([holds(text), holds(other)]).toEqual([true, false]);
});
