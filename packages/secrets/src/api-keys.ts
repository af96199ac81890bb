import { hash } from "node:crypto";
import type { Random } from "@rubrica/runtime";

const KEY_PREFIX = "rk_";
const WEBHOOK_SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** An API key made of 256 bits: a prefix, by which a leaked one is recognized, and base64url. */
export const apiKeyFrom = (bytes: Buffer): string => `${KEY_PREFIX}${bytes.toString("base64url")}`;

/** A new API key. Shown once: only its hash is kept. */
export const newApiKey = (random: Random): string => apiKeyFrom(random.bytes(SECRET_BYTES));

/** The form in which API keys are kept: lower-case hex SHA-256. A key is 256 random bits: it needs no salt. */
export const apiKeySha256 = (key: string): string => hash("sha256", key);

/** A new secret that signs an account's webhooks (Standard Webhooks). */
export const newWebhookSecret = (random: Random): string =>
  `${WEBHOOK_SECRET_PREFIX}${random.bytes(SECRET_BYTES).toString("base64")}`;
