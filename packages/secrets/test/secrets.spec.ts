import { hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import { createSecrets, phoneLookup, type SecretUse } from "../src/index.ts";

const secret = (letter: string) => Buffer.from(letter.repeat(32));
const uses: SecretUse[] = ["key-wrap", "signing-link", "phone-line", "request", "simulator", "public-file"];

test("each use has a 256-bit key of its own, by HKDF-SHA256", () => {
  const secrets = createSecrets({ current: secret("a") });
  const keys = uses.map((use) => secrets.subkey(use));
  expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(uses.length);
  expect(keys[0]).toEqual(Buffer.from(hkdfSync("sha256", secret("a"), "", "rubrica/v1/key-wrap", 32)));
});

test("a secret that is too short is refused", () => {
  expect(() => createSecrets({ current: Buffer.alloc(31) })).toThrow(RangeError);
  expect(() => createSecrets({ current: secret("a"), former: [Buffer.alloc(31)] })).toThrow(RangeError);
});

test("parts cut elsewhere give another MAC", () => {
  const secrets = createSecrets({ current: secret("a") });
  const lists = [["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"], []];
  expect(new Set(lists.map((parts) => secrets.hmac("request", parts).toString("hex"))).size).toBe(lists.length);
});

test("the MACs of a long part in pieces are those of the part, by each secret", async () => {
  const newer = createSecrets({ current: secret("b"), former: [secret("a")] });
  const older = createSecrets({ current: secret("a") });
  const pieces = ["a".repeat(1_500_000), "ñ", "", "李"];
  const parts = [pieces.join("")];
  const expected = [newer.hmac("request", parts), older.hmac("request", parts)];
  expect(await newer.longHmacs("request", pieces)).toEqual(expected);
});

test("a MAC is verified for its use and its parts only", () => {
  const secrets = createSecrets({ current: secret("a") });
  const mac = secrets.hmac("request", ["x"]);
  expect(secrets.verify("request", ["x"], mac)).toBe(true);
  expect(secrets.verify("request", ["y"], mac)).toBe(false);
  expect(secrets.verify("public-file", ["x"], mac)).toBe(false);
  expect(createSecrets({ current: secret("b") }).verify("request", ["x"], mac)).toBe(false);
});

test("a MAC may be cut to 16 bytes, not further, and is never longer than it is", () => {
  const secrets = createSecrets({ current: secret("a") });
  const mac = secrets.hmac("request", ["x"]);
  expect(secrets.verify("request", ["x"], mac.subarray(0, 16))).toBe(true);
  expect(secrets.verify("request", ["x"], mac.subarray(0, 15))).toBe(false);
  expect(secrets.verify("request", ["x"], Buffer.alloc(0))).toBe(false);
  expect(secrets.verify("request", ["x"], Buffer.concat([mac, Buffer.alloc(1)]))).toBe(false);
});

test("what a former secret made is still verified, and the current one makes what is new", () => {
  const before = createSecrets({ current: secret("a") });
  const after = createSecrets({ current: secret("b"), former: [secret("a")] });
  expect(after.verify("request", ["x"], before.hmac("request", ["x"]))).toBe(true);
  expect(before.verify("request", ["x"], after.hmac("request", ["x"]))).toBe(false);
  expect(after.subkeys("key-wrap")).toEqual([after.subkey("key-wrap"), before.subkey("key-wrap")]);
});

test("a phone is looked up by the same when SECRET is changed, and shows no phone", () => {
  const first = createSecrets({ current: secret("a") });
  const third = createSecrets({ current: secret("c"), former: [secret("b"), secret("a")] });
  const id = phoneLookup(first, "account", "5491144445555");
  expect(id).toMatch(/^[0-9a-f]{64}$/);
  expect(phoneLookup(third, "account", "5491144445555")).toBe(id);
  expect(phoneLookup(first, "account5", "491144445555")).not.toBe(id);
});
