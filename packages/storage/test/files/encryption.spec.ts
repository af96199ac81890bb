import { createSecretKey } from "node:crypto";
import { systemRandom } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { decrypt, encrypt, fileKeysOf, OVERHEAD_BYTES, sha256Of } from "../../src/files/encryption.ts";

const plain = Buffer.from("plain");
const sha256 = await sha256Of(plain);
const keys = fileKeysOf("a", createSecretKey(Buffer.alloc(32, 1)));
const encrypted = () => encrypt(keys, sha256, plain, systemRandom);

test("what was encrypted opens with its keys, for its owner and its hash", async () => {
  expect(await decrypt(keys, sha256, await encrypted())).toEqual(plain);
  expect(await encrypted()).toHaveLength(plain.length + OVERHEAD_BYTES);
});

test("it opens for nobody and nothing else, by the encryption's own check", async () => {
  expect(await decrypt({ ...keys, owner: "b" }, sha256, await encrypted())).toBeUndefined();
  expect(await decrypt(keys, await sha256Of(Buffer.from("other")), await encrypted())).toBeUndefined();
  const otherKeys = fileKeysOf("a", createSecretKey(Buffer.alloc(32, 2)));
  expect(await decrypt(otherKeys, sha256, await encrypted())).toBeUndefined();
});

test("bytes encrypted under a hash that is not theirs do not open", async () => {
  const other = await sha256Of(Buffer.from("other"));
  expect(await decrypt(keys, other, await encrypt(keys, other, plain, systemRandom))).toBeUndefined();
});

test("a stored file keeps its form", async () => {
  const nonce = { ...systemRandom, bytes: (length: number) => Buffer.alloc(length, 7) };
  const stored = "010707070707070707070707073c248b9389ee600ec8b31ee1556d7fdd565d02dca9";
  expect((await encrypt(keys, sha256, plain, nonce)).toString("hex")).toBe(stored);
  expect(await decrypt(keys, sha256, Buffer.from(stored, "hex"))).toEqual(plain);
});

test.each([0, 1_048_575, 1_048_576, 1_048_577, 5_000_000])(
  "files of %i bytes are hashed and encrypted whole",
  async (sizeBytes) => {
    const bytes = systemRandom.bytes(sizeBytes);
    const hash = await sha256Of(bytes);
    const stored = await encrypt(keys, hash, bytes, systemRandom);
    expect((await decrypt(keys, hash, stored))?.equals(bytes)).toBe(true);
    stored[stored.length - 20] = (stored.at(-20) ?? 0) ^ 1;
    expect(await decrypt(keys, hash, stored)).toBeUndefined();
  },
);

test("others have their turn while a large file is worked on", async () => {
  const bytes = Buffer.alloc(10 * 1024 * 1024);
  let turns = 0;
  let working = true;
  const count = (): void => {
    turns += 1;
    if (working) setImmediate(count);
  };
  setImmediate(count);
  const hash = await sha256Of(bytes);
  const hashing = turns;
  const stored = await encrypt(keys, hash, bytes, systemRandom);
  const encrypting = turns - hashing;
  await decrypt(keys, hash, stored);
  working = false;
  expect(hashing).toBeGreaterThanOrEqual(9);
  expect(encrypting).toBeGreaterThanOrEqual(9);
  expect(turns - hashing - encrypting).toBeGreaterThanOrEqual(18);
});
