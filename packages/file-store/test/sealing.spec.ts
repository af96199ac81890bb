import { createSecretKey } from "node:crypto";
import { systemRandom } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { fileKeysOf, OVERHEAD_BYTES, seal, sha256Of, unseal } from "../src/sealing.ts";

const plain = Buffer.from("plain");
const sha256 = sha256Of(plain);
const keys = fileKeysOf("a", createSecretKey(Buffer.alloc(32, 1)));
const sealed = () => seal(keys, sha256, plain, systemRandom);

test("what was sealed opens with its keys, for its owner and its hash", () => {
  expect(unseal(keys, sha256, sealed())).toEqual(plain);
  expect(sealed()).toHaveLength(plain.length + OVERHEAD_BYTES);
});

test("it opens for nobody and nothing else, by the encryption's own check", () => {
  expect(unseal({ ...keys, owner: "b" }, sha256, sealed())).toBeUndefined();
  expect(unseal(keys, sha256Of(Buffer.from("other")), sealed())).toBeUndefined();
  expect(unseal(fileKeysOf("a", createSecretKey(Buffer.alloc(32, 2))), sha256, sealed())).toBeUndefined();
});

test("bytes sealed under a hash that is not theirs do not open", () => {
  const other = sha256Of(Buffer.from("other"));
  expect(unseal(keys, other, seal(keys, other, plain, systemRandom))).toBeUndefined();
});
