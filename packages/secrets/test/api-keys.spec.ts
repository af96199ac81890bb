import { seededRandom } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { apiKeySha256, newApiKey, newWebhookSecret } from "../src/index.ts";

test("an API key is a prefix and 256 random bits", () => {
  const random = seededRandom(1);
  const key = newApiKey(random);
  expect(key).toMatch(/^rk_[\w-]{43}$/);
  expect(newApiKey(random)).not.toBe(key);
});

test("a key is kept as its SHA-256 (FIPS 180-2's example)", () => {
  expect(apiKeySha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("a webhook secret has the form that Standard Webhooks' libraries read", () => {
  expect(newWebhookSecret(seededRandom(1))).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
