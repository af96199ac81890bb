import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { Random } from "@rubrica/runtime";

/** Up to December 2026 it was bound to its place alone, so that all else of its event could be changed beside it. */
const [BOUND_TO_PLACE, BOUND_TO_EVENT] = [1, 2];
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

// The owner's key encrypts files too: each use has a subkey of its own (HKDF-SHA256, RFC 5869).
// It is kept for as long as the owner's key is held: to derive it takes longer than to encrypt with it.
const subkeys = new WeakMap<KeyObject, KeyObject>();
const subkeyOf = (ownerKey: KeyObject): KeyObject => {
  const known = subkeys.get(ownerKey);
  if (known) return known;
  const derived = hkdfSync("sha256", ownerKey, "", "rubrica/event-personal/v1", 32);
  const subkey = createSecretKey(new Uint8Array(derived));
  subkeys.set(ownerKey, subkey);
  return subkey;
};

/** What a personal part is bound to: it opens with nothing else. */
export interface Binding {
  /** Stream and event id. */
  place: string;
  /** All else of its event as JSON, the previous event's hash among it. */
  event: () => string;
}

/**
 * Encrypts an event's personal part with AES-256-GCM (NIST SP 800-38D): base64url of version, nonce, tag, ciphertext. All
 * else of the event is authenticated: whoever has not the key can neither make such an event, nor change one.
 */
export const encryptPersonal = (ownerKey: KeyObject, event: string, personal: unknown, random: Random): string => {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", subkeyOf(ownerKey), nonce);
  cipher.setAAD(Buffer.from(event));
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(personal), "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(BOUND_TO_EVENT), nonce, cipher.getAuthTag(), ciphertext]).toString("base64url");
};

/** A personal part, and whether all else of its event is authenticated by it. */
export interface Personal {
  content: Record<string, unknown>;
  isOfEvent: boolean;
}

/**
 * Reads what {@link encryptPersonal} wrote, here or in an earlier release.
 * @throws {Error} when it or its event was changed, it was moved, or is of another key.
 */
export const decryptPersonal = (ownerKey: KeyObject, binding: Binding, stored: string): Personal => {
  const bytes = Buffer.from(stored, "base64url");
  const bound = bytes[0] === BOUND_TO_EVENT ? binding.event() : bytes[0] === BOUND_TO_PLACE ? binding.place : undefined;
  if (bound === undefined || bytes.length < 1 + NONCE_BYTES + TAG_BYTES)
    throw new Error("unknown form of personal part");
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", subkeyOf(ownerKey), nonce);
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(tag);
  const plain = Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return { content: JSON.parse(plain.toString("utf8")), isOfEvent: bytes[0] === BOUND_TO_EVENT };
};
