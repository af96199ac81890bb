import { testRuntime } from "@rubrica/runtime/testing";
import { describe, expect, test } from "vitest";
import { createRowCipher } from "../src/index.ts";

const { random } = testRuntime();
const key = (byte: number) => Buffer.alloc(32, byte);
const cipherBy = (...keys: Buffer[]) => createRowCipher({ keys, purpose: "rows", random });
const plain = Buffer.from("Ana Paz");

describe("what a row cipher encrypts", () => {
  test("is read again by the same key, and does not lie in the clear", () => {
    const encrypted = cipherBy(key(1)).encrypt("row 1", plain);
    expect(encrypted.includes(plain)).toBe(false);
    expect(cipherBy(key(1)).decrypt("row 1", encrypted)).toEqual(plain);
  });
  test("is read by a key that has become a former one", () => {
    const encrypted = cipherBy(key(1)).encrypt("row 1", plain);
    expect(cipherBy(key(2), key(1)).decrypt("row 1", encrypted)).toEqual(plain);
  });
  test("is another each time", () =>
    expect(cipherBy(key(1)).encrypt("row 1", plain)).not.toEqual(cipherBy(key(1)).encrypt("row 1", plain)));
  test.each<[string, (encrypted: Buffer) => Buffer]>([
    ["a changed bit", (encrypted) => Buffer.from(encrypted.map((byte, index) => (index === 15 ? byte ^ 1 : byte)))],
    ["a cut end", (encrypted) => encrypted.subarray(0, -1)],
    ["next to nothing", (encrypted) => encrypted.subarray(0, 27)],
  ])("is not read with %s", (_what, changed) => {
    const cipher = cipherBy(key(1));
    expect(() => cipher.decrypt("row 1", changed(cipher.encrypt("row 1", plain)))).toThrow("cannot be read");
  });
  test("is not read in another row's place, by another key, or for another purpose", () => {
    const encrypted = cipherBy(key(1)).encrypt("row 1", plain);
    expect(() => cipherBy(key(1)).decrypt("row 2", encrypted)).toThrow("cannot be read");
    expect(() => cipherBy(key(2)).decrypt("row 1", encrypted)).toThrow("cannot be read");
    const other = createRowCipher({ keys: [key(1)], purpose: "other rows", random });
    expect(() => other.decrypt("row 1", encrypted)).toThrow("cannot be read");
  });
});

test("a row cipher needs a key of 256 bits", () => {
  expect(() => cipherBy()).toThrow(RangeError);
  expect(() => cipherBy(key(1).subarray(1))).toThrow(RangeError);
});
