import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from "node:crypto";
import type { Random } from "@rubrica/runtime";
import type { Secrets } from "@rubrica/secrets";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Size of a wrapped key: nonce, encrypted key, tag. */
export const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES;

// Made ready once for each subkey: as bytes it would be at each use, which costs more than the unwrapping itself.
const readied = new WeakMap<Buffer, KeyObject>();
const keyObjectOf = (subkey: Buffer): KeyObject => {
  const known = readied.get(subkey) ?? createSecretKey(subkey);
  readied.set(subkey, known);
  return known;
};

/** A new random 256-bit key. */
export const newKey = (random: Random): Buffer => random.bytes(KEY_BYTES);

/** Encrypts an owner's key with the current SECRET's subkey: AES-256-GCM, the owner as associated data. */
export const wrap = (secrets: Secrets, random: Random, owner: string, key: Buffer): Buffer => {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyObjectOf(secrets.subkey("key-wrap")), nonce).setAAD(
    Buffer.from(owner),
  );
  return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
};

/**
 * The owner's key out of what {@link wrap} made with the current or a former SECRET.
 * @throws {KeyUnreadableError} when no SECRET that is known opens it, or it was wrapped for another owner.
 */
export const unwrap = (secrets: Secrets, owner: string, wrapped: Uint8Array): KeyObject => {
  if (wrapped.length === WRAPPED_BYTES)
    for (const subkey of secrets.subkeys("key-wrap")) {
      const key = tryUnwrap(subkey, owner, wrapped);
      if (key) return key;
    }
  throw new KeyUnreadableError();
};

const tryUnwrap = (subkey: Buffer, owner: string, wrapped: Uint8Array): KeyObject | undefined => {
  const tagAt = NONCE_BYTES + KEY_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", keyObjectOf(subkey), wrapped.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(owner))
    .setAuthTag(wrapped.subarray(tagAt));
  const key = decipher.update(wrapped.subarray(NONCE_BYTES, tagAt));
  try {
    decipher.final();
    return createSecretKey(key);
  } catch {
    return undefined;
  }
};

/** A key is there, but the SECRETs that are known do not open it. */
export class KeyUnreadableError extends Error {
  constructor() {
    super("the key cannot be opened with the SECRET (and former ones) that are set");
    this.name = "KeyUnreadableError";
  }
}
