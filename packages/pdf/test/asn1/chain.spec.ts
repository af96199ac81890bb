import { expect, test } from "vitest";
import { isCanonicalSignature } from "../../src/asn1/chain.ts";
import { objectIdentifier, readDer, sequence, smallInteger } from "../../src/asn1/der.ts";

const algorithm = {
  ecdsa: "1.2.840.10045.4.3.2",
  ed25519: "1.3.101.112",
  rsa: "1.2.840.113549.1.1.11",
  other: "1.2.3",
};
const two = sequence(smallInteger(1), smallInteger(2));
const startsLikeTwo = Buffer.concat([Buffer.from([0x30, 0x7f]), Buffer.alloc(62, 1)]);

test.each<[keyof typeof algorithm, string, Uint8Array, boolean | null]>([
  ["ecdsa", "two numbers", two, true],
  ["ecdsa", "three", sequence(two.subarray(2), smallInteger(3)), false],
  ["ecdsa", "no DER", startsLikeTwo, null],
  ["ecdsa", "of another form", Buffer.alloc(64, 1), null],
  ["ed25519", "that begins like two numbers", startsLikeTwo, true],
  ["rsa", "that begins like two numbers", startsLikeTwo, true],
  ["other", "that begins like two numbers", startsLikeTwo, null],
  ["other", "of another form", Buffer.alloc(64, 1), true],
])("a signature by %s, %s, has its one form: %s", (name, _what, signature, isCanonical) => {
  const judged = () => isCanonicalSignature(readDer(sequence(objectIdentifier(algorithm[name]))), signature);
  if (isCanonical === null) expect(judged).toThrow();
  else expect(judged()).toBe(isCanonical);
});
