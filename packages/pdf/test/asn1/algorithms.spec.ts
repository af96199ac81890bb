import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isWeak, signatureHolds, UnknownAlgorithm } from "../../src/asn1/algorithms.ts";
import {
  childrenOf,
  der,
  type Element,
  objectIdentifier,
  readDer,
  sequence,
  smallInteger,
  tag,
} from "../../src/asn1/der.ts";

const NULL = der(tag.null);
const RSA_PSS = "1.2.840.113549.1.1.10";
const OF_SHA1 = "1.3.14.3.2.26";
const OF_SHA256 = "2.16.840.1.101.3.4.2.1";
const identifier = (type: string, parameters: Uint8Array = Buffer.alloc(0)): Element =>
  readDer(sequence(objectIdentifier(type), parameters));
const pssOver = (digest: string): Element => {
  const hash = der(tag.constructed(0), sequence(objectIdentifier(digest), NULL));
  return identifier(RSA_PSS, sequence(hash));
};

test.each<[string, Element]>([
  ["RSA and SHA-256", identifier("1.2.840.113549.1.1.11", NULL)],
  ["RSA and SHA-224", identifier("1.2.840.113549.1.1.14", NULL)],
  ["RSA and SHA3-512", identifier("2.16.840.1.101.3.4.3.16", NULL)],
  ["RSASSA-PSS and SHA-256", pssOver(OF_SHA256)],
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
  ["RSASSA-PSS and SHA-1", pssOver(OF_SHA1)],
  ["RSASSA-PSS that names no digest", identifier(RSA_PSS, sequence())],
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

describe("a signature by RSASSA-PSS", () => {
  const text = Buffer.from("signed");
  const pssBy = (digest: string, mask: string, saltBytes: number): Element => {
    const [hash, maskHash] = [digest, mask].map((each) => sequence(objectIdentifier(each), NULL));
    const fields = [
      hash ?? NULL,
      sequence(objectIdentifier("1.2.840.113549.1.1.8"), maskHash ?? NULL),
      smallInteger(saltBytes),
    ];
    return identifier(RSA_PSS, sequence(...fields.map((field, index) => der(tag.constructed(index), field))));
  };
  const signedBy = (mgf1HashAlgorithm: string) => {
    const options = { modulusLength: 2_048, hashAlgorithm: "sha256", mgf1HashAlgorithm };
    const { privateKey, publicKey } = generateKeyPairSync("rsa-pss", options);
    return {
      bound: publicKey,
      free: unbound(publicKey),
      signature: sign("sha256", text, { key: privateKey, saltLength: 32 }),
    };
  };
  /** The key as one of RSA that says nothing of how it signs. */
  const unbound = (key: KeyObject): KeyObject => {
    const [, bits] = childrenOf(readDer(key.export({ format: "der", type: "spki" })));
    const algorithm = sequence(objectIdentifier("1.2.840.113549.1.1.1"), NULL);
    const spki = sequence(algorithm, bits?.encoded ?? NULL);
    return createPublicKey({ key: spki, format: "der", type: "spki" });
  };

  test.each([
    ["the digest of what is signed", "sha256", OF_SHA256],
    ["another digest, as of SHA-1", "sha1", OF_SHA1],
  ])("whose mask is of %s holds as it says", (_which, mask, ofMask) => {
    const { bound, free, signature } = signedBy(mask);
    const algorithm = pssBy(OF_SHA256, ofMask, 32);
    const holds = (key: KeyObject, data: Buffer, by = algorithm) => signatureHolds(by, "sha256", key, data, signature);
    expect([bound, free].map((key) => holds(key, text))).toEqual([true, true]);
    expect([bound, free].map((key) => holds(key, Buffer.from("changed")))).toEqual([false, false]);
    const others = [pssBy(OF_SHA256, ofMask === OF_SHA1 ? OF_SHA256 : OF_SHA1, 32), pssBy(OF_SHA256, ofMask, 20)];
    expect(others.map((other) => holds(free, text, other))).toEqual([false, false]);
    expect(isWeak(algorithm)).toBe(false);
  });

  test("with parameters that nobody here knows is not judged, and none by a key of another kind holds", () => {
    const { free, signature } = signedBy("sha256");
    const unknown = identifier(RSA_PSS, sequence(der(tag.constructed(1), sequence(objectIdentifier("1.2.3")))));
    expect(() => signatureHolds(unknown, null, free, text, signature)).toThrow(UnknownAlgorithm);
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    expect(signatureHolds(pssBy(OF_SHA256, OF_SHA256, 32), null, publicKey, text, signature)).toBe(false);
  });
});
